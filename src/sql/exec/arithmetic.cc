// + - * / % and ||, with Phoenix's result types: DECIMAL before DOUBLE before BIGINT; days for dates.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "sql/exec/expression.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

constexpr int64_t kDayMs = 86'400'000;

Status NumberOverflow() { return SqlError(206, "22003", "The data exceeds the max capacity for the data type."); }

// False: it overflows.
bool WholeResult(char operation, int64_t a, int64_t b, int64_t* out) {
  switch (operation) {
    case '+':
      return !__builtin_add_overflow(a, b, out);
    case '-':
      return !__builtin_sub_overflow(a, b, out);
    case '*':
      return !__builtin_mul_overflow(a, b, out);
    case '/':
      *out = b == -1 ? -a : a / b;
      return b != -1 || a != std::numeric_limits<int64_t>::min();
    default:
      *out = b == -1 ? 0 : a % b;
      return true;
  }
}

double RealResult(char operation, double a, double b) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

Expected<Decimal> DecimalResult(char operation, const Decimal& a, const Decimal& b) {
  switch (operation) {
    case '+':
      return Add(a, b);
    case '-':
      return Subtract(a, b);
    case '*':
      return Multiply(a, b);
    case '/':
      return Divide(a, b);
    default: {  // a - b * trunc(a / b)
      KLIP_ASSIGN_OR_RETURN(const Decimal quotient, Divide(a, b));
      KLIP_ASSIGN_OR_RETURN(const Decimal whole, Multiply(b, Rescale(quotient, 0, /*round=*/false)));
      return Subtract(a, whole);
    }
  }
}

class Arithmetic final : public KeepingExpression {
 public:
  // Operands have `type`; or one is a time and the other a number of days (or a time, for a difference in days).
  Arithmetic(char operation, BoundPtr a, BoundPtr b, const DataType& type)
      : KeepingExpression(Kind::kOther, type), operation_(operation) {
    operands_.push_back(std::move(a));
    operands_.push_back(std::move(b));
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    KLIP_ASSIGN_OR_RETURN(const Vector* const b, operands_[1]->Evaluate(batch, rows));
    out_.Reset(type_, batch.rows);
    for (const uint32_t row : rows) {
      if (!a->is_null(row) && !b->is_null(row)) {
        KLIP_RETURN_IF_ERROR(One(*a, *b, row));
      }
    }
    return &out_;
  }

 private:
  Status One(const Vector& a, const Vector& b, uint32_t row) {
    if (out_.physical() == Physical::kReal) {
      out_.SetReal(row, RealResult(operation_, a.real(row), b.real(row)));
      return Status::Ok();
    }
    if (out_.physical() == Physical::kDecimal && a.physical() == Physical::kDecimal) {
      KLIP_ASSIGN_OR_RETURN(const Decimal result, DecimalResult(operation_, a.decimal(row), b.decimal(row)));
      out_.SetDecimal(row, Normalized(result));
      return Status::Ok();
    }
    if (IsTime(a.type().type) || IsTime(b.type().type)) {
      return OneTime(a, b, row);
    }
    if (b.whole(row) == 0 && (operation_ == '/' || operation_ == '%')) {
      return SqlError(212, "22012", "Arithmetic error on server. Divide by zero.");
    }
    int64_t result = 0;
    if (!WholeResult(operation_, a.whole(row), b.whole(row), &result)) {
      return NumberOverflow();
    }
    out_.SetWhole(row, result);
    return Status::Ok();
  }

  // A time, or a number of days, in milliseconds.
  static Expected<int64_t> Milliseconds(const Vector& side, uint32_t row) {
    if (IsTimestamp(side.type().type)) {
      return side.other(row).timestamp().ms;
    }
    if (IsTime(side.type().type)) {
      return side.whole(row);
    }
    KLIP_ASSIGN_OR_RETURN(const __int128 days, Days(side, row, kDayMs));
    return static_cast<int64_t>(days);
  }

  // A number of days in parts, of which a day has so many; fractions are cut. Errors: beyond 64 bits of milliseconds.
  static Expected<__int128> Days(const Vector& side, uint32_t row, int64_t parts) {
    const Expected<Decimal> days = side.physical() == Physical::kWhole  ? Decimal(side.whole(row))
                                   : side.physical() == Physical::kReal ? ToDecimal(side.real(row))
                                                                        : side.decimal(row);
    const Decimal most(std::numeric_limits<int64_t>::max() / kDayMs);
    if (!days.ok() || *days > most || *days < Decimal(-most.unscaled(), 0)) {
      return NumberOverflow();
    }
    KLIP_ASSIGN_OR_RETURN(const Decimal product, Multiply(*days, Decimal(parts)));
    return Rescale(product, 0, /*round=*/false).unscaled();
  }

