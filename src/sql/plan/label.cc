#include "sql/plan/label.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/exec/operator.h"
#include "sql/types/codec.h"
#include "sql/types/functions.h"

namespace klip::sql {
namespace {

using Kind = Expression::Kind;

ExpressionPtr Literal(Value value) {
  auto literal = std::make_unique<Expression>();
  literal->value = std::move(value);
  return literal;
}

// ARRAY[1,2] for an array.
ExpressionPtr ConstantNode(const Value& value) {
  if (!value.is_array()) {
    return Literal(value);
  }
  auto array = std::make_unique<Expression>();
  array->kind = Kind::kArray;
  for (const Value& element : value.array()) {
    array->operands.push_back(Literal(element));
  }
  return array;
}

bool IsLiteral(const ExpressionPtr& expression) { return expression->kind == Kind::kLiteral; }
bool IsConstant(const ExpressionPtr& expression) {
  return IsLiteral(expression) ||
         (expression->kind == Kind::kArray && std::ranges::all_of(expression->operands, IsLiteral));
}
bool IsNullLiteral(const ExpressionPtr& expression) { return IsLiteral(expression) && expression->value.is_null(); }
bool IsBoolean(const ExpressionPtr& expression, bool value) {
  return IsLiteral(expression) && expression->value == Value::Boolean(value);
}

std::string_view Mirrored(std::string_view operation) {
  return operation == "<"    ? ">"
         : operation == "<=" ? ">="
         : operation == ">"  ? "<"
         : operation == ">=" ? "<="
                             : operation;
}

// The arguments that Phoenix adds to a call: those left out, by their defaults.
struct Defaults {
  std::string_view function;
  size_t arguments;
  Value value;
};

const Defaults* DefaultsOf(std::string_view function) {
  static const Defaults kAll[] = {{"UPPER", 2, {}},
                                  {"LOWER", 2, {}},
                                  {"TO_DATE", 3, {}},
                                  {"TO_TIME", 3, {}},
                                  {"TO_TIMESTAMP", 3, {}},
                                  {"REGEXP_REPLACE", 3, {}},
                                  {"ARRAY_TO_STRING", 3, {}},
                                  {"STRING_TO_ARRAY", 3, {}},
                                  {"LOG", 2, Value::Double(10)},
                                  {"LPAD", 3, Value::Text(" ")},
                                  {"REGEXP_SUBSTR", 3, Value::Integer(1)}};
  const auto* const found = std::ranges::find(kAll, function, &Defaults::function);
  return found == std::end(kAll) ? nullptr : found;
}

// Whether its value may be part of the label: not what differs from row to row, or with the time.
bool IsFoldable(const Expression& node) {
  return node.kind == Kind::kFunction
             ? node.over == nullptr && node.name != "RAND" && (!node.operands.empty() || node.name == "PI")
             : node.kind != Kind::kCast && node.kind != Kind::kCase && node.kind != Kind::kNextValue &&
                   node.kind != Kind::kArray && node.kind != Kind::kRow && node.kind != Kind::kIn &&
                   node.select == nullptr;
}

class Compiler {
 public:
  Compiler(const Scope& scope, bool join, const BoundNotes& notes) : scope_(scope), join_(join), notes_(notes) {}

  ExpressionPtr Compile(const Expression& written) const {
    ExpressionPtr node = Clone(written);
    for (size_t i = 0; i < node->operands.size(); ++i) {
      node->operands[i] = Compile(*written.operands[i]);
    }
    for (size_t i = 0; i < node->within.size(); ++i) {
      node->within[i].first = Compile(*written.within[i].first);
    }
    const BoundNote* const note = NoteOf(written);
    if (note != nullptr && note->constant.has_value() && IsFoldable(written) && written.kind != Kind::kParameter &&
        ((written.kind == Kind::kFunction && note->constant->is_null()) ||
         std::ranges::all_of(node->operands, IsConstant))) {
      return IsLiteral(node) ? std::move(node) : ConstantNode(*note->constant);
    }
    return Compiled(std::move(node), written);
  }

