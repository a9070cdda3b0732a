#include "sql/plan/column_index.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "klip/index.h"
#include "sql/catalog/index_table.h"
#include "sql/catalog/stored_value.h"
#include "sql/plan/index_expression.h"
#include "sql/plan/scope.h"
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
  if (family.empty() && std::ranges::count(table.columns, name, &TableColumn::name) > 1) {
    return Ambiguous(name);
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

// Fields of variable length have no descending form; the index is read backwards instead.
std::string_view Direction(const DataType& type, bool descending) {
  return descending && FixedBytes(type) > 0 ? " desc" : "";
}

// Builds the descriptor of an index.
class IndexMaker {
 public:
  // `descriptor`: of the table.
  IndexMaker(const TableDefinition& table, const CreateIndex& statement, const TableDescriptor& descriptor)
      : table_(table), statement_(statement), descriptor_(descriptor), used_(table.columns.size()) {}

  Expected<IndexDescriptor> Make();

 private:
  Status AddField(const OrderTerm& term);
  Status AddExpression(const OrderTerm& term);
  Status AddColumn(const TableColumn& column, IndexField field, bool descending);
  Expected<bool> AddEqual(const Expression& condition);
  Status AddWhere();
  void MakeOptional();
  Status AddIncluded();
  Status AddTable();
  Expected<std::unique_ptr<TableExpression>> Use(const Expression& expression);

  const TableDefinition& table_;
  const CreateIndex& statement_;
  const TableDescriptor& descriptor_;
  std::vector<bool> used_;  // columns that SQL expressions read
  IndexDescriptor index_;
};

// A field for a column, for UPPER or LOWER of one, which HBase's filters use too, or for another expression.
Status IndexMaker::AddField(const OrderTerm& term) {
  IndexField field = {.function = FunctionOf(*term.expression)};
  const bool has_function = field.function != IndexFunction::kNone;
  const Expression& name = has_function ? *term.expression->operands[0] : *term.expression;
  if (name.kind != Expression::Kind::kColumn) {
    return AddExpression(term);
  }
  KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table_, name.qualifier, name.name));
  if (has_function && (column->key_position >= 0 || column->type.type != Type::kVarchar)) {
    return AddExpression(term);
  }
  if (column->key_position < 0) {
    return AddColumn(*column, std::move(field), term.descending);
  }
  if (descriptor_.attributes.contains(std::string(RowKeySchema::kTableAttribute))) {
    field.key_field = column->name;
    index_.fields.push_back(std::move(field));
  }  // else it is left out: entries end with the row's key
  return Status::Ok();
}

Status IndexMaker::AddColumn(const TableColumn& column, IndexField field, bool descending) {
  if (column.type.array) {
    return SqlError(1005, "42J03",
                    "The VARBINARY/ARRAY type can only be used as the last part of a multi-part row key. columnName=" +
                        column.name);
  }
  field.type = IndexTypeOf(column.type);
  if (field.type.empty()) {
    return {Code::kUnsupported, "SQL: an index on " + column.name + " " + ToString(column.type)};
  }
  field.type += Direction(column.type, descending);
  field.column = column.cell_name();
  index_.include.push_back(field.column);
  index_.fields.push_back(std::move(field));
  return Status::Ok();
}

// Checks that the index can compute the expression. Where rows have no marker, a row is known by its cells only: then a row without those
// that the expression reads must not be in the index, so the expression must not have a value for it.
Expected<std::unique_ptr<TableExpression>> IndexMaker::Use(const Expression& expression) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<TableExpression> made, TableExpression::Make(expression, table_));
  bool reads_key = false;
  std::vector<std::optional<std::string_view>> nulls;
  for (size_t i = 0; i < used_.size(); ++i) {
    const TableColumn& column = table_.columns[i];
    if (!made->columns()[i]) {
      continue;
    }
    if (column.key_position >= 0) {
      reads_key = true;
      continue;
    }
    KLIP_RETURN_IF_ERROR(FindCell(table_, column.family, column.name).status());
    used_[i] = true;
    nulls.emplace_back();
  }
  if (reads_key && table_.own_key_columns > 0) {
    return Status(Code::kUnsupported, "SQL: an index on an expression over the key of the view " +
                                          ToString(table_.name) + ", which its table does not have");
  }
  if (!table_.empty_family.has_value()) {
    KLIP_ASSIGN_OR_RETURN(const Value value, reads_key ? Value::Boolean(true) : made->ValueOf({}, nulls));
    if (!value.is_null() && !(value.type() == Type::kBoolean && !value.boolean())) {
      return Status(Code::kUnsupported, "SQL: an index on " + ToString(expression) + " of " + ToString(table_.name) +
                                            ", whose rows have no marker: it has a value where all its cells are "
                                            "missing, or reads the key");
    }
  }
  return made;
}

