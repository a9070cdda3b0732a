#include "sql/catalog/select_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sql/catalog/definition.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

bool AllOperands(const Expression& expression, bool (*are)(const Expression&)) {
  return std::ranges::all_of(expression.operands, [&](const ExpressionPtr& operand) { return are(*operand); });
}

// Whether it depends on a row and nothing else.
bool IsOfRow(const Expression& expression) {
  return expression.select == nullptr && expression.kind != Expression::Kind::kParameter &&
         expression.kind != Expression::Kind::kNextValue && AllOperands(expression, IsOfRow);
}

// Whether an expression of a row is the same for all rows, at any time.
bool IsConstant(const Expression& expression) {
  static constexpr std::array<std::string_view, 4> kChanging = {"CURRENT_DATE", "CURRENT_TIME", "NOW", "RAND"};
  const bool changes = expression.kind == Expression::Kind::kFunction &&
                       std::ranges::find(kChanging, expression.name) != kChanging.end();
  return !changes && expression.kind != Expression::Kind::kColumn && AllOperands(expression, IsConstant);
}

// A qualifier matters only if several families have a column of the name, as in the plans of queries.
const TableColumn* FindColumn(const Expression& named, const TableDefinition& table) {
  const bool unique = std::ranges::count(table.columns, named.name, &TableColumn::name) == 1;
  const auto found = std::ranges::find_if(table.columns, [&](const TableColumn& column) {
    return column.name == named.name && (unique || (!named.qualifier.empty() && column.family == named.qualifier));
  });
  return named.kind != Expression::Kind::kColumn || found == table.columns.end() ? nullptr : &*found;
}

bool Require(const Expression& named, const Expression& value, TableDefinition* table) {
  const TableColumn* const found = FindColumn(named, *table);
  const bool is_null = value.kind == Expression::Kind::kLiteral && value.value.is_null();
  if (found == nullptr || is_null || !IsConstant(value)) {
    return false;
  }
  TableColumn* const column = &table->columns[static_cast<size_t>(found - table->columns.data())];
  if (column->required != nullptr) {  // by the base, by the tenant, or by another condition
    return ToSql(*column->required) == ToSql(value);
  }
  column->required = Clone(value);
  return true;
}

// Stores the constants that the condition requires. False: it requires something else.
bool RequireAll(const Expression& condition, TableDefinition* table) {
  const std::vector<ExpressionPtr>& operands = condition.operands;
  switch (condition.kind) {
    case Expression::Kind::kAnd:
      return std::ranges::all_of(operands, [&](const ExpressionPtr& operand) { return RequireAll(*operand, table); });
    case Expression::Kind::kCompare:
      return condition.operation == "=" &&
             (Require(*operands[0], *operands[1], table) || Require(*operands[1], *operands[0], table));
    case Expression::Kind::kIn:
      return !condition.negated && operands.size() == 2 && Require(*operands[0], *operands[1], table);
    case Expression::Kind::kIsNull:
      return !condition.negated && FindColumn(*operands[0], *table) != nullptr;
    default:
      return false;
  }
}

// Marks the base's columns, and keeps their order.
void Inherit(TableDefinition* table) {
  int ordinal = 0;
  for (const size_t column : table->DeclaredOrder()) {
    table->columns[column].ordinal = ordinal++;
  }
  for (TableColumn& column : table->columns) {
    column.inherited = true;
  }
}

bool IsNamed(const TableColumn& column, const std::vector<SelectItem>& items, const TableDefinition& table) {
  return std::ranges::any_of(items,
                             [&](const SelectItem& item) { return FindColumn(*item.expression, table) == &column; });
}

// Removes the columns that the view does not name. The key stays whole.
Status KeepNamed(const std::vector<SelectItem>& items, TableDefinition* table) {
  const TableDefinition all = *table;
  std::erase_if(table->columns, [](const TableColumn& column) { return column.key_position < 0; });
  for (const TableColumn& column : std::span(all.columns).subspan(all.key_columns)) {
    if (IsNamed(column, items, all)) {
      table->columns.push_back(column);
      continue;
    }
    for (const std::shared_ptr<const Expression>& condition : table->conditions) {
      if (NamesColumn(*condition, column.name)) {
        return SqlError(1132, "XCL32",
                        "Cannot drop column that is referenced in a views where clause. columnName=" + column.name);
      }
    }
  }
  return Status::Ok();
}

}  // namespace

bool NamesColumn(const Expression& expression, std::string_view column) {
  return (expression.kind == Expression::Kind::kColumn && expression.name == column) ||
         std::ranges::any_of(expression.operands,
                             [&](const ExpressionPtr& operand) { return NamesColumn(*operand, column); });
}

Expected<TableDefinition> DefineSelectView(const TableDefinition& base, const CreateTable& view) {
  if (base.system) {
    return Status(Code::kUnsupported, "SQL: a view on " + ToString(base.name));
  }
  if (!view.properties.empty()) {
    return Status(Code::kUnsupported, "SQL: a view AS SELECT takes its properties from its table");
  }
  TableDefinition table = base;
  table.name = view.name;
  table.view = true;
  table.of_phoenix = false;
  table.base = base.name;
  table.next_numbers.clear();  // its own columns are cells by their names
  Inherit(&table);
  table.names_columns = view.as->items[0].expression->kind == Expression::Kind::kColumn;
  table.from_text =
      "FROM " + (base.name.schema.empty() ? "" : '"' + base.name.schema + "\".") + '"' + base.name.name + '"';
  if (view.as->where != nullptr) {
    const Expression& condition = *view.as->where;
    if (!IsOfRow(condition)) {
      return Status(Code::kUnsupported, "SQL: a view with subqueries, parameters or sequences: " + ToString(condition));
    }
    if (IsConstant(condition)) {
      return SqlError(1045, "43A02", "WHERE clause in VIEW should not evaluate to a constant.");
    }
    table.read_only = !RequireAll(condition, &table) || base.read_only;
    table.conditions.push_back(Clone(condition));
    table.from_text += " WHERE " + ToSql(condition);
  }
  KLIP_RETURN_IF_ERROR(table.names_columns ? KeepNamed(view.as->items, &table) : Status::Ok());
  KLIP_RETURN_IF_ERROR(AddViewColumns(view, &table));
  return table;
}

}  // namespace klip::sql