 private:
  const BoundNote* NoteOf(const Expression& written) const {
    const auto found = notes_.find(&written);
    return found == notes_.end() ? nullptr : &found->second;
  }
  DataType TypeOf(const Expression& written) const {
    if (const BoundNote* const note = NoteOf(written); note != nullptr) {
      return note->type;
    }
    const ScopeColumn* const column = written.kind == Kind::kColumn ? Find(written) : nullptr;
    return column == nullptr ? DataType() : column->type;  // it is in GROUP BY, where it was bound
  }

  ExpressionPtr Compiled(ExpressionPtr node, const Expression& written) const {
    switch (node->kind) {
      case Kind::kColumn:
        return Column(std::move(node));
      case Kind::kArithmetic:
        return std::ranges::any_of(node->operands, IsNullLiteral) ? Literal({}) : std::move(node);
      case Kind::kAnd:
      case Kind::kOr:
        return Logic(std::move(node));
      case Kind::kCompare:
        return node->operands[0]->kind == Kind::kRow
                   ? Rows(std::move(node))
                   : Compare(std::move(node), TypeOf(*written.operands[0]), TypeOf(*written.operands[1]));
      case Kind::kBetween:
        return Between(std::move(node), written);
      case Kind::kIn:
        return written.select == nullptr ? In(std::move(node), written) : std::move(node);
      case Kind::kLike:
        return Like(std::move(node), written);
      case Kind::kIsNull:
        return IsNull(std::move(node), *written.operands[0]);
      case Kind::kCase:
        return Case(std::move(node), written);
      case Kind::kCast:
        return Cast(std::move(node), written);
      case Kind::kFunction:
        return Function(std::move(node), written);
      default:
        return node;
    }
  }

  const ScopeColumn* Find(const Expression& column) const {
    const Expected<std::optional<size_t>> found = scope_.Find(column);
    return found.ok() && found->has_value() ? &scope_.columns[**found] : nullptr;
  }

  // Of one table with its family, unless that is the default one; of a join with its table.
  ExpressionPtr Column(ExpressionPtr node) const {
    const ScopeColumn* const column = Find(*node);
    if (column == nullptr) {
      return node;
    }
    node->schema.clear();
    node->qualifier = !join_ && column->family != "0" ? column->family : "";
    node->name = join_ && !column->alias.empty() ? column->alias + "." + column->name : column->name;
    const bool plain = QuotedName(column->name) == column->name && QuotedName(column->alias) == column->alias;
    if (join_ && !column->alias.empty() && plain) {
      node->qualifier = column->alias;
      node->name = column->name;
    }
    return node;
  }

  // Without the operands that do not matter.
  static ExpressionPtr Logic(ExpressionPtr node) {
    const bool decided = node->kind == Kind::kOr;
    const auto decides = [&](const ExpressionPtr& operand) { return IsBoolean(operand, decided); };
    if (std::ranges::any_of(node->operands, decides)) {
      return Literal(Value::Boolean(decided));
    }
    std::erase_if(node->operands, [&](const ExpressionPtr& operand) { return IsBoolean(operand, !decided); });
    if (node->operands.empty()) {
      return Literal(Value::Boolean(!decided));
    }
    return node->operands.size() == 1 ? std::move(node->operands[0]) : std::move(node);
  }

  // The constant is on the right, as a value of the other side's type.
  static ExpressionPtr Compare(ExpressionPtr node, DataType a, DataType b) {
    std::vector<ExpressionPtr>& sides = node->operands;
    if (std::ranges::any_of(sides, IsNullLiteral)) {
      return Literal({});
    }
    if (IsLiteral(sides[0]) && !IsLiteral(sides[1])) {
      std::swap(sides[0], sides[1]);
      std::swap(a, b);
      node->operation = Mirrored(node->operation);
    }
    if (!IsLiteral(sides[1])) {
      return node;
    }
    Value* const value = &sides[1]->value;
    if (IsWhole(a.type) && IsNumber(value->type())) {
      return CompareWhole(std::move(node), a);
    }
    const bool equality = node->operation == "=" || node->operation == "!=";
    const bool longer = IsText(a.type) && IsText(value->type()) && a.max_length > 0 && !Convert(*value, a).ok();
    if (longer && equality) {
      return Literal(Value::Boolean(node->operation != "="));
    }
    *value = AsOther(*value, a);
    return node;
  }