  // The same in nanoseconds.
  static Expected<__int128> Nanoseconds(const Vector& side, uint32_t row) {
    constexpr __int128 kMillisecond = 1'000'000;
    if (IsTimestamp(side.type().type)) {
      const Value::Timestamp time = side.other(row).timestamp();
      return time.ms * kMillisecond + time.nanos;
    }
    return IsTime(side.type().type) ? Expected<__int128>(side.whole(row) * kMillisecond)
                                    : Days(side, row, kDayMs * static_cast<int64_t>(kMillisecond));
  }

  Status OneTime(const Vector& a, const Vector& b, uint32_t row) {
    if (out_.physical() == Physical::kOther) {
      return OneTimestamp(a, b, row);
    }
    KLIP_ASSIGN_OR_RETURN(const int64_t of_a, Milliseconds(a, row));
    KLIP_ASSIGN_OR_RETURN(const int64_t of_b, Milliseconds(b, row));
    int64_t result = 0;
    if (!WholeResult(operation_, of_a, of_b, &result)) {
      return NumberOverflow();
    }
    if (type_.type == Type::kDecimal) {
      KLIP_ASSIGN_OR_RETURN(const Decimal days, Divide(Decimal(result), Decimal(kDayMs)));
      out_.SetDecimal(row, Normalized(days));
    } else {
      out_.SetWhole(row, result);
    }
    return Status::Ok();
  }

  Status OneTimestamp(const Vector& a, const Vector& b, uint32_t row) {
    KLIP_ASSIGN_OR_RETURN(const __int128 of_a, Nanoseconds(a, row));
    KLIP_ASSIGN_OR_RETURN(const __int128 of_b, Nanoseconds(b, row));
    constexpr __int128 kMillisecond = 1'000'000;
    const __int128 result = operation_ == '-' ? of_a - of_b : of_a + of_b;
    const __int128 nanos = (result % kMillisecond + kMillisecond) % kMillisecond;
    const __int128 ms = (result - nanos) / kMillisecond;
    if (ms > std::numeric_limits<int64_t>::max() || ms < std::numeric_limits<int64_t>::min()) {
      return NumberOverflow();
    }
    out_.SetOther(row, Value(type_.type, Value::Timestamp{static_cast<int64_t>(ms), static_cast<int32_t>(nanos)}));
    return Status::Ok();
  }

  char operation_;
};

// As java.sql.Date, Time and Timestamp write themselves: "2014-06-28", "12:30:00", "2014-06-28 12:30:00.5".
std::string ConcatText(const Value& value) {
  if (!IsTime(value.type()) || value.is_array()) {
    return value.ToString();
  }
  const std::string text = TimeText(MillisOf(value));
  const size_t blank = text.find(' ');
  if (!IsTimestamp(value.type())) {
    const bool date = value.type() == Type::kDate || value.type() == Type::kUnsignedDate;
    return date ? text.substr(0, blank) : text.substr(blank + 1, text.find('.') - blank - 1);
  }
  const std::string nanos = std::to_string(1'000'000 + value.timestamp().nanos).substr(1);
  const std::string all = text + nanos;
  return all.substr(0, std::max(all.find_last_not_of('0'), all.find('.') + 1) + 1);
}

class Concat final : public KeepingExpression {
 public:
  Concat(std::vector<BoundPtr> operands, Type type) : KeepingExpression(Kind::kOther, {.type = type}) {
    operands_ = std::move(operands);
  }

  // NULL is the empty text.
  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    std::vector<const Vector*> sides;
    for (const BoundPtr& operand : operands_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const side, operand->Evaluate(batch, rows));
      sides.push_back(side);
    }
    out_.Reset(type_, batch.rows);
    for (const uint32_t row : rows) {
      joined_.clear();
      for (size_t i = 0; i < sides.size(); ++i) {
        AppendText(operands_[i]->type().type, *sides[i], row);
      }
      KLIP_RETURN_IF_ERROR(CheckRoomFor(joined_.size()));
      out_.SetText(row, out_.Store(joined_));
      KLIP_RETURN_IF_ERROR(CheckColumns());
    }
    return &out_;
  }

 private:
  void AppendText(Type type, const Vector& side, uint32_t row) {
    if (side.is_null(row)) {
      return;
    }
    if (side.physical() == Physical::kText) {
      joined_ += type == Type::kChar ? PrintedChar(side.text(row)) : side.text(row);
    } else {
      joined_ += ConcatText(side.At(row));
    }
  }

  std::string joined_;
};