Status IndexMaker::AddExpression(const OrderTerm& term) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<TableExpression> made, Use(*term.expression));
  IndexField field = {.type = IndexTypeOf(made->bound().type()), .expression = ToSql(*term.expression)};
  const bool has_order = !field.type.empty() && made->bound().type().type != Type::kChar;
  if (!has_order) {
    return {Code::kUnsupported,
            "SQL: an index on " + ToString(*term.expression) + ", of type " + ToString(made->bound().type())};
  }
  field.type += Direction(made->bound().type(), term.descending);
  index_.fields.push_back(std::move(field));
  return Status::Ok();
}

// column = literal, which the store compares without SQL. False: it is another condition.
Expected<bool> IndexMaker::AddEqual(const Expression& condition) {
  if (condition.kind != Expression::Kind::kCompare || condition.operation != "=" ||
      condition.operands[0]->kind != Expression::Kind::kColumn ||
      condition.operands[1]->kind != Expression::Kind::kLiteral) {
    return false;
  }
  const Expression& name = *condition.operands[0];
  KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table_, name.qualifier, name.name));
  const Value& value = condition.operands[1]->value;
  bool exact = false;
  const std::optional<std::string> bytes =
      !value.is_null() && HasOneForm(*column) ? ComparableBytes(column->type, value, &exact) : std::nullopt;
  if (!bytes.has_value() || !exact) {
    return false;
  }
  index_.where.emplace_back(column->cell_name(), *bytes);
  return true;
}

Status IndexMaker::AddWhere() {
  const Expression& where = *statement_.where;
  std::vector<const Expression*> operands = {&where};
  if (where.kind == Expression::Kind::kAnd) {
    operands.clear();
    for (const ExpressionPtr& operand : where.operands) {
      operands.push_back(operand.get());
    }
  }
  for (const Expression* const operand : operands) {
    KLIP_ASSIGN_OR_RETURN(const bool added, AddEqual(*operand));
    if (added) {
      continue;
    }
    if (operand->select != nullptr) {
      return SqlError(303, "23101", "Index where clause cannot include a subquery. " + ToString(*operand));
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<TableExpression> made, Use(*operand));
    if (made->bound().type().type != Type::kBoolean) {
      return SqlError(304, "23102",
                      "Invalid index where clause. It cannot be evaluated on a data table row. " + ToString(*operand));
    }
    index_.condition += (index_.condition.empty() ? "(" : " AND (") + ToSql(*operand) + ")";
  }
  return Status::Ok();
}

// Of several fields, some may be NULL. A condition on the only one excludes NULL.
void IndexMaker::MakeOptional() {
  const auto may_be_null = [](const IndexField& field) { return field.key_field.empty(); };
  if (!index_.history && std::ranges::count_if(index_.fields, may_be_null) > 1) {
    for (IndexField& field : index_.fields) {
      field.optional = may_be_null(field);
    }
  }
}

Status IndexMaker::AddIncluded() {
  for (size_t i = table_.key_columns; i < used_.size(); ++i) {
    if (used_[i]) {
      index_.include.push_back(table_.columns[i].cell_name());
    }
  }
  for (const auto& included : statement_.include) {
    KLIP_ASSIGN_OR_RETURN(const TableColumn* const column, FindCell(table_, included.first, included.second));
    if (column->key_position < 0) {
      index_.include.push_back(column->cell_name());
    }
  }
  if (table_.empty_family.has_value()) {
    index_.include.push_back(*table_.empty_family + ":" + table_.empty_qualifier);
  }
  return Status::Ok();
}

// The table that the expressions read. A view's own columns are cells by their names, also where those of its table have numbers, which a
// CREATE TABLE cannot say.
Status IndexMaker::AddTable() {
  index_.sql_table = IndexTableStatement(table_, used_);
  KLIP_ASSIGN_OR_RETURN(const TableDefinition read, ReadIndexTable(index_.sql_table, descriptor_));
  for (size_t i = table_.key_columns; i < used_.size(); ++i) {
    const TableColumn& column = table_.columns[i];
    if (used_[i] && std::ranges::none_of(read.columns, [&](const TableColumn& other) {
          return other.cell_name() == column.cell_name() && other.type == column.type;
        })) {
      return {Code::kUnsupported, "SQL: an index on an expression over " + column.name + ", a column of the view " +
                                      ToString(table_.name) + ", whose table has COLUMN_ENCODED_BYTES"};
    }
  }
  return Status::Ok();
}