  // `value` as it is compared with a value of `type`.
  static Value AsOther(const Value& value, const DataType& type) {
    const bool real = type.type == Type::kDouble || type.type == Type::kFloat || type.type == Type::kUnsignedDouble ||
                      type.type == Type::kUnsignedFloat;
    const bool converts = (real && IsNumber(value.type())) || (IsBytes(type.type) && IsText(value.type())) ||
                          (IsTimestamp(type.type) && IsTime(value.type()));
    const Type to = real ? Type::kDouble : IsBytes(type.type) ? Type::kVarbinary : Type::kTimestamp;
    Expected<Value> converted = converts ? Convert(value, {.type = to}) : value;
    return converted.ok() ? *std::move(converted) : value;
  }

  // A fraction or a number that the type does not have decides an equality; else it is the next whole number.
  static ExpressionPtr CompareWhole(ExpressionPtr node, const DataType& type) {
    Value* const value = &node->operands[1]->value;
    const Expected<Value> number = Convert(*value, {.type = Type::kDecimal});
    if (!number.ok()) {
      return node;
    }
    const std::string& operation = node->operation;
    const Decimal exact = number->decimal();
    Decimal whole = Rescale(exact, 0, /*round=*/false);
    const bool fraction = whole != exact;
    const bool up = operation == "<" || operation == ">=";  // < 1.5 is < 2
    if (fraction && up == (exact > Decimal(0))) {
      whole = Decimal(whole.unscaled() + (up ? 1 : -1), 0);
    }
    const bool negative = type.type >= Type::kUnsignedTinyint && type.type <= Type::kUnsignedLong && whole < Decimal(0);
    const bool outside = !Convert(Value::Number(whole), {.type = type.type}).ok();
    if (operation == "=" || operation == "!=") {
      if (fraction || outside) {
        return Literal(Value::Boolean(operation == "!="));
      }
    } else if (negative) {
      return Literal(Value::Boolean(operation[0] == '>'));
    }
    *value = Value::Number(whole);
    return node;
  }

  static ExpressionPtr Comparison(std::string_view operation, ExpressionPtr a, ExpressionPtr b) {
    auto node = std::make_unique<Expression>();
    node->kind = Kind::kCompare;
    node->operation = operation;
    node->operands.push_back(std::move(a));
    node->operands.push_back(std::move(b));
    return node;
  }

  // (a, b) = (1, 2) is a = 1 AND b = 2.
  static ExpressionPtr Rows(ExpressionPtr node) {
    std::vector<ExpressionPtr>& left = node->operands[0]->operands;
    const ExpressionPtr& other = node->operands[1];
    if (node->operation != "=" || other->kind != Kind::kRow || other->operands.size() != left.size()) {
      return node;
    }
    auto all = std::make_unique<Expression>();
    all->kind = Kind::kAnd;
    for (size_t i = 0; i < left.size(); ++i) {
      all->operands.push_back(Compare(Comparison("=", std::move(left[i]), std::move(other->operands[i])), {}, {}));
    }
    return Logic(std::move(all));
  }

  static ExpressionPtr Not(ExpressionPtr operand) {
    auto node = std::make_unique<Expression>();
    node->kind = Kind::kNot;
    node->operands.push_back(std::move(operand));
    return node;
  }

  ExpressionPtr Between(ExpressionPtr node, const Expression& written) const {
    const auto side = [&](std::string_view operation, size_t i) {
      return Compare(Comparison(operation, Clone(*node->operands[0]), std::move(node->operands[i])),
                     TypeOf(*written.operands[0]), TypeOf(*written.operands[i]));
    };
    auto both = std::make_unique<Expression>();
    both->kind = Kind::kAnd;
    both->operands.push_back(side(">=", 1));
    both->operands.push_back(side("<=", 2));
    return node->negated ? Not(Logic(std::move(both))) : Logic(std::move(both));
  }