Status Mismatch(const BoundExpression& a, const BoundExpression& b, char operation) {
  return SqlError(203, "22005",
                  "Type mismatch. " + ToString(a.type()) + " and " + ToString(b.type()) + " for " + operation);
}

// The type of a result that has a time on one side; kNull: there is none.
DataType TimeResult(char operation, const DataType& a, const DataType& b) {
  if (IsTime(a.type) && IsTime(b.type)) {  // days; of two TIMESTAMPs, as Phoenix, the time so long after 1970
    const Type difference = IsTimestamp(a.type) && IsTimestamp(b.type) ? Type::kTimestamp : Type::kDecimal;
    return {.type = operation == '-' ? difference : Type::kNull};
  }
  const bool days_after = IsTime(a.type) && IsNumber(b.type) && (operation == '+' || operation == '-');
  const bool days_before = IsTime(b.type) && IsNumber(a.type) && operation == '+';
  if (!days_after && !days_before) {
    return {};
  }
  return {.type = IsTimestamp(days_after ? a.type : b.type) ? Type::kTimestamp : Type::kDate};
}

bool IsLiteralZero(BoundExpression& expression) {
  const Value* const literal = dynamic_cast<const Constant*>(&expression) == nullptr ? nullptr : expression.constant();
  return literal != nullptr && !literal->is_null() && !literal->is_array() && IsNumber(literal->type()) &&
         CompareValues(*literal, Value::Integer(0)) == 0;
}

bool IsReal(Type type) { return PhysicalOf({.type = type}) == Physical::kReal; }

}  // namespace

Expected<BoundPtr> MakeArithmetic(char operation, BoundPtr a, BoundPtr b) {
  if ((operation == '/' || operation == '%') && IsLiteralZero(*b)) {
    return SqlError(202, "22012", "Divide by zero.");
  }
  for (auto [side, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if ((*side)->type().type == Type::kNull) {  // NULL, or a parameter: a number like the other one, or days
      const DataType& like = (*other)->type();
      KLIP_ASSIGN_OR_RETURN(*side,
                            MakeConvert(std::move(*side), IsNumber(like.type) ? like : DataType{Type::kDecimal}));
    }
  }
  DataType type;
  if (a->type().array || b->type().array) {
    return Mismatch(*a, *b, operation);
  }
  if (IsTime(a->type().type) || IsTime(b->type().type)) {
    type = TimeResult(operation, a->type(), b->type());
    if (type.type == Type::kNull) {
      return Mismatch(*a, *b, operation);
    }
    return BoundPtr(std::make_unique<Arithmetic>(operation, std::move(a), std::move(b), type));
  }
  if (!IsNumber(a->type().type) || !IsNumber(b->type().type)) {
    return Mismatch(*a, *b, operation);
  }
  const bool decimal = a->type().type == Type::kDecimal || b->type().type == Type::kDecimal;
  const bool real = IsReal(a->type().type) || IsReal(b->type().type);
  type.type = decimal ? Type::kDecimal : real ? Type::kDouble : Type::kBigint;
  KLIP_ASSIGN_OR_RETURN(a, MakeConvert(std::move(a), type));
  KLIP_ASSIGN_OR_RETURN(b, MakeConvert(std::move(b), type));
  return BoundPtr(std::make_unique<Arithmetic>(operation, std::move(a), std::move(b), type));
}

Expected<BoundPtr> MakeNegate(BoundPtr a) {
  return MakeArithmetic('*', std::move(a), MakeConstant(Value(Type::kInteger, int64_t{-1})));
}

Expected<BoundPtr> MakeConcat(std::vector<BoundPtr> operands) {
  Type type = Type::kVarchar;
  for (const BoundPtr& operand : operands) {
    type = IsBytes(operand->type().type) ? Type::kVarbinary : type;
  }
  for (BoundPtr& operand : operands) {
    if (operand->type().type == Type::kNull) {
      KLIP_ASSIGN_OR_RETURN(operand, MakeConvert(std::move(operand), {.type = Type::kVarchar}));
    }
  }
  return BoundPtr(std::make_unique<Concat>(std::move(operands), type));
}

}  // namespace klip::sql
