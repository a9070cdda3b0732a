// Conversions and comparisons between types.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

bool IsReal(Type type) { return type >= Type::kFloat && type <= Type::kUnsignedDouble; }

Status Mismatch(const DataType& from, const DataType& to) {
  return SqlError(203, "22005", "Type mismatch. " + ToString(from) + " and " + ToString(to));
}

Status TooLarge(const Value& value, const DataType& type) {
  return SqlError(206, "22003",
                  "The data exceeds the max capacity for the data type. " + value.ToString().substr(0, 64) +
                      " does not fit " + ToString(type));
}

struct Range {
  int64_t low;
  int64_t high;
};

Range RangeOf(Type type) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  switch (type) {
    case Type::kTinyint:
      return {-128, 127};
    case Type::kSmallint:
      return {-32768, 32767};
    case Type::kInteger:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case Type::kUnsignedTinyint:
      return {0, 127};
    case Type::kUnsignedSmallint:
      return {0, 32767};
    case Type::kUnsignedInt:
      return {0, std::numeric_limits<int32_t>::max()};
    case Type::kUnsignedLong:
      return {0, kMost};
    default:
      return {std::numeric_limits<int64_t>::min(), kMost};
  }
}

Expected<Decimal> DecimalOf(const Value& value) {
  if (value.type() == Type::kDecimal) {
    return value.decimal();
  }
  if (IsReal(value.type())) {
    return ToDecimal(value.real());
  }
  return Decimal(value.integer());
}

Expected<double> RealOf(const Value& value) {
  if (value.type() == Type::kDecimal) {
    return ToDouble(value.decimal());
  }
  return IsReal(value.type()) ? value.real() : static_cast<double>(value.integer());
}

Expected<Value> ToWhole(const Value& value, const DataType& type) {
  int64_t whole = 0;
  if (IsWhole(value.type())) {
    whole = value.integer();
  } else {
    KLIP_ASSIGN_OR_RETURN(const Decimal exact, DecimalOf(value));
    const Decimal rounded = Rescale(exact, 0, /*round=*/value.type() == Type::kDecimal);
    if (rounded.scale() > 0 || rounded.unscaled() > std::numeric_limits<int64_t>::max() ||
        rounded.unscaled() < std::numeric_limits<int64_t>::min()) {
      return TooLarge(value, type);
    }
    whole = static_cast<int64_t>(rounded.unscaled());
  }
  const Range range = RangeOf(type.type);
  if (whole < range.low || whole > range.high) {
    return TooLarge(value, type);
  }
  return Value(type.type, whole);
}

Expected<Value> ToDecimalType(const Value& value, const DataType& type) {
  KLIP_ASSIGN_OR_RETURN(Decimal decimal, DecimalOf(value));
  if (type.scale >= 0 && decimal.scale() > type.scale) {
    decimal = Rescale(decimal, type.scale, /*round=*/false);
  }
  if (type.precision > 0) {
    __int128 limit = 1;
    for (int i = 0; i < type.precision - std::max(type.scale, 0) && i < Decimal::kMaxDigits; ++i) {
      limit *= 10;
    }
    const __int128 whole = Rescale(decimal, 0, /*round=*/false).unscaled();
    if (whole >= limit || whole <= -limit) {
      return TooLarge(value, type);
    }
  }
  return Value(type.type, decimal);
}

Expected<Value> ToNumber(const Value& value, const DataType& type) {
  if (IsWhole(type.type)) {
    return ToWhole(value, type);
  }
  if (type.type == Type::kDecimal) {
    return ToDecimalType(value, type);
  }
  KLIP_ASSIGN_OR_RETURN(const double real, RealOf(value));
  const bool is_float = type.type == Type::kFloat || type.type == Type::kUnsignedFloat;
  const bool is_unsigned = type.type == Type::kUnsignedFloat || type.type == Type::kUnsignedDouble;
  if ((is_float && std::fabs(real) > std::numeric_limits<float>::max() && std::isfinite(real)) ||
      (is_unsigned && real < 0)) {
    return TooLarge(value, type);
  }
  return Value(type.type, is_float ? static_cast<double>(static_cast<float>(real)) : real);
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Expected<Value> ToTextOrBytes(const Value& value, const DataType& type) {
  const bool as_it_is = IsText(value.type()) || IsBytes(value.type());
  if (IsBytes(type.type) && !as_it_is) {
    std::string bytes;
    EncodeValue(value, {.type = value.type()}, &bytes);
    return Value(type.type, std::move(bytes));
  }
  std::string text = as_it_is ? value.text() : value.ToString();
  const size_t length = IsText(type.type) ? Characters(text) : text.size();
  if (type.max_length > 0 && length > static_cast<size_t>(type.max_length)) {
    return TooLarge(value, type);
  }
  if (type.type == Type::kChar) {
    text.erase(text.find_last_not_of(' ') + 1);
  }
  if (text.empty()) {
    return Value();
  }
  return Value(type.type, std::move(text));
}

Expected<Value> ToTimeType(const Value& value, const DataType& type) {
  if (IsText(value.type())) {
    return ParseTime(value.text(), type.type);
  }
  Value::Timestamp time;
  if (IsTimestamp(value.type())) {
    time = value.timestamp();
  } else if (IsTime(value.type()) || IsWhole(value.type())) {
    time.ms = value.integer();
  } else {
    return Mismatch({.type = value.type()}, type);
  }
  return IsTimestamp(type.type) ? Value(type.type, time) : Value(type.type, time.ms);
}

Expected<Value> FromText(const Value& value, const DataType& type) {
  std::string text = value.text();
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  if (type.type == Type::kBoolean) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (text != "true" && text != "false") {
      return SqlError(201, "22000", "Illegal data. '" + text.substr(0, 64) + "' is not a BOOLEAN");
    }
    return Value::Boolean(text == "true");
  }
  KLIP_ASSIGN_OR_RETURN(const Decimal number, Decimal::Parse(text));
  return ToNumber(Value::Number(number), type);
}

