// Comparisons, LIKE and IN.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "sql/exec/expression.h"

namespace klip::sql {
namespace {

// Sets the rows where neither side is NULL; order(row) compares the two values.
template <typename Order>
void ForBoth(const Vector& a, const Vector& b, std::span<const uint32_t> rows, Vector* out, Compare compare,
             const Order& order) {
  const auto loop = [&](auto holds) {
    for (const uint32_t row : rows) {
      if (!a.is_null(row) && !b.is_null(row)) {
        out->SetWhole(row, holds(order(row)) ? 1 : 0);
      }
    }
  };
  switch (compare) {  // outside the loop, so that each loop is one comparison
    case Compare::kEqual:
      return loop([](auto found) { return found == 0; });
    case Compare::kNotEqual:
      return loop([](auto found) { return found != 0; });
    case Compare::kLess:
      return loop([](auto found) { return found < 0; });
    case Compare::kLessOrEqual:
      return loop([](auto found) { return found <= 0; });
    case Compare::kGreater:
      return loop([](auto found) { return found > 0; });
    case Compare::kGreaterOrEqual:
      return loop([](auto found) { return found >= 0; });
  }
}

// Exact: its mantissa has 64 bits or more.
long double Wide(const Vector& number, uint32_t row) {
  return number.physical() == Physical::kReal ? static_cast<long double>(number.real(row))
                                              : static_cast<long double>(number.whole(row));
}

class Comparison final : public KeepingExpression {
 public:
  Comparison(Compare compare, BoundPtr a, BoundPtr b) : KeepingExpression(Kind::kCompare, {.type = Type::kBoolean}) {
    compare_ = compare;
    operands_.push_back(std::move(a));
    operands_.push_back(std::move(b));
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    KLIP_ASSIGN_OR_RETURN(const Vector* const b, operands_[1]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    if (a->physical() != b->physical()) {
      const auto is_number = [](const Vector& v) {
        return v.physical() == Physical::kReal || (v.physical() == Physical::kWhole && IsWhole(v.type().type));
      };
      if (is_number(*a) && is_number(*b)) {
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return Wide(*a, row) <=> Wide(*b, row); });
      } else {
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return CompareValues(a->At(row), b->At(row)); });
      }
      return &out_;
    }
    switch (a->physical()) {
      case Physical::kWhole:
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return a->whole(row) <=> b->whole(row); });
        break;
      case Physical::kReal:
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return a->real(row) <=> b->real(row); });
        break;
      case Physical::kDecimal:
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return a->decimal(row) <=> b->decimal(row); });
        break;
      case Physical::kText:
        ForBoth(*a, *b, rows, &out_, compare_, [&](uint32_t row) { return a->text(row) <=> b->text(row); });
        break;
      case Physical::kOther:
        ForBoth(*a, *b, rows, &out_, compare_,
                [&](uint32_t row) { return CompareValues(a->other(row), b->other(row)); });
    }
    return &out_;
  }

 private:
};

// A constant that is compared with a CHAR of this width: as values of CHAR are held, without padding. One that is longer
// than the CHAR equals none.
class Unpadded final : public KeepingExpression {
 public:
  Unpadded(BoundPtr constant, int width)
      : KeepingExpression(Kind::kOther, constant->type()), width_(static_cast<size_t>(width)) {
    operands_.push_back(std::move(constant));
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const constant, operands_[0]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    for (const uint32_t row : rows) {
      if (!constant->is_null(row)) {
        const std::string_view text = constant->text(row);
        out_.SetText(row, text.size() <= width_ ? HeldChar(text) : text);
      }
    }
    return &out_;
  }

 private:
  size_t width_;
};

