#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "sql/types/codec.h"
#include "sql/types/number_text.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

struct WholeRange {
  int64_t least;
  int64_t most;
};

// Of whole numbers; for times, of their milliseconds.
WholeRange RangeOf(Type type) {
  auto of = []<typename Number>(Number) {
    return WholeRange{std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max()};
  };
  switch (type) {
    case Type::kTinyint:
      return of(int8_t{});
    case Type::kSmallint:
      return of(int16_t{});
    case Type::kInteger:
      return of(int32_t{});
    case Type::kUnsignedTinyint:
      return {0, of(int8_t{}).most};
    case Type::kUnsignedSmallint:
      return {0, of(int16_t{}).most};
    case Type::kUnsignedInt:
      return {0, of(int32_t{}).most};
    case Type::kUnsignedLong:
    case Type::kUnsignedDate:
    case Type::kUnsignedTime:
    case Type::kUnsignedTimestamp:
      return {0, of(int64_t{}).most};
    default:
      return of(int64_t{});
  }
}

Status Mismatch(const Value& value, const DataType& type) {
  return SqlError(203, "22005",
                  "Type mismatch. " + std::string(TypeName(value.type())) + (value.is_array() ? " ARRAY" : "") +
                      " and " + std::string(TypeName(type.type)) + (type.array ? " ARRAY" : "") + " for " +
                      value.ToString());
}

Status Exceeds(const DataType& type) {
  return SqlError(206, "22003", "The data exceeds the max capacity for the data type. " + ToString(type));
}

Status Illegal(const Value& value, const DataType& type) {
  return SqlError(201, "22000", "Illegal data. '" + value.ToString() + "' is no " + std::string(TypeName(type.type)));
}

// A number, a time's milliseconds, or a BOOLEAN as a DECIMAL.
Expected<Decimal> AsDecimal(const Value& value, const DataType& type) {
  if (value.type() == Type::kDecimal) {
    return value.decimal();
  }
  if (value.type() == Type::kBoolean) {
    return Decimal(int64_t{value.boolean()});
  }
  if (IsTimestamp(value.type()) && value.timestamp().nanos != 0) {
    constexpr int kDigits = 6;  // of a millisecond
    return Normalized(Decimal(static_cast<__int128>(MillisOf(value)) * 1'000'000 + value.timestamp().nanos, kDigits));
  }
  if (IsWhole(value.type()) || IsTime(value.type())) {
    return Decimal(MillisOf(value));
  }
  if (IsNumber(value.type())) {
    KLIP_ASSIGN_OR_RETURN(const Decimal decimal, ToDecimal(value.real()));
    return Normalized(decimal);
  }
  if (IsText(value.type())) {
    Expected<Decimal> parsed = Decimal::Parse(value.text());
    return parsed.ok() ? parsed : Expected<Decimal>(Illegal(value, type));
  }
  return Mismatch(value, type);
}

// As a whole number of a type, or the milliseconds of a time.
Expected<int64_t> AsWhole(const Value& value, const DataType& type, bool cast) {
  WholeRange range = RangeOf(type.type);
  int64_t whole = 0;
  if (IsWhole(value.type()) || IsTime(value.type())) {
    constexpr int32_t kHalf = 500'000;  // nanoseconds, which CAST rounds, but not to another time
    const bool up = cast && IsTimestamp(value.type()) && IsWhole(type.type) && value.timestamp().nanos >= kHalf;
    whole = MillisOf(value) + (up ? 1 : 0);
  } else if (IsNumber(value.type()) && value.type() != Type::kDecimal) {
    const double real = std::trunc(value.real());
    if (!(real >= static_cast<double>(range.least) && real <= static_cast<double>(range.most))) {
      return Illegal(value, type);
    }
    whole = real >= 0x1p63 ? range.most : static_cast<int64_t>(real);
  } else {
    if (value.type() == Type::kBoolean) {
      return Mismatch(value, type);
    }
    KLIP_ASSIGN_OR_RETURN(Decimal decimal, AsDecimal(value, type));
    Decimal rounded = decimal.scale() > 0 ? Rescale(decimal, 0, cast) : decimal;
    bool exact = cast || IsTime(type.type) || rounded == decimal;
    if (!exact) {
      return Mismatch(value, type);
    }
    if (rounded < Decimal(range.least) || rounded > Decimal(range.most)) {
      return Illegal(value, type);
    }
    whole = static_cast<int64_t>(Rescale(rounded, 0, false).unscaled());
  }
  return whole < range.least || whole > range.most ? Expected<int64_t>(Illegal(value, type)) : whole;
}

