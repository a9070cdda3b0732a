#include "sql/catalog/column_index.h"

#include <algorithm>

#include "klip/index.h"
#include "sql/catalog/stored_value.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

Expected<const TableColumn*> FindCell(const TableDefinition& table, const std::string& family,
                                      const std::string& name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(), [&](const TableColumn& column) {
    return column.name == name && (family.empty() || column.family == family);
  });
  if (found == table.columns.end()) {
    return SqlError(504, "42703", "Undefined column. columnName=" + table.name.name + "." + name);
  }
  if (found->element > 0 || !found->missing.is_null()) {
    return Status(Code::kUnsupported,
                  "SQL: an index on " + name + ", which shares a cell with other columns, or has a DEFAULT");
  }
  return &*found;
}

IndexFunction FunctionOf(const Expression& expression) {
  const bool one_column = expression.kind == Expression::Kind::kFunction && expression.operands.size() == 1 &&
                          expression.operands[0]->kind == Expression::Kind::kColumn;
  return one_column && expression.name == "UPPER"   ? IndexFunction::kUpper
         : one_column && expression.name == "LOWER" ? IndexFunction::kLower
                                                    : IndexFunction::kNone;
}

// Adds the field of a column, or of UPPER or LOWER of one, and what covers it. `has_schema`: the table has a row-key schema.
Status AddField(const TableDefinition& table, const OrderTerm& term, bool has_schema, IndexDescriptor* index) {
  IndexField field = {.function = FunctionOf(*term.expression)};
  const bool has_function = field.function != IndexFunction::kNone;
  const Expression& name = has_function ? *term.expression->operands[0] : *term.expression;
  if (name.kind != Expression::Kind::kColumn) {
    return {Code::kUnsupported,
            "SQL: an index on an expression other than UPPER and LOWER of a column: " + ToString(*term.expression)};
  }
  KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table, name.qualifier, name.name));
  if (has_function && (column->key_position >= 0 || column->type.type != Type::kVarchar)) {
    return {Code::kUnsupported, "SQL: an index on " + ToString(*term.expression) +
                                    ": UPPER and LOWER take a VARCHAR outside the primary key"};
  }
  if (column->key_position >= 0) {
    if (has_schema) {
      field.key_field = column->name;
      index->fields.push_back(std::move(field));
    }  // else it is left out: entries end with the row's key
    return Status::Ok();
  }
  field.type = IndexTypeOf(column->type);
  if (field.type.empty() || (term.descending && FixedBytes(column->type) == 0)) {
    return {Code::kUnsupported,
            "SQL: an index on " + column->name + " " + ToString(column->type) + (term.descending ? " DESC" : "")};
  }
  field.type += term.descending ? " desc" : "";
  field.column = column->cell_name();
  index->include.push_back(field.column);
  index->fields.push_back(std::move(field));
  return Status::Ok();
}

// WHERE: column = literal, joined by AND.
Status AddWhere(const TableDefinition& table, const Expression& condition, IndexDescriptor* index) {
  if (condition.kind == Expression::Kind::kAnd) {
    for (const ExpressionPtr& operand : condition.operands) {
      KLIP_RETURN_IF_ERROR(AddWhere(table, *operand, index));
    }
    return Status::Ok();
  }
  Status unsupported = {Code::kUnsupported, "SQL: CREATE INDEX with WHERE " + ToString(condition) +
                                                ": only column = literal, joined by AND"};
  if (condition.kind != Expression::Kind::kCompare || condition.operation != "=" ||
      condition.operands[0]->kind != Expression::Kind::kColumn ||
      condition.operands[1]->kind != Expression::Kind::kLiteral) {
    return unsupported;
  }
  const Expression& name = *condition.operands[0];
  KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table, name.qualifier, name.name));
  const Value& value = condition.operands[1]->value;
  bool exact = false;
  const std::optional<std::string> bytes =
      !value.is_null() && HasOneForm(*column) ? ComparableBytes(*column, value, &exact) : std::nullopt;
  if (!bytes.has_value() || !exact) {
    return unsupported;
  }
  index->where.emplace_back(column->cell_name(), *bytes);
  return Status::Ok();
}

}  // namespace

