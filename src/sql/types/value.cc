#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "klip/sql_value.h"
#include "sql/types/codec.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

// As Java's Double.toString: 1.5, 2.0, 1.0E10, 1.0E-5.
std::string RealText(double value, bool is_float) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "Infinity" : "-Infinity";
  }
  char text[40];
  for (int digits = 1; digits <= (is_float ? 9 : 17); ++digits) {
    std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    const double back = std::strtod(text, nullptr);
    if (is_float ? static_cast<float>(back) == static_cast<float>(value) : back == value) {
      break;
    }
  }
  std::string mantissa = text;
  const size_t e = mantissa.find('e');
  const int exponent = std::atoi(mantissa.c_str() + e + 1);
  mantissa.resize(e);
  const double magnitude = std::fabs(value);
  if (magnitude != 0 && (magnitude < 1e-3 || magnitude >= 1e7)) {
    return mantissa + (mantissa.find('.') == std::string::npos ? ".0" : "") + "E" + std::to_string(exponent);
  }
  const size_t point = mantissa.find('.');
  const int decimals = (point == std::string::npos ? 0 : static_cast<int>(mantissa.size() - point - 1)) - exponent;
  std::snprintf(text, sizeof(text), "%.*f", decimals < 1 ? 1 : decimals, value);
  return text;
}

std::string Hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes) {
    out.push_back(kDigits[static_cast<unsigned char>(byte) >> 4U]);
    out.push_back(kDigits[static_cast<unsigned char>(byte) & 15U]);
  }
  return out;
}

}  // namespace

std::string Value::ToString() const {
  if (is_null()) {
    return "null";
  }
  if (is_array()) {
    std::string text = "[";
    for (const Value& element : array()) {
      const bool quoted = IsText(element.type()) && !element.is_null();
      text += (text.size() == 1 ? "" : ", ") + (quoted ? "'" + element.ToString() + "'" : element.ToString());
    }
    return text + "]";
  }
  switch (type_) {
    case Type::kBoolean:
      return boolean() ? "true" : "false";
    case Type::kDecimal:
      return decimal().ToString();
    case Type::kFloat:
    case Type::kUnsignedFloat:
    case Type::kDouble:
    case Type::kUnsignedDouble:
      return RealText(real(), type_ == Type::kFloat || type_ == Type::kUnsignedFloat);
    case Type::kTimestamp:
    case Type::kUnsignedTimestamp:
      return TimeText(timestamp().ms, timestamp().nanos);
    default:
      break;
  }
  if (IsText(type_)) {
    return text();
  }
  return IsBytes(type_) ? Hex(text()) : IsTime(type_) ? TimeText(integer(), 0) : std::to_string(integer());
}

bool Value::operator==(const Value& other) const { return type_ == other.type_ && data_ == other.data_; }

}  // namespace klip::sql