Expected<IndexDescriptor> IndexMaker::Make() {
  index_.name = statement_.name;
  if (const auto history = std::ranges::find(statement_.properties, "HISTORY", &Property::name);
      history != statement_.properties.end()) {
    if (history->value.type() != Type::kBoolean) {
      return Status(Code::kInvalidArgument, "SQL: CREATE INDEX: HISTORY is true or false");
    }
    index_.history = history->value.boolean();
  }
  for (const OrderTerm& term : statement_.columns) {
    KLIP_RETURN_IF_ERROR(AddField(term));
  }
  if (statement_.where != nullptr) {
    KLIP_RETURN_IF_ERROR(AddWhere());
  }
  const bool only_keys = std::ranges::all_of(
      index_.fields, [](const IndexField& field) { return field.column.empty() && field.expression.empty(); });
  if (only_keys) {
    // The store sorts by at least one column: here by the marker, which has the same value in each row.
    if (index_.fields.empty() || !table_.empty_family.has_value()) {
      return Status(Code::kUnsupported,
                    "SQL: an index with only key columns, on a table whose primary key has no row-key schema");
    }
    index_.fields.push_back({.column = *table_.empty_family + ":" + table_.empty_qualifier, .type = "text"});
  }
  MakeOptional();
  KLIP_RETURN_IF_ERROR(AddIncluded());
  const bool has_sql = !index_.condition.empty() ||
                       std::ranges::any_of(index_.fields, [](const auto& field) { return !field.expression.empty(); });
  if (has_sql) {
    KLIP_RETURN_IF_ERROR(AddTable());
  }
  return std::move(index_);
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

namespace {

// Also those of INCLUDE.
Status CheckColumnsOnce(const CreateIndex& statement) {
  std::vector<std::string> names;
  for (const OrderTerm& term : statement.columns) {
    names.push_back(ToSql(*term.expression));
  }
  for (const auto& [family, name] : statement.include) {
    names.push_back((family.empty() ? "" : QuotedName(family) + ".") + QuotedName(name));
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end()
             ? Status::Ok()
             : SqlError(514, "42892",
                        "A duplicate column name was detected in the object definition or ALTER TABLE/VIEW statement. "
                        "columnName=" +
                            *twice);
}

}  // namespace

Status CreateColumnIndex(Connection* connection, const TableDefinition& table, const CreateIndex& statement) {
  if (!statement.split_on.empty()) {
    return Status(Code::kUnsupported, "SQL: CREATE INDEX with SPLIT ON");
  }
  if (table.of_phoenix) {
    return Status(Code::kUnsupported, "SQL: CREATE INDEX on a Phoenix table: " + ToString(table.name));
  }
  KLIP_RETURN_IF_ERROR(CheckColumnsOnce(statement));
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection->admin().GetDescriptor(table.physical_name));
  KLIP_ASSIGN_OR_RETURN(IndexDescriptor index, IndexMaker(table, statement, descriptor).Make());
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> known, indexes->ListIndexes(table.physical_name));
  for (const IndexInfo& info : known) {
    if (info.index.name == index.name && !info.building) {
      return statement.if_not_exists ? Status::Ok()
                                     : SqlError(1013, "42M04", "Table already exists. tableName=" + index.name);
    }
  }
  Status created = indexes->CreateIndex(table.physical_name, index);
  if (created.code() == Code::kUnsupported && statement.include.empty() && index.sql_table.empty()) {
    index.include.clear();  // on a cluster, entries contain no columns, and no field is optional
    for (IndexField& field : index.fields) {
      field.optional = false;
    }
    created = indexes->CreateIndex(table.physical_name, index);
  }
  return created;
}

namespace {

Expected<bool> HasIndex(IndexAdmin* indexes, const TableDefinition& table, const std::string& name) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> known, indexes->ListIndexes(table.physical_name));
  return std::ranges::any_of(known, [&](const IndexInfo& info) { return info.index.name == name; });
}

}  // namespace

Status IndexUndefined(const std::string& schema, const std::string& name) {
  return SqlError(1042, "42M06", "Index undefined. schemaName=" + schema + ", tableName=" + name);
}

Status DropColumnIndex(Connection* connection, const TableDefinition& table, const Drop& statement) {
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  KLIP_ASSIGN_OR_RETURN(const bool exists, HasIndex(indexes, table, statement.name.name));
  if (!exists) {
    return statement.if_exists ? Status::Ok() : IndexUndefined(table.name.schema, statement.name.name);
  }
  return indexes->DropIndex(table.physical_name, statement.name.name);
}

Status AlterColumnIndex(Connection* connection, const TableDefinition& table, const AlterIndex& statement) {
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  KLIP_ASSIGN_OR_RETURN(const bool exists, HasIndex(indexes, table, statement.name));
  if (!exists) {
    return statement.if_exists ? Status::Ok() : IndexUndefined(table.name.schema, statement.name);
  }
  if (statement.action == "REBUILD") {
    return indexes->RebuildIndex(table.physical_name, statement.name);
  }
  const bool usable = statement.action == "USABLE" || statement.action == "ACTIVE";
  return indexes->SetUsable(table.physical_name, statement.name, usable);
}

}  // namespace klip::sql