// A pattern of LIKE: % any text, _ one character, \ takes the next one as it is.
class LikePattern {
 public:
  LikePattern(std::string_view pattern, bool ignore_case) : ignore_case_(ignore_case) {
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '%') {
        tokens_.push_back({kAny, 0});
      } else if (pattern[i] == '_') {
        tokens_.push_back({kOne, 0});
      } else {
        i += pattern[i] == '\\' && i + 1 < pattern.size() ? 1 : 0;
        tokens_.push_back({kByte, Fold(pattern[i])});
      }
    }
  }

  bool has_wildcard() const {
    return std::ranges::any_of(tokens_, [](const Token& token) { return token.kind != kByte; });
  }

  // Greedy with one point to resume at: after a mismatch the last % takes one byte more.
  bool Matches(std::string_view text) const {
    size_t at = 0;
    size_t token = 0;
    size_t resume_at = 0;
    size_t resume_token = 0;
    bool resumes = false;
    while (at < text.size()) {
      if (token < tokens_.size() && tokens_[token].kind == kAny) {
        resumes = true;
        resume_token = ++token;
        resume_at = at;
      } else if (token < tokens_.size() && tokens_[token].kind == kOne) {
        at = NextCharacter(text, at);
        ++token;
      } else if (token < tokens_.size() && tokens_[token].byte == Fold(text[at])) {
        ++at;
        ++token;
      } else if (resumes) {
        at = resume_at = NextCharacter(text, resume_at);
        token = resume_token;
      } else {
        return false;
      }
    }
    while (token < tokens_.size() && tokens_[token].kind == kAny) {
      ++token;
    }
    return token == tokens_.size();
  }

 private:
  enum Kind : uint8_t { kByte, kOne, kAny };
  struct Token {
    Kind kind;
    char byte;
  };

  char Fold(char c) const { return ignore_case_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  static size_t NextCharacter(std::string_view text, size_t at) {
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    return at;
  }

  bool ignore_case_;
  std::vector<Token> tokens_;
};

// As in Phoenix, a pattern with wildcards is compared with a CHAR's padded value, and one without them is an equality.
class Like final : public KeepingExpression {
 public:
  Like(BoundPtr a, BoundPtr pattern, bool ignore_case, bool negated)
      : KeepingExpression(Kind::kLike, {.type = Type::kBoolean}) {
    ignore_case_ = ignore_case;
    operands_.push_back(std::move(a));
    operands_.push_back(std::move(pattern));
    negated_ = negated;
    const DataType& of = operands_[0]->type();
    padded_bytes_ = of.type == Type::kChar ? static_cast<size_t>(of.max_length) : 0;
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    KLIP_ASSIGN_OR_RETURN(const Vector* const patterns, operands_[1]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    for (const uint32_t row : rows) {
      if (a->is_null(row) || patterns->is_null(row)) {
        continue;
      }
      if (patterns->text(row) != text_ || !pattern_.has_value()) {
        text_ = patterns->text(row);
        pattern_.emplace(text_, ignore_case_);
        if (text_.size() <= padded_bytes_ && !pattern_->has_wildcard()) {
          pattern_.emplace(HeldChar(text_), ignore_case_);
        }
      }
      std::string_view text = a->text(row);
      if (text.size() < padded_bytes_ && pattern_->has_wildcard()) {
        text = padded_.assign(text).append(padded_bytes_ - text.size(), ' ');
      }
      out_.SetWhole(row, pattern_->Matches(text) != negated_ ? 1 : 0);
    }
    return &out_;
  }

 private:
  size_t padded_bytes_ = 0;  // of a CHAR
  std::string padded_;
  std::string text_;  // of pattern_
  std::optional<LikePattern> pattern_;
};

class In final : public KeepingExpression {
 public:
  In(BoundPtr a, std::vector<BoundPtr> list, bool negated) : KeepingExpression(Kind::kIn, {.type = Type::kBoolean}) {
    operands_.push_back(std::move(a));
    for (BoundPtr& value : list) {
      settled_ = settled_ && dynamic_cast<const Constant*>(value.get()) != nullptr;
      operands_.push_back(std::move(value));
    }
    negated_ = negated;
  }

  // a IN (b, NULL) is true or NULL, never false.
  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    if (list_.empty() || !settled_) {
      KLIP_RETURN_IF_ERROR(SortList());
    }
    for (const uint32_t row : rows) {
      if (a->is_null(row)) {
        continue;
      }
      const Value value = a->At(row);
      const bool found = std::binary_search(list_.begin(), list_.end(), &value, Less);
      if (found || !has_null_) {
        out_.SetWhole(row, found != negated_ ? 1 : 0);
      }
    }
    return &out_;
  }

 private:
  static bool Less(const Value* x, const Value* y) { return CompareValues(*x, *y) < 0; }