Expected<Value> ToReal(const Value& value, const DataType& type, bool cast) {
  double real = 0;
  if (value.type() == Type::kBoolean || IsTime(value.type())) {
    return Mismatch(value, type);
  }
  if (IsNumber(value.type()) && !IsWhole(value.type()) && value.type() != Type::kDecimal) {
    real = value.real();
  } else if (IsWhole(value.type())) {
    real = static_cast<double>(value.integer());
  } else if (IsText(value.type())) {
    const std::string& text = value.text();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    if (error != std::errc() || end != text.data() + text.size()) {
      return Illegal(value, type);
    }
  } else {
    KLIP_ASSIGN_OR_RETURN(Decimal decimal, AsDecimal(value, type));
    real = ToDouble(decimal);
  }
  bool is_unsigned = type.type == Type::kUnsignedFloat || type.type == Type::kUnsignedDouble;
  if (type.type == Type::kFloat || type.type == Type::kUnsignedFloat) {
    if (std::isfinite(real) && std::abs(real) > std::numeric_limits<float>::max()) {
      return Mismatch(value, type);
    }
    real = static_cast<float>(real);
  }
  real = is_unsigned && real == 0 ? 0.0 : real;  // -0.0 would sort after all others
  if (is_unsigned && real < 0) {
    return cast ? Illegal(value, type) : Mismatch(value, type);
  }
  return Value(type.type, real);
}

Expected<Value> ToDecimalType(const Value& value, const DataType& type, bool cast) {
  KLIP_ASSIGN_OR_RETURN(Decimal decimal, AsDecimal(value, type));
  if (cast) {
    return Value(type.type, decimal);
  }
  if (type.scale >= 0 && decimal.scale() > type.scale) {
    decimal = Rescale(decimal, type.scale, /*round=*/false);
  }
  int most = type.precision - std::max(type.scale, 0);
  Decimal magnitude(decimal.unscaled() < 0 ? -decimal.unscaled() : decimal.unscaled(), decimal.scale());
  if (type.precision > 0 && magnitude >= Decimal(1, -most)) {
    return Exceeds(type);
  }
  return Value(type.type, decimal);
}

Expected<Value> ToBoolean(const Value& value, const DataType& type) {
  if (IsText(value.type())) {
    std::string lower(value.text());
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower == "true" || lower == "false" ? Value(type.type, lower == "true")
                                               : Expected<Value>(Illegal(value, type));
  }
  if (value.type() != Type::kDecimal) {
    return Mismatch(value, type);
  }
  return Value(type.type, value.decimal().unscaled() != 0);
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// CAST does not shorten a VARCHAR, as in Phoenix.
Expected<Value> ToTextType(const Value& value, const DataType& type, bool cast) {
  if (!IsText(value.type()) && !IsBytes(value.type())) {
    return Mismatch(value, type);
  }
  std::string_view text = value.text();
  if (type.type == Type::kChar) {
    text = HeldChar(text);
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      return SqlError(201, "22000",
                      "Illegal data. CHAR types may only contain single byte characters (" + value.text() + ")");
    }
  }
  const bool checks = !cast || type.type == Type::kChar;
  if (checks && type.max_length > 0 && Characters(text) > static_cast<size_t>(type.max_length)) {
    return Exceeds(type);
  }
  return text.empty() ? Value() : Value(type.type, std::string(text));
}

