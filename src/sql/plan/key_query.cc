#include "sql/plan/key_query.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr size_t kMostAlternatives = 1024;

class Asker {
 public:
  Asker(const TableDefinition& table, const std::function<int(size_t)>& key_position)
      : table_(table), key_position_(key_position) {}

  std::optional<KeyQuery> Ask(BoundExpression& condition) const {
    switch (condition.kind()) {
      case BoundExpression::Kind::kAnd:
        return AskAll(condition.operands());
      case BoundExpression::Kind::kOr:
        return AskAny(condition);
      case BoundExpression::Kind::kCompare:
        return AskCompare(condition);
      case BoundExpression::Kind::kIn:
        return AskIn(condition);
      case BoundExpression::Kind::kLike:
        return AskLike(condition);
      default:
        return std::nullopt;
    }
  }

 private:
  // Half by half, so that a long list is not copied for each other condition. REQUIRES: there are operands.
  std::optional<KeyQuery> AskAll(std::span<const BoundPtr> operands) const {
    if (operands.size() == 1) {
      return Ask(*operands[0]);
    }
    const size_t half = operands.size() / 2;
    std::optional<KeyQuery> first = AskAll(operands.first(half));
    std::optional<KeyQuery> second = AskAll(operands.subspan(half));
    if (!first.has_value() || !second.has_value()) {
      return first.has_value() ? std::move(first) : std::move(second);
    }
    // What is left out is evaluated for each row.
    return first->any_of.size() * second->any_of.size() > kMostAlternatives ? std::move(first)
                                                                            : Product(*first, *second);
  }

  // Of two conditions on one field, keeps the first; joins the low and high ends of a range.
  static KeyQuery Product(const KeyQuery& a, const KeyQuery& b) {
    KeyQuery out;
    for (const KeyBox& x : a.any_of) {
      for (const KeyBox& y : b.any_of) {
        KeyBox box = x;
        for (const auto& [field, match] : y.fields) {
          const auto known = std::find_if(box.fields.begin(), box.fields.end(),
                                          [&name = field](const auto& other) { return other.first == name; });
          if (known == box.fields.end()) {
            box.fields.emplace_back(field, match);
          } else if (auto* const range = std::get_if<Between>(&known->second); range != nullptr) {
            if (const auto* const other = std::get_if<Between>(&match); other != nullptr) {
              Narrow(*other, range);
            } else {
              known->second = match;
            }
          }
        }
        out.any_of.push_back(std::move(box));
      }
    }
    return out;
  }

  static void Narrow(const Between& other, Between* range) {
    if (!range->low.has_value()) {
      range->low = other.low;
      range->include_low = other.include_low;
    }
    if (!range->high.has_value()) {
      range->high = other.high;
      range->include_high = other.include_high;
    }
  }

  std::optional<KeyQuery> AskAny(BoundExpression& condition) const {
    KeyQuery any;
    for (const BoundPtr& operand : condition.operands()) {
      std::optional<KeyQuery> one = Ask(*operand);
      if (!one.has_value() || any.any_of.size() + one->any_of.size() > kMostAlternatives) {
        return std::nullopt;
      }
      std::move(one->any_of.begin(), one->any_of.end(), std::back_inserter(any.any_of));
    }
    return any;
  }

  const TableColumn* KeyColumnOf(const BoundExpression& expression) const {
    if (expression.kind() != BoundExpression::Kind::kColumn) {
      return nullptr;
    }
    const int position = key_position_(expression.column());
    return position < 0 ? nullptr : &table_.key(static_cast<size_t>(position));
  }

  const KeyField& FieldOf(const TableColumn& column) const {
    return table_.schema->fields()[static_cast<size_t>(column.schema_field)];
  }

  KeyQuery Only(const TableColumn& column, FieldMatch match) const {
    return {.any_of = {{.fields = {{FieldOf(column).name, std::move(match)}}}}};
  }

  // The text for the value, if the field can represent it.
  static std::optional<std::string> TextOf(const TableColumn& column, const Value* value) {
    if (value == nullptr || value->is_null() || IsBytes(column.type.type)) {
      return std::nullopt;
    }
    const Expected<Value> converted = Convert(*value, column.type);
    if (!converted.ok() || converted->is_null() ||
        (CommonType({.type = value->type()}, column.type).type != Type::kNull &&
         CompareValues(*converted, *value) != 0)) {
      return std::nullopt;
    }
    Expected<std::string> text = SchemaText(column, *value);
    return text.ok() ? std::optional(*std::move(text)) : std::nullopt;
  }

  std::optional<KeyQuery> AskCompare(BoundExpression& condition) const {
    BoundExpression* a = condition.operands()[0].get();
    BoundExpression* b = condition.operands()[1].get();
    Compare compare = condition.compare();
    if (a->constant() != nullptr) {
      std::swap(a, b);
      compare = Mirrored(compare);
    }
    const TableColumn* const column = KeyColumnOf(*a);
    std::optional<std::string> text = column == nullptr ? std::nullopt : TextOf(*column, b->constant());
    if (!text.has_value() || compare == Compare::kNotEqual) {
      return std::nullopt;
    }
    if (compare == Compare::kEqual) {
      return Only(*column, Exact{*std::move(text)});
    }
    if (FieldOf(*column).type == KeyFieldType::kText || FieldOf(*column).type == KeyFieldType::kHash) {
      return std::nullopt;
    }
    Between range;
    const bool low = compare == Compare::kGreater || compare == Compare::kGreaterOrEqual;
    (low ? range.low : range.high) = std::move(text);
    range.include_low = compare != Compare::kGreater;
    range.include_high = compare != Compare::kLess;
    return Only(*column, std::move(range));
  }

  std::optional<KeyQuery> AskIn(BoundExpression& condition) const {
    const TableColumn* const column = KeyColumnOf(*condition.operands()[0]);
    if (column == nullptr || condition.negated()) {
      return std::nullopt;
    }
    OneOf values;
    for (size_t i = 1; i < condition.operands().size(); ++i) {
      std::optional<std::string> text = TextOf(*column, condition.operands()[i]->constant());
      if (!text.has_value()) {
        return std::nullopt;
      }
      values.values.push_back(*std::move(text));
    }
    return Only(*column, std::move(values));
  }

  std::optional<KeyQuery> AskLike(BoundExpression& condition) const {
    const TableColumn* const column = KeyColumnOf(*condition.operands()[0]);
    const Value* const pattern = condition.operands()[1]->constant();
    if (column == nullptr || pattern == nullptr || pattern->is_null() || condition.negated() ||
        condition.ignore_case() || !IsText(column->type.type)) {
      return std::nullopt;
    }
    std::string prefix = pattern->text().substr(0, pattern->text().find_first_of("%_\\"));
    return prefix.empty() ? std::nullopt : std::optional(Only(*column, StartsWith{std::move(prefix)}));
  }

  const TableDefinition& table_;
  const std::function<int(size_t)>& key_position_;
};

}  // namespace

std::optional<KeyQuery> KeyQueryOf(BoundExpression& condition, const TableDefinition& table,
                                   const std::function<int(size_t)>& key_position) {
  return Asker(table, key_position).Ask(condition);
}

}  // namespace klip::sql
