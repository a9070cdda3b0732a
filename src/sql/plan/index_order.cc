#include "sql/plan/index_order.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "sql/plan/column_index.h"
#include "sql/plan/index_expression.h"

namespace klip::sql {
namespace {

// What a field of an index, a condition or a term of ORDER BY is about: a column that is a cell, or an expression. Empty: something else.
std::string SubjectText(const TableDefinition& table, const BoundExpression& expression) {
  if (expression.kind() != BoundExpression::Kind::kColumn) {
    return expression.identity();
  }
  const TableColumn& column = table.columns[expression.column()];
  return column.key_position < 0 ? column.cell_name() : std::string();
}

// A field whose function is not SQL's has none.
std::string SubjectText(const OwnIndexes& indexes, const IndexDescriptor& index, const IndexField& field) {
  if (field.expression.empty()) {
    return field.function == IndexFunction::kNone ? field.column : std::string();
  }
  const auto expression = MakeIndexExpression(field.expression, index.sql_table, indexes.table);
  return expression.ok() ? (*expression)->identity() : std::string();
}

// The subject of a condition that compares it with constants, so that NULL does not pass; empty: another condition.
std::string PlainSubject(const TableDefinition& table, const BoundExpression& condition) {
  const auto is_constant = [](const BoundPtr& operand) { return operand->constant() != nullptr; };
  const std::vector<BoundPtr>& operands = condition.operands();
  switch (condition.kind()) {
    case BoundExpression::Kind::kCompare:
      return is_constant(operands[1])   ? SubjectText(table, *operands[0])
             : is_constant(operands[0]) ? SubjectText(table, *operands[1])
                                        : std::string();
    case BoundExpression::Kind::kIn:
      return std::all_of(operands.begin() + 1, operands.end(), is_constant) ? SubjectText(table, *operands[0])
                                                                            : std::string();
    case BoundExpression::Kind::kIsNull:
      return condition.negated() ? SubjectText(table, *operands[0]) : std::string();
    default:
      return {};
  }
}

bool Contains(std::span<const std::string> all, const std::string& one) {
  return !one.empty() && std::ranges::find(all, one) != all.end();
}

// Whether the index, whose fields have these subjects, has this order; nullopt: no. True: read backwards. `asked`: what is not NULL.
std::optional<bool> IsReversed(const TableDefinition& table, const IndexDescriptor& index,
                               std::span<const std::string> subjects, std::span<const std::string> asked,
                               std::span<const SortTerm> order) {
  std::optional<bool> reversed;
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string type = IndexTypeOf(order[i].expression->type());
    if (i == subjects.size() || type.empty() || subjects[i].empty() ||
        subjects[i] != SubjectText(table, *order[i].expression)) {
      return std::nullopt;
    }
    const bool descending = index.fields[i].type == type + " desc";
    if (!descending && index.fields[i].type != type) {
      return std::nullopt;
    }
    const bool may_be_null = !Contains(asked, subjects[i]);
    if (may_be_null && order[i].nulls_last != order[i].descending) {
      return std::nullopt;  // in entries, NULL is the smallest value
    }
    if (may_be_null && type == "text" && i + 1 < order.size()) {
      return std::nullopt;  // an empty cell of an HBase client is NULL, too, but is not where missing ones are
    }
    const bool backwards = order[i].descending != descending;
    if (reversed.value_or(backwards) != backwards) {
      return std::nullopt;
    }
    reversed = backwards;
  }
  return reversed;
}

// Whether all conditions are on fields, and no row that meets them lacks an entry.
bool Tells(const IndexDescriptor& index, std::span<const std::string> subjects, std::span<const std::string> asked) {
  bool all = true;
  for (size_t i = 0; i < subjects.size(); ++i) {
    const IndexField& field = index.fields[i];
    all = all && (field.optional || !field.key_field.empty() || Contains(asked, subjects[i]));
  }
  return all && !asked.empty() &&
         std::ranges::all_of(asked, [&](const std::string& subject) { return Contains(subjects, subject); });
}

}  // namespace

std::string IndexInOrder(const TableDefinition& table, const OwnIndexes& indexes, std::span<const SortTerm> order,
                         std::span<const Conjunct> where, bool* reversed) {
  std::vector<std::string> asked;
  for (const Conjunct& conjunct : where) {
    asked.push_back(PlainSubject(table, *conjunct.condition));
  }
  const IndexDescriptor* best = nullptr;  // the one with the shortest entries
  for (const IndexInfo& info : indexes.all) {
    const IndexDescriptor& index = info.index;
    if (info.building || info.unusable || !index.where.empty() || !index.condition.empty() || index.skip_invalid) {
      continue;  // it is not used, or rows may be missing
    }
    std::vector<std::string> subjects;
    for (const IndexField& field : index.fields) {
      subjects.push_back(SubjectText(indexes, index, field));
    }
    const std::optional<bool> found = IsReversed(table, index, subjects, asked, order);
    if (found.has_value() && Tells(index, subjects, asked) &&
        (best == nullptr || index.fields.size() < best->fields.size())) {
      *reversed = *found;
      best = &index;
    }
  }
  return best == nullptr ? std::string() : best->name;
}

}  // namespace klip::sql