Expected<Value> ToBytesType(const Value& value, const DataType& type) {
  std::string bytes;
  if (IsText(value.type()) || IsBytes(value.type())) {
    bytes = value.text();
  } else {
    EncodeValue(value, {.type = value.type()}, &bytes);
  }
  if (type.max_length > 0 && bytes.size() > static_cast<size_t>(type.max_length)) {
    return Exceeds(type);
  }
  return bytes.empty() ? Value() : Value(type.type, std::move(bytes));
}

Expected<Value> ToTimeType(const Value& value, const DataType& type, bool cast) {
  if (IsText(value.type())) {
    KLIP_ASSIGN_OR_RETURN(Value parsed, ParseTime(value.text(), type.type));
    return MillisOf(parsed) < RangeOf(type.type).least ? Expected<Value>(Mismatch(value, type)) : std::move(parsed);
  }
  if (!IsWhole(value.type()) && value.type() != Type::kDecimal && !IsTime(value.type())) {
    return Mismatch(value, type);
  }
  KLIP_ASSIGN_OR_RETURN(int64_t ms, AsWhole(value, type, cast && value.type() != Type::kDecimal));
  if (!IsTimestamp(type.type)) {
    return Value(type.type, ms);
  }
  int32_t nanos = IsTimestamp(value.type()) ? value.timestamp().nanos : 0;
  if (value.type() == Type::kDecimal) {
    const Decimal& decimal = value.decimal();
    __int128 micros = Rescale(decimal, 6, false).unscaled() - static_cast<__int128>(ms) * 1'000'000;
    nanos = decimal.scale() > 0 ? static_cast<int32_t>(std::clamp<__int128>(micros, 0, 999'999)) : 0;
  }
  return Value(type.type, Value::Timestamp{ms, nanos});
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string TimestampText(const Value::Timestamp& time) {
  std::string text = TimeText(time.ms);
  if (time.nanos != 0) {
    std::string nanos = std::to_string(time.nanos);
    text += std::string(6 - nanos.size(), '0') + nanos;
  }
  return text;
}

std::weak_ordering CompareReals(long double a, long double b) {  // holds every BIGINT; NaN is the greatest
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) <=> std::isnan(b);
  }
  return a < b ? std::weak_ordering::less : a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::weak_ordering CompareNumbers(const Value& a, const Value& b) {
  if (IsWhole(a.type()) && IsWhole(b.type())) {
    return a.integer() <=> b.integer();
  }
  auto real = [](const Value& value) { return std::holds_alternative<double>(value.data()); };
  if (!real(a) && !real(b)) {
    auto decimal = [](const Value& v) { return v.type() == Type::kDecimal ? v.decimal() : Decimal(v.integer()); };
    return decimal(a) <=> decimal(b);
  }
  if (a.type() == Type::kDecimal || b.type() == Type::kDecimal) {
    Expected<Decimal> left = AsDecimal(a, {.type = Type::kDecimal});
    Expected<Decimal> right = AsDecimal(b, {.type = Type::kDecimal});
    if (left.ok() && right.ok()) {
      return *left <=> *right;
    }
  }
  auto wide = [&real](const Value& v) -> long double {
    if (v.type() == Type::kDecimal) {
      return ToDouble(v.decimal());
    }
    return real(v) ? static_cast<long double>(v.real()) : static_cast<long double>(v.integer());
  };
  return CompareReals(wide(a), wide(b));
}

}  // namespace

bool IsOneOf(const Value& value, const DataType& type) {
  const bool empty = IsText(type.type) && !type.array;  // '' becomes NULL, and a CHAR loses blanks at its end
  return value.type() == type.type && value.is_array() == type.array && !IsLimited(type) &&
         (!empty || (type.type == Type::kVarchar && !value.is_null() && !value.text().empty()));
}

Expected<Value> Convert(const Value& value, const DataType& type, bool cast) {
  if (value.is_null() || type.type == Type::kNull) {
    return value;
  }
  if (value.is_array() || type.array) {
    if (!value.is_array() || !type.array) {
      return Mismatch(value, type);
    }
    DataType element = type;
    element.array = false;
    Value::Array array;
    for (const Value& one : value.array()) {
      KLIP_ASSIGN_OR_RETURN(Value converted, Convert(one, element, cast));
      array.push_back(std::move(converted));
    }
    return Value(type.type, std::move(array));
  }
  if (IsWhole(type.type)) {
    KLIP_ASSIGN_OR_RETURN(int64_t whole, AsWhole(value, type, cast));
    return Value(type.type, whole);
  }
  if (type.type == Type::kDecimal) {
    return ToDecimalType(value, type, cast);
  }
  if (IsNumber(type.type)) {
    return ToReal(value, type, cast);
  }
  if (IsTime(type.type)) {
    return ToTimeType(value, type, cast);
  }
  if (IsText(type.type)) {
    return ToTextType(value, type, cast);
  }
  if (IsBytes(type.type)) {
    return ToBytesType(value, type);
  }
  return value.type() == Type::kBoolean ? value : ToBoolean(value, type);
}

std::weak_ordering CompareValues(const Value& a, const Value& b) {
  if (a.is_array() && b.is_array()) {
    size_t common = std::min(a.array().size(), b.array().size());
    for (size_t i = 0; i < common; i++) {
      const Value& left = a.array()[i];
      const Value& right = b.array()[i];
      std::weak_ordering order =
          left.is_null() || right.is_null() ? right.is_null() <=> left.is_null() : CompareValues(left, right);
      if (order != 0) {
        return order;
      }
    }
    return a.array().size() <=> b.array().size();
  }
  if (a.is_array() || b.is_array()) {
    return a.is_array() <=> b.is_array();
  }
  if (a.type() == Type::kBoolean && b.type() == Type::kBoolean) {
    return a.boolean() <=> b.boolean();
  }
  if (IsTime(a.type()) && IsTime(b.type())) {
    auto nanos = [](const Value& value) { return IsTimestamp(value.type()) ? value.timestamp().nanos : 0; };
    return std::pair(MillisOf(a), nanos(a)) <=> std::pair(MillisOf(b), nanos(b));
  }
  if (IsNumber(a.type()) && IsNumber(b.type())) {
    return CompareNumbers(a, b);
  }
  const auto has_text = [](const Value& value) { return std::holds_alternative<std::string>(value.data()); };
  return has_text(a) && has_text(b) ? a.text() <=> b.text() : a.data().index() <=> b.data().index();
}

bool Value::operator==(const Value& other) const { return type_ == other.type_ && data_ == other.data_; }

std::string Value::ToString() const {
  if (is_null()) {
    return "null";
  }
  if (is_array()) {
    std::string text = "[";
    for (const Value& value : array()) {
      bool quoted = !value.is_null() && (IsText(type_) || IsTime(type_));
      text += (text.size() > 1 ? ", " : "") + (quoted ? "'" + value.ToString() + "'" : value.ToString());
    }
    return text + "]";
  }
  switch (type_) {
    case Type::kBoolean:
      return boolean() ? "true" : "false";
    case Type::kFloat:
    case Type::kUnsignedFloat:
      return JavaText(static_cast<float>(real()));
    case Type::kDouble:
    case Type::kUnsignedDouble:
      return JavaText(real());
    case Type::kDecimal:
      return decimal().ToString();
    case Type::kBinary:
    case Type::kVarbinary:
      return Hex(text());
    default:
      break;
  }
  if (IsText(type_)) {
    return type_ == Type::kChar ? std::string(PrintedChar(text())) : text();
  }
  return IsWhole(type_) ? WholeText(integer()) : IsTimestamp(type_) ? TimestampText(timestamp()) : TimeText(integer());
}

std::string_view HeldChar(std::string_view text) {
  const size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 1 : last + 1);
}

std::string_view PrintedChar(std::string_view held) { return held == " " ? "" : held; }

}  // namespace klip::sql
