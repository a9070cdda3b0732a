#include "sql/plan/index_order.h"

#include <algorithm>
#include <optional>

#include "sql/catalog/column_index.h"

namespace klip::sql {
namespace {

// Whether the condition compares one column with constants, so NULL does not pass.
bool IsPlain(BoundExpression& condition) {
  const auto is_constant = [](const BoundPtr& operand) { return operand->constant() != nullptr; };
  const std::vector<BoundPtr>& operands = condition.operands();
  switch (condition.kind()) {
    case BoundExpression::Kind::kCompare:
      return (operands[0]->kind() == BoundExpression::Kind::kColumn && is_constant(operands[1])) ||
             (operands[1]->kind() == BoundExpression::Kind::kColumn && is_constant(operands[0]));
    case BoundExpression::Kind::kIn:
      return operands[0]->kind() == BoundExpression::Kind::kColumn &&
             std::all_of(operands.begin() + 1, operands.end(), is_constant);
    case BoundExpression::Kind::kIsNull:
      return condition.negated() && operands[0]->kind() == BoundExpression::Kind::kColumn;
    default:
      return false;
  }
}

// Whether the index has this order; nullopt: no. True: read backwards.
std::optional<bool> IsReversed(const TableDefinition& table, const IndexDescriptor& index,
                               std::span<const SortTerm> order) {
  std::optional<bool> reversed;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == index.fields.size() || order[i].expression->kind() != BoundExpression::Kind::kColumn) {
      return std::nullopt;
    }
    const TableColumn& column = table.columns[order[i].expression->column()];
    const std::string type = IndexTypeOf(column.type);
    const bool descending = index.fields[i].type == type + " desc";
    if (index.fields[i].function != IndexFunction::kNone || column.key_position >= 0 || type.empty() ||
        index.fields[i].column != column.cell_name() || (!descending && index.fields[i].type != type)) {
      return std::nullopt;
    }
    const bool backwards = order[i].descending != descending;
    if (reversed.value_or(backwards) != backwards) {
      return std::nullopt;
    }
    reversed = backwards;
  }
  return reversed;
}

bool Tells(const TableDefinition& table, const IndexDescriptor& index, std::span<const Conjunct> where) {
  std::vector<std::string> asked;
  for (const Conjunct& conjunct : where) {
    if (!IsPlain(*conjunct.condition)) {
      return false;
    }
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (conjunct.columns[i]) {
        asked.push_back(table.columns[i].cell_name());
      }
    }
  }
  const auto is_field = [&](const std::string& column) {
    return std::ranges::find(index.fields, column, &IndexField::column) != index.fields.end();
  };
  const auto is_asked = [&](const IndexField& field) {
    return field.key_field.empty() && std::ranges::find(asked, field.column) != asked.end();
  };
  return std::ranges::all_of(asked, is_field) && std::ranges::all_of(index.fields, is_asked);
}

}  // namespace

std::string IndexInOrder(const TableDefinition& table, const std::vector<IndexInfo>& indexes,
                         std::span<const SortTerm> order, std::span<const Conjunct> where, bool* reversed) {
  for (const IndexInfo& info : indexes) {
    const std::optional<bool> found = IsReversed(table, info.index, order);
    const bool has_all = !info.building && info.index.where.empty() && !info.index.skip_invalid;
    if (found.has_value() && has_all && !info.kept_by_clients && Tells(table, info.index, where)) {
      *reversed = *found;
      return info.index.name;
    }
  }
  return {};
}

}  // namespace klip::sql