  // Errors: those of a value that cannot be computed.
  Status SortList() {
    list_.clear();
    has_null_ = false;
    const Batch one = {.rows = 1};
    for (size_t i = 1; i < operands_.size(); ++i) {
      const Value* const value = operands_[i]->constant();
      if (value == nullptr) {
        KLIP_RETURN_IF_ERROR(operands_[i]->Evaluate(one, AllRows(1)).status());
        return {Code::kUnsupported, "SQL: IN with a list that differs from row to row"};
      }
      has_null_ |= value->is_null();
      if (!value->is_null()) {
        list_.push_back(value);
      }
    }
    std::sort(list_.begin(), list_.end(), Less);
    return Status::Ok();
  }

  bool settled_ = true;  // all literals: sorted once
  std::vector<const Value*> list_;
  bool has_null_ = false;
};

class AnyElement final : public KeepingExpression {
 public:
  AnyElement(Compare compare, BoundPtr a, BoundPtr array, bool all)
      : KeepingExpression(Kind::kOther, {.type = Type::kBoolean}), all_(all) {
    compare_ = compare;
    operands_.push_back(std::move(a));
    operands_.push_back(std::move(array));
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    KLIP_ASSIGN_OR_RETURN(const Vector* const arrays, operands_[1]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    for (const uint32_t row : rows) {
      if (a->is_null(row) || arrays->is_null(row)) {
        continue;
      }
      const Value value = a->At(row);
      const Value::Array& array = arrays->other(row).array();
      const bool decided = std::any_of(array.begin(), array.end(), [&](const Value& element) {
        return !element.is_null() && Holds(compare_, CompareValues(value, element)) != all_;
      });
      const bool unknown =
          std::any_of(array.begin(), array.end(), [](const Value& element) { return element.is_null(); });
      if (decided || !unknown) {
        out_.SetWhole(row, decided != all_ ? 1 : 0);
      }
    }
    return &out_;
  }

 private:
  bool all_;
};

// If one is a constant, and the other a CHAR.
void Unpad(BoundPtr* constant, BoundExpression& other) {
  const DataType& of = other.type();
  if (of.type == Type::kChar && !of.array && of.max_length > 0 && other.constant() == nullptr &&
      (*constant)->constant() != nullptr && IsText((*constant)->type().type) && !(*constant)->type().array) {
    *constant = std::make_unique<Unpadded>(std::move(*constant), of.max_length);
  }
}

// Whether it has whole numbers that a DOUBLE does not.
bool MayRound(BoundExpression& side) {
  constexpr int64_t kMostExact = int64_t{1} << 53;
  if (!IsWhole(side.type().type) || side.type().array) {
    return false;
  }
  const Value* const literal = side.is_literal() ? side.constant() : nullptr;
  return literal == nullptr ||
         (!literal->is_null() && (literal->integer() > kMostExact || literal->integer() < -kMostExact));
}

// The type in which values of these types are compared; kNull: none, or both are NULL.
DataType TypeOfComparison(const DataType& a, const DataType& b) {
  const bool mixes_bytes = (IsWhole(a.type) && b.type == Type::kBinary) || (a.type == Type::kBinary && IsWhole(b.type));
  return mixes_bytes ? DataType() : CommonType(a, b);
}

Status NotComparable(const DataType& a, const DataType& b) {
  const bool text_and_time = (IsText(a.type) && IsTime(b.type)) || (IsTime(a.type) && IsText(b.type));
  return SqlError(203, "22005",
                  "Type mismatch. " + ToString(a) + " and " + ToString(b) +
                      (text_and_time ? "; write a time as DATE '2026-01-31' or TO_DATE('...', 'yyyy-MM-dd')" : ""));
}

// Both operands as the type that they are compared in.
Status Align(BoundPtr* a, BoundPtr* b) {
  const DataType of_a = (*a)->type();
  const DataType of_b = (*b)->type();
  const DataType common = TypeOfComparison(of_a, of_b);
  if (common.type == Type::kNull) {
    return of_a.type == Type::kNull && of_b.type == Type::kNull ? Status::Ok() : NotComparable(of_a, of_b);
  }
  const bool with_literal = (*a)->is_literal() || (*b)->is_literal();
  const auto compares_as_it_is = [&](BoundExpression& side) {
    const DataType& type = side.type();
    // The keys of a join need one type, and so do outer columns, which are parameters.
    if (with_literal && PhysicalOf(common) == Physical::kReal && MayRound(side)) {
      return true;
    }
    // Whole numbers compare as they are held, and text and bytes as they are.
    return type.type != Type::kNull && !type.array &&
           ((IsWhole(type.type) && IsWhole(common.type)) || IsText(type.type) || IsBytes(type.type) ||
            PhysicalOf(type) == PhysicalOf(common));
  };
  for (BoundPtr* const side : {a, b}) {
    if (!(*side)->TakeType(common, /*compared=*/true) && !compares_as_it_is(**side)) {
      KLIP_ASSIGN_OR_RETURN(*side, MakeConvert(std::move(*side), common));
    }
  }
  Unpad(a, **b);
  Unpad(b, **a);
  return Status::Ok();
}

// The greatest whole number that is not above the constant's, if the constant is a number of another type; nullopt: none.
std::optional<int64_t> FloorOf(BoundExpression& constant) {
  const auto* const literal = dynamic_cast<const Constant*>(&constant);
  if (literal == nullptr || !IsNumber(constant.type().type) || IsWhole(constant.type().type) || constant.type().array ||
      constant.constant()->is_null()) {
    return std::nullopt;
  }
  const Value& value = *constant.constant();
  if (value.type() != Type::kDecimal) {
    const double floor = std::floor(value.real());
    return floor >= -0x1p63 && floor < 0x1p63 ? std::optional(static_cast<int64_t>(floor)) : std::nullopt;
  }
  const Decimal& decimal = value.decimal();
  if (decimal <= Decimal(std::numeric_limits<int64_t>::min()) ||
      decimal >= Decimal(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  const Decimal cut = decimal.scale() > 0 ? Rescale(decimal, 0, /*round=*/false) : decimal;
  const auto whole = static_cast<int64_t>(Rescale(cut, 0, /*round=*/false).unscaled());
  return decimal < cut ? whole - 1 : whole;
}

bool IsWholeNumber(BoundExpression& expression) {
  return IsWhole(expression.type().type) && !expression.type().array && expression.constant() == nullptr;
}

bool Equals(const Value& number, int64_t whole) { return CompareValues(number, Value(Type::kBigint, whole)) == 0; }

// Compares a whole number with a whole number, so that key ranges and filters can serve the comparison: n > 2.5 is n >= 3, and n < 2.5
// is n <= 2. n = 2.5 stays.
void CompareWhole(Compare* compare, BoundPtr* number, BoundPtr* constant) {
  std::optional<int64_t> floor = IsWholeNumber(**number) ? FloorOf(**constant) : std::nullopt;
  if (!floor.has_value()) {
    return;
  }
  if (!Equals(*(*constant)->constant(), *floor)) {
    switch (*compare) {
      case Compare::kLess:
      case Compare::kLessOrEqual:
        *compare = Compare::kLessOrEqual;
        break;
      case Compare::kGreater:
      case Compare::kGreaterOrEqual:
        *compare = Compare::kGreaterOrEqual;
        ++*floor;
        break;
      default:
        return;
    }
  }
  *constant = MakeConstant(Value(Type::kBigint, *floor));
}

// As in Phoenix, a FLOAT is compared with the FLOAT that is nearest to a literal: 0.1 equals what is stored of 0.1.
void RoundToFloat(BoundExpression& number, BoundPtr* literal) {
  const DataType& type = number.type();
  const bool real = (type.type == Type::kFloat || type.type == Type::kUnsignedFloat) && !type.array;
  const Value* const value =
      dynamic_cast<const Constant*>(literal->get()) == nullptr ? nullptr : (*literal)->constant();
  if (!real || number.constant() != nullptr || value == nullptr || value->is_null() || value->is_array() ||
      !IsNumber(value->type()) || IsWhole(value->type())) {
    return;
  }
  if (Expected<Value> rounded = Convert(*value, {.type = Type::kFloat}); rounded.ok()) {
    *literal = MakeConstant(*std::move(rounded));
  }
}

// The same for IN. A fraction equals no whole number; the last value stays, whatever it is.
void ListWhole(BoundExpression& number, std::vector<BoundPtr>* list) {
  for (size_t i = IsWholeNumber(number) ? list->size() : 0; i-- > 0;) {
    BoundPtr& value = (*list)[i];
    const std::optional<int64_t> floor = FloorOf(*value);
    if (floor.has_value() && Equals(*value->constant(), *floor)) {
      value = MakeConstant(Value(Type::kBigint, *floor));
    } else if (floor.has_value() && list->size() > 1) {
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

// As in Phoenix, values that cannot be compared do not count, unless all are such: then IN is refused.
void DropOthers(const DataType& type, std::vector<BoundPtr>* list) {
  const auto is_null = [](const DataType& of) { return of.type == Type::kNull && !of.array; };
  const auto is_other = [&](const BoundPtr& value) {
    return !is_null(type) && !is_null(value->type()) && TypeOfComparison(type, value->type()).type == Type::kNull;
  };
  if (!std::ranges::all_of(*list, is_other)) {
    std::erase_if(*list, is_other);
  }
}

}  // namespace

bool Holds(Compare compare, std::weak_ordering order) {
  switch (compare) {
    case Compare::kEqual:
      return order == 0;
    case Compare::kNotEqual:
      return order != 0;
    case Compare::kLess:
      return order < 0;
    case Compare::kLessOrEqual:
      return order <= 0;
    case Compare::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Expected<BoundPtr> MakeCompare(Compare compare, BoundPtr a, BoundPtr b) {
  CompareWhole(&compare, &a, &b);
  compare = Mirrored(compare);
  CompareWhole(&compare, &b, &a);
  compare = Mirrored(compare);
  RoundToFloat(*a, &b);
  RoundToFloat(*b, &a);
  KLIP_RETURN_IF_ERROR(Align(&a, &b));
  return BoundPtr(std::make_unique<Comparison>(compare, std::move(a), std::move(b)));
}

Expected<BoundPtr> MakeAnyElement(Compare compare, BoundPtr a, BoundPtr array, bool all) {
  DataType of_array = a->type().type == Type::kNull ? DataType{.type = Type::kVarchar} : a->type();
  of_array.array = true;
  if (!a->type().array) {
    (void)array->TakeType(of_array, /*compared=*/true);
  }
  DataType element = array->type();
  element.array = false;
  (void)a->TakeType(element, /*compared=*/true);
  DataType common = TypeOfComparison(a->type(), element);
  if (!array->type().array || a->type().array ||
      (common.type == Type::kNull && (a->type().type != Type::kNull || element.type != Type::kNull))) {
    return NotComparable(a->type(), array->type());
  }
  if (IsBytes(
          common.type)) {  // others become their bytes; numbers, times and texts compare with their like as they are
    common = {.type = Type::kVarbinary};
    KLIP_ASSIGN_OR_RETURN(a, MakeConvert(std::move(a), common));
    common.array = true;
    KLIP_ASSIGN_OR_RETURN(array, MakeConvert(std::move(array), common));
  }
  return BoundPtr(std::make_unique<AnyElement>(compare, std::move(a), std::move(array), all));
}

Expected<BoundPtr> MakeLike(BoundPtr a, BoundPtr pattern, bool ignore_case, bool negated) {
  for (BoundPtr* const side : {&a, &pattern}) {
    const DataType& type = (*side)->type();
    if (type.array || (type.type != Type::kNull && !IsText(type.type))) {
      return SqlError(203, "22005", "Type mismatch. " + ToString(type) + " and VARCHAR for LIKE");
    }
    if (type.type == Type::kNull) {
      KLIP_ASSIGN_OR_RETURN(*side, MakeConvert(std::move(*side), {.type = Type::kVarchar}));
    }
  }
  return BoundPtr(std::make_unique<Like>(std::move(a), std::move(pattern), ignore_case, negated));
}

Expected<BoundPtr> MakeIn(BoundPtr a, std::vector<BoundPtr> list, bool negated) {
  for (const BoundPtr& value : list) {
    (void)a->TakeType(value->type(), /*compared=*/true);
  }
  DropOthers(a->type(), &list);
  ListWhole(*a, &list);
  for (BoundPtr& value : list) {
    RoundToFloat(*a, &value);
  }
  DataType aligned;
  do {  // again for the values before one that changed the type of `a`
    aligned = a->type();
    for (BoundPtr& value : list) {
      KLIP_RETURN_IF_ERROR(Align(&a, &value));
    }
  } while (a->type() != aligned);
  return BoundPtr(std::make_unique<In>(std::move(a), std::move(list), negated));
}

}  // namespace klip::sql