  // The list in order, each value once; one value is an equality.
  ExpressionPtr In(ExpressionPtr node, const Expression& written) const {
    std::vector<ExpressionPtr>& list = node->operands;
    if (!std::all_of(list.begin() + 1, list.end(), IsLiteral)) {
      return node;
    }
    const DataType type = TypeOf(*written.operands[0]);
    list.erase(std::remove_if(list.begin() + 1, list.end(), IsNullLiteral), list.end());
    const auto is_other = [&](const ExpressionPtr& value) {
      return CommonType(type, {.type = value->value.type()}).type == Type::kNull;
    };
    if (!std::all_of(list.begin() + 1, list.end(), is_other)) {
      list.erase(std::remove_if(list.begin() + 1, list.end(), is_other), list.end());
    }
    if (list.size() == 1) {
      return Literal(Value::Boolean(node->negated));
    }
    if (list.size() == 2) {
      const BoundNote* const note = NoteOf(written);
      if (IsLiteral(list[0]) && note != nullptr && note->constant.has_value()) {
        return Literal(*note->constant);
      }
      return Compare(Comparison(node->negated ? "!=" : "=", std::move(list[0]), std::move(list[1])), type, {});
    }
    for (size_t i = 1; i < list.size(); ++i) {
      list[i]->value = IsWhole(type.type) ? Normal(list[i]->value) : AsOther(list[i]->value, type);
    }
    const auto less = [](const ExpressionPtr& a, const ExpressionPtr& b) {
      return CompareValues(a->value, b->value) < 0;
    };
    const auto same = [](const ExpressionPtr& a, const ExpressionPtr& b) {
      return CompareValues(a->value, b->value) == 0;
    };
    std::sort(list.begin() + 1, list.end(), less);
    list.erase(std::unique(list.begin() + 1, list.end(), same), list.end());
    for (size_t i = 1; i < list.size(); ++i) {
      if (IsTime(list[i]->value.type())) {
        list[i]->value = Value::Text(list[i]->value.ToString());
      }
    }
    return node;
  }

  static Value Normal(const Value& value) {
    return value.type() == Type::kDecimal ? Value::Number(Normalized(value.decimal())) : value;
  }

  // A pattern without wildcards is an equality.
  ExpressionPtr Like(ExpressionPtr node, const Expression& written) const {
    const ExpressionPtr& pattern = node->operands[1];
    if (IsNullLiteral(pattern)) {
      return Literal({});
    }
    if (!IsLiteral(pattern) || !IsText(pattern->value.type()) || node->ignore_case) {
      return node;
    }
    std::string text;
    const std::string& characters = pattern->value.text();
    for (size_t i = 0; i < characters.size(); ++i) {
      if (characters[i] == '%' || characters[i] == '_') {
        return node;
      }
      i += characters[i] == '\\' && i + 1 < characters.size() ? 1 : 0;
      text += characters[i];
    }
    return Compare(Comparison(node->negated ? "!=" : "=", std::move(node->operands[0]), Literal(Value::Text(text))),
                   TypeOf(*written.operands[0]), {});
  }

  ExpressionPtr IsNull(ExpressionPtr node, const Expression& operand) const {
    const ScopeColumn* const column = operand.kind == Kind::kColumn ? Find(operand) : nullptr;
    return column != nullptr && !column->nullable ? Literal(Value::Boolean(node->negated)) : std::move(node);
  }

  static ExpressionPtr Converted(ExpressionPtr operand, Type type) {
    auto node = std::make_unique<Expression>();
    node->kind = Kind::kCast;
    node->type = {.type = type};
    node->operands.push_back(std::move(operand));
    return node;
  }

  ExpressionPtr Case(ExpressionPtr node, const Expression& written) const {
    const DataType type = TypeOf(written);
    for (size_t i = 0; i < node->operands.size(); ++i) {
      const bool value = i % 2 == 1 || i + 1 == node->operands.size();
      const Expression& operand = *written.operands[i];
      const bool known = NoteOf(operand) != nullptr || operand.kind == Kind::kColumn;
      if (value && known && TypeOf(operand).type != type.type && !type.array) {
        node->operands[i] = Converted(std::move(node->operands[i]), type.type);
      }
    }
    return node;
  }

  ExpressionPtr Cast(ExpressionPtr node, const Expression& written) const {
    const DataType from = TypeOf(*written.operands[0]);
    if (from.type == node->type.type && from.array == node->type.array) {
      return std::move(node->operands[0]);
    }
    if ((from.type == Type::kDecimal || IsTimestamp(from.type)) && IsWhole(node->type.type)) {
      auto round = std::make_unique<Expression>();
      round->kind = Kind::kFunction;
      round->name = "ROUND";
      round->operands.push_back(std::move(node->operands[0]));
      round->operands.push_back(Literal(Value::Integer(0)));
      node->operands[0] = std::move(round);
    }
    return node;
  }