// What a value of any type may become.
enum class Group : uint8_t { kNone, kBoolean, kNumber, kText, kBytes, kTime };
Group GroupOf(Type type) {
  return type == Type::kBoolean ? Group::kBoolean
         : IsNumber(type)       ? Group::kNumber
         : IsText(type)         ? Group::kText
         : IsBytes(type)        ? Group::kBytes
         : IsTime(type)         ? Group::kTime
                                : Group::kNone;
}

}  // namespace

Expected<Value> Convert(const Value& value, const DataType& type) {
  if (value.is_null() || type.type == Type::kNull) {
    return value;
  }
  if (type.array || value.is_array()) {
    if (type.array != value.is_array()) {
      return Mismatch({.type = value.type(), .array = value.is_array()}, type);
    }
    DataType element = type;
    element.array = false;
    Value::Array array;
    for (const Value& one : value.array()) {
      KLIP_ASSIGN_OR_RETURN(Value converted, Convert(one, element));
      array.push_back(std::move(converted));
    }
    return Value(type.type, std::move(array));
  }
  const Group from = GroupOf(value.type());
  switch (GroupOf(type.type)) {
    case Group::kText:
    case Group::kBytes:
      return ToTextOrBytes(value, type);
    case Group::kTime:
      return ToTimeType(value, type);
    case Group::kNumber:
      if (from == Group::kNumber) {
        return ToNumber(value, type);
      }
      if (from == Group::kTime) {
        return ToNumber(Value::Integer(IsTimestamp(value.type()) ? value.timestamp().ms : value.integer()), type);
      }
      break;
    case Group::kBoolean:
      if (from == Group::kBoolean) {
        return value;
      }
      if (from == Group::kNumber && IsWhole(value.type())) {
        return Value::Boolean(value.integer() != 0);
      }
      break;
    default:
      break;
  }
  if (from == Group::kText) {
    return FromText(value, type);
  }
  return Mismatch({.type = value.type()}, type);
}

bool Coercible(Type from, Type to) {
  const Group a = GroupOf(from);
  const Group b = GroupOf(to);
  return a == b || a == Group::kNone || b == Group::kBytes || (a == Group::kText && b == Group::kTime);
}

DataType CommonType(const DataType& a, const DataType& b) {
  if (a == b) {
    return a;
  }
  if (a.type == Type::kNull || b.type == Type::kNull) {
    return a.type == Type::kNull ? b : a;
  }
  if (a.array != b.array) {
    return {};
  }
  const bool array = a.array;
  const auto of = [array](Type type) {
    DataType common;
    common.type = type;
    common.array = array;
    return common;
  };
  if (a.type == b.type) {
    return of(a.type == Type::kChar || a.type == Type::kBinary
                  ? (a.type == Type::kChar ? Type::kVarchar : Type::kVarbinary)
                  : a.type);
  }
  const Group group = GroupOf(a.type);
  if (group != GroupOf(b.type)) {
    const bool bytes = (group == Group::kText || group == Group::kBytes) &&
                       (GroupOf(b.type) == Group::kText || GroupOf(b.type) == Group::kBytes);
    return bytes ? of(Type::kVarbinary) : DataType();
  }
  switch (group) {
    case Group::kNumber:
      return of(a.type == Type::kDecimal || b.type == Type::kDecimal ? Type::kDecimal
                : IsReal(a.type) || IsReal(b.type)                   ? Type::kDouble
                                                                     : Type::kBigint);
    case Group::kText:
      return of(Type::kVarchar);
    case Group::kBytes:
      return of(Type::kVarbinary);
    case Group::kTime:
      return of(IsTimestamp(a.type) || IsTimestamp(b.type) ? Type::kTimestamp : Type::kDate);
    default:
      return {};
  }
}

std::weak_ordering CompareValues(const Value& a, const Value& b) {
  if (a.is_array() && b.is_array()) {
    return std::lexicographical_compare_three_way(
        a.array().begin(), a.array().end(), b.array().begin(), b.array().end(),
        [](const Value& x, const Value& y) -> std::weak_ordering {
          return x.is_null() || y.is_null() ? std::weak_ordering(!x.is_null() <=> !y.is_null()) : CompareValues(x, y);
        });
  }
  switch (GroupOf(a.type())) {
    case Group::kBoolean:
      return a.boolean() <=> b.boolean();
    case Group::kNumber: {
      if (IsWhole(a.type()) && IsWhole(b.type())) {
        return a.integer() <=> b.integer();
      }
      if (a.type() != Type::kDecimal && b.type() != Type::kDecimal) {
        return std::weak_order(*RealOf(a), *RealOf(b));
      }
      const Expected<Decimal> x = DecimalOf(a);
      const Expected<Decimal> y = DecimalOf(b);
      return x.ok() && y.ok() ? std::weak_ordering(*x <=> *y) : std::weak_order(*RealOf(a), *RealOf(b));
    }
    case Group::kTime: {
      const auto time = [](const Value& value) {
        return IsTimestamp(value.type()) ? value.timestamp() : Value::Timestamp{value.integer(), 0};
      };
      return time(a) <=> time(b);
    }
    default:
      return a.text() <=> b.text();
  }
}

}  // namespace klip::sql
