// What the parser's tests need of src/sql/types while that is being written. Weak: the real functions win where they
// are linked.
#include <charconv>

#include "sql/types/codec.h"

#define KLIP_WEAK __attribute__((weak))

namespace klip::sql {
namespace {

constexpr std::pair<std::string_view, Type> kTypesOfTest[] = {{"BOOLEAN", Type::kBoolean},
                                                              {"TINYINT", Type::kTinyint},
                                                              {"SMALLINT", Type::kSmallint},
                                                              {"INTEGER", Type::kInteger},
                                                              {"BIGINT", Type::kBigint},
                                                              {"UNSIGNED_LONG", Type::kUnsignedLong},
                                                              {"FLOAT", Type::kFloat},
                                                              {"DOUBLE", Type::kDouble},
                                                              {"DECIMAL", Type::kDecimal},
                                                              {"CHAR", Type::kChar},
                                                              {"VARCHAR", Type::kVarchar},
                                                              {"BINARY", Type::kBinary},
                                                              {"VARBINARY", Type::kVarbinary},
                                                              {"DATE", Type::kDate},
                                                              {"TIME", Type::kTime},
                                                              {"TIMESTAMP", Type::kTimestamp},
                                                              {"UNSIGNED_DATE", Type::kUnsignedDate}};

}  // namespace

KLIP_WEAK Type TypeOf(std::string_view name) {
  for (const auto& [type_name, type] : kTypesOfTest) {
    if (type_name == name) {
      return type;
    }
  }
  return Type::kNull;
}

KLIP_WEAK std::string_view TypeName(Type type) {
  for (const auto& [name, of] : kTypesOfTest) {
    if (of == type) {
      return name;
    }
  }
  return "NULL";
}

KLIP_WEAK bool IsTime(Type type) { return type >= Type::kDate; }

KLIP_WEAK std::string ToString(const DataType& type) {
  std::string text(TypeName(type.type));
  if (type.precision > 0) {
    text += "(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  }
  text += type.max_length > 0 ? "(" + std::to_string(type.max_length) + ")" : "";
  return text + (type.array ? " ARRAY" : "");
}

// Times are milliseconds as text here.
KLIP_WEAK Expected<Value> ParseTime(std::string_view text, Type type) {
  int64_t ms = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), ms).ec != std::errc()) {
    return SqlError(201, "22000", "Illegal data. " + std::string(text));
  }
  return Value(type, ms);
}

KLIP_WEAK Status SqlError(int number, std::string_view sql_state, std::string_view message) {
  return {Code::kInvalidArgument,
          "ERROR " + std::to_string(number) + " (" + std::string(sql_state) + "): " + std::string(message)};
}

KLIP_WEAK Expected<Decimal> Decimal::Parse(std::string_view text) {
  __int128 unscaled = 0;
  int scale = 0;
  bool point = false;
  for (char c : text) {
    point = point || c == '.';
    if (c != '.') {
      unscaled = unscaled * 10 + (c - '0');
      scale += point ? 1 : 0;
    }
  }
  if (text.size() > Decimal::kMaxDigits + 1) {
    return Status(Code::kInvalidArgument, "too many digits");
  }
  return Decimal(unscaled, scale);
}

KLIP_WEAK std::string Decimal::ToString() const {
  std::string digits;
  for (__int128 rest = unscaled_ < 0 ? -unscaled_ : unscaled_; rest > 0 || static_cast<int>(digits.size()) <= scale_;
       rest /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  if (scale_ > 0) {
    digits.insert(digits.size() - static_cast<size_t>(scale_), ".");
  }
  return (unscaled_ < 0 ? "-" : "") + digits;
}

KLIP_WEAK std::string Value::ToString() const {
  if (type_ == Type::kDouble) {
    char text[32];
    int length = std::snprintf(text, sizeof(text), "%.1f", real());
    return {text, static_cast<size_t>(length)};
  }
  if (type_ == Type::kDecimal) {
    return decimal().ToString();
  }
  return std::to_string(integer());
}

}  // namespace klip::sql