std::string IndexTypeOf(const DataType& type) {
  if (type.array) {
    return {};
  }
  switch (const int bytes = FixedBytes(type); bytes) {
    case 0:  // neither contains a zero byte, which ends a field
      return type.type == Type::kVarchar ? "text" : type.type == Type::kDecimal ? "bytes" : "";
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 4:
      return "u32";
    case 8:
      return type.type == Type::kBinary || type.type == Type::kChar ? "bytes(8)" : "u64";
    default:
      return "bytes(" + std::to_string(bytes) + ")";
  }
}

Status CreateColumnIndex(Connection* connection, const TableDefinition& table, const CreateIndex& statement) {
  if (!statement.split_on.empty()) {
    return Status(Code::kUnsupported, "SQL: CREATE INDEX with SPLIT ON");
  }
  if (table.of_phoenix) {
    return Status(Code::kUnsupported, "SQL: CREATE INDEX on a Phoenix table: " + ToString(table.name));
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection->admin().GetDescriptor(table.physical_name));
  const bool has_schema = descriptor.attributes.contains(std::string(RowKeySchema::kTableAttribute));
  IndexDescriptor index;
  index.name = statement.name;
  if (const auto history = std::ranges::find(statement.properties, "HISTORY", &Property::name);
      history != statement.properties.end()) {
    if (history->value.type() != Type::kBoolean) {
      return Status(Code::kInvalidArgument, "SQL: CREATE INDEX: HISTORY is true or false");
    }
    index.history = history->value.boolean();
  }
  for (const OrderTerm& term : statement.columns) {
    KLIP_RETURN_IF_ERROR(AddField(table, term, has_schema, &index));
  }
  if (statement.where != nullptr) {
    KLIP_RETURN_IF_ERROR(AddWhere(table, *statement.where, &index));
  }
  if (index.include.empty()) {
    // The store sorts by at least one column: here by the marker, which has the same value in each row.
    if (index.fields.empty() || !table.empty_family.has_value()) {
      return Status(Code::kUnsupported,
                    "SQL: an index with only key columns, on a table whose primary key has no row-key schema");
    }
    index.fields.push_back({.column = *table.empty_family + ":" + table.empty_qualifier, .type = "text"});
  }
  for (const auto& included : statement.include) {
    KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table, included.first, included.second));
    if (column->key_position < 0) {
      index.include.push_back(column->cell_name());
    }
  }
  if (table.empty_family.has_value()) {
    index.include.push_back(*table.empty_family + ":" + table.empty_qualifier);
  }
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  if (statement.if_not_exists) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> known, indexes->ListIndexes(table.physical_name));
    for (const IndexInfo& info : known) {
      if (info.index.name == index.name && !info.building) {
        return Status::Ok();
      }
    }
  }
  Status created = indexes->CreateIndex(table.physical_name, index);
  if (created.code() == Code::kUnsupported && statement.include.empty()) {
    index.include.clear();  // on a cluster, entries contain no columns
    created = indexes->CreateIndex(table.physical_name, index);
  }
  return created;
}

Status DropColumnIndex(Connection* connection, const TableDefinition& table, const Drop& statement) {
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> known, indexes->ListIndexes(table.physical_name));
  const bool exists = std::any_of(known.begin(), known.end(),
                                  [&](const IndexInfo& info) { return info.index.name == statement.name.name; });
  if (!exists) {
    return statement.if_exists ? Status::Ok()
                               : SqlError(1012, "42M03", "Table undefined. tableName=" + statement.name.name);
  }
  return indexes->DropIndex(table.physical_name, statement.name.name);
}

}  // namespace klip::sql
