// SQL values and types, as in Apache Phoenix.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "klip/status.h"

namespace klip::sql {

// In keys and cells, each type has Phoenix's encoding; docs/sql.md lists them.
enum class Type : uint8_t {
  kNull,  // the type of an untyped NULL
  kBoolean,
  kTinyint,
  kSmallint,
  kInteger,
  kBigint,
  kUnsignedTinyint,
  kUnsignedSmallint,
  kUnsignedInt,
  kUnsignedLong,
  kFloat,
  kDouble,
  kUnsignedFloat,
  kUnsignedDouble,
  kDecimal,
  kChar,
  kVarchar,
  kBinary,
  kVarbinary,
  kDate,
  kTime,
  kTimestamp,
  kUnsignedDate,
  kUnsignedTime,
  kUnsignedTimestamp,
};

// A type with its limits.
struct DataType {
  Type type = Type::kNull;
  int max_length = 0;  // CHAR, VARCHAR, BINARY: characters or bytes; 0: no limit
  int precision = 0;   // DECIMAL: digits; 0: up to 38
  int scale = -1;      // DECIMAL: digits after the point; -1: any
  bool array = false;  // an array of these

  bool operator==(const DataType&) const = default;
};

// As in CREATE TABLE: "DECIMAL(10,2)", "VARCHAR(20)", "INTEGER ARRAY".
std::string ToString(const DataType& type);

// A decimal number of up to 38 digits: unscaled × 10^-scale. 1.20 and 1.2 are equal, but print differently.
class Decimal {
 public:
  static constexpr int kMaxDigits = 38;  // of Phoenix's DECIMAL

  Decimal() = default;
  Decimal(__int128 unscaled, int scale) : unscaled_(unscaled), scale_(scale) {}
  explicit Decimal(int64_t value) : unscaled_(value) {}

  // "-12.50", "1E10". Errors: kInvalidArgument naming the text: not a number, more than 38 digits.
  static Expected<Decimal> Parse(std::string_view text);

  __int128 unscaled() const { return unscaled_; }
  int scale() const { return scale_; }  // may be negative: 1E10 is 1 × 10^10

  // As Java's BigDecimal.toPlainString: "-12.50", "10000000000".
  std::string ToString() const;

  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  __int128 unscaled_ = 0;
  int scale_ = 0;
};

// A value or NULL. Phoenix has no empty text: an empty VARCHAR, CHAR or VARBINARY is NULL.
class Value {
 public:
  // The alternatives of Data, by type: nothing (NULL); bool; all integers, DATE and TIME (ms since 1970 in UTC); FLOAT and
  // DOUBLE; DECIMAL; text and bytes; TIMESTAMP (ms, and nanoseconds below the millisecond); arrays.
  struct Timestamp {
    int64_t ms = 0;
    int32_t nanos = 0;  // [0, 999999]
    auto operator<=>(const Timestamp&) const = default;
  };
  using Array = std::vector<Value>;
  using Data = std::variant<std::monostate, bool, int64_t, double, Decimal, std::string, Timestamp, Array>;

  Value() = default;  // NULL
  // REQUIRES: `data` is the alternative for the type.
  template <typename T>
  Value(Type type, T&& data) : type_(type), data_(std::forward<T>(data)) {}

  static Value Boolean(bool value) { return {Type::kBoolean, value}; }
  static Value Integer(int64_t value) { return {Type::kBigint, value}; }
  static Value Double(double value) { return {Type::kDouble, value}; }
  static Value Number(Decimal value) { return {Type::kDecimal, value}; }
  static Value Text(std::string value) { return value.empty() ? Value() : Value(Type::kVarchar, std::move(value)); }
  static Value Bytes(std::string value) { return value.empty() ? Value() : Value(Type::kVarbinary, std::move(value)); }

  Type type() const { return type_; }  // for an array, the type of its elements
  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  const Data& data() const { return data_; }

  // REQUIRES: the value holds this alternative.
  bool boolean() const { return std::get<bool>(data_); }
  int64_t integer() const { return std::get<int64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  const Decimal& decimal() const { return std::get<Decimal>(data_); }
  const std::string& text() const { return std::get<std::string>(data_); }
  const Timestamp& timestamp() const { return std::get<Timestamp>(data_); }
  const Array& array() const { return std::get<Array>(data_); }

  // For people, as Phoenix's sqlline prints it: "null", "2014-06-28 12:30:00.000", "[1, 2, 3]", bytes in hex.
  std::string ToString() const;

  // Same type, same value.
  bool operator==(const Value&) const;

 private:
  Type type_ = Type::kNull;
  Data data_;
};

}  // namespace klip::sql