  ExpressionPtr Function(ExpressionPtr node, const Expression& written) const {
    const std::string name = node->name;
    if (node->over != nullptr || node->operands.empty()) {
      return node;
    }
    node->operands.resize(MeaningfulArguments(name, node->operands.size(), [&](size_t i) {
      return IsNullLiteral(written.operands[i]) && written.operands[i]->type.type == Type::kNull;
    }));
    if (name == "ROUND" || name == "FLOOR" || name == "CEIL" || name == "TRUNC") {
      return Rounded(std::move(node), TypeOf(*written.operands[0]));
    }
    if (name == "TO_CHAR" || name == "TO_NUMBER") {
      node->operands.resize(1);
    } else if (const Defaults* const defaults = DefaultsOf(name); defaults != nullptr) {
      while (node->operands.size() < defaults->arguments) {
        node->operands.push_back(Literal(defaults->value));
      }
    }
    return node;
  }

  // Whole numbers are not rounded. The unit of a time does not show, but decides how it is computed.
  static ExpressionPtr Rounded(ExpressionPtr node, const DataType& type) {
    if (IsWhole(type.type)) {
      return std::move(node->operands[0]);
    }
    node->name = node->name == "TRUNC" ? "FLOOR" : node->name;
    if (!IsTime(type.type)) {
      node->operands.push_back(Literal(node->operands.size() == 1 ? Value() : Value::Integer(1)));
      if (node->operands.size() == 2) {
        node->operands.push_back(Literal(Value::Integer(1)));
      }
      return node;
    }
    const bool literal = node->operands.size() > 1 && IsLiteral(node->operands[1]) &&
                         !node->operands[1]->value.is_null() && IsText(node->operands[1]->value.type());
    std::string unit = literal ? node->operands[1]->value.text() : "";
    std::ranges::transform(unit, unit.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    if (unit == "week" || unit == "month" || unit == "year") {
      node->name = "ROUND";
    }
    node->operands.resize(1);
    if (IsTimestamp(type.type) && unit != "millisecond") {
      node->operands[0] = Converted(std::move(node->operands[0]), Type::kDate);
    }
    return node;
  }

  const Scope& scope_;
  bool join_;
  const BoundNotes& notes_;
};

}  // namespace

std::string CompiledLabel(const Expression& expression, const Scope& scope, bool join, const BoundNotes& notes) {
  return ToString(*Compiler(scope, join, notes).Compile(expression));
}

bool IsCaseSensitive(const Expression& expression, std::string_view alias) {
  const auto lower = [](std::string_view name) {
    return std::ranges::any_of(name, [](unsigned char c) { return std::islower(c) != 0; });
  };
  if (!alias.empty() || expression.kind == Kind::kColumn) {
    return lower(alias.empty() ? expression.name : alias);
  }
  return expression.operands.empty() ||
         (expression.operands.size() == 1 && IsCaseSensitive(*expression.operands[0], ""));
}

bool IsNullable(const Expression& expression, const Scope& scope) {
  switch (expression.kind) {
    case Kind::kLiteral:
      return expression.value.is_null();
    case Kind::kColumn: {
      const Expected<std::optional<size_t>> found = scope.Find(expression);
      return !found.ok() || !found->has_value() || scope.columns[**found].nullable;
    }
    case Kind::kIsNull:
    case Kind::kExists:
    case Kind::kNextValue:
      return false;
    case Kind::kParameter:
    case Kind::kSubquery:
      return true;
    case Kind::kFunction:
      if (IsAggregate(expression.name) || expression.over != nullptr) {
        return !expression.name.ends_with("COUNT") && expression.name != "APPROX_COUNT_DISTINCT";
      }
      break;
    case Kind::kCase:
      if (expression.operands.size() % 2 == 0) {
        return true;
      }
      break;
    default:
      break;
  }
  return expression.select != nullptr || std::ranges::any_of(expression.operands, [&](const ExpressionPtr& operand) {
           return IsNullable(*operand, scope);
         });
}

}  // namespace klip::sql
