// The numbers of AggregateService, one struct per ColumnInterpreter of HBase: converts cells to numbers, and numbers to
// messages.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

#include "filter/common/decimal.h"
#include "klip/bytes.h"
#include "klip/status.h"
#include "proto/HBase.pb.h"

namespace klip::server {

// LongColumnInterpreter: values of 8 bytes; others count as missing. Wraps around, as in Java.
struct LongNumbers {
  using Value = int64_t;

  static Expected<std::optional<Value>> Read(std::string_view cell) {
    if (cell.size() != sizeof(Value)) {
      return std::optional<Value>();
    }
    return std::optional<Value>(ReadBigEndian<int64_t>(cell.data()));
  }
  static Value Add(Value a, Value b) { return static_cast<Value>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
  static Value Square(Value a) { return static_cast<Value>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a)); }
  static Value Lowest() { return std::numeric_limits<Value>::min(); }
  static std::string Message(Value value) {
    hbase::pb::LongMsg message;
    message.set_long_msg(value);
    return message.SerializeAsString();
  }
};

// DoubleColumnInterpreter: the same for Java's doubles.
struct DoubleNumbers {
  using Value = double;

  static Expected<std::optional<Value>> Read(std::string_view cell) {
    if (cell.size() != sizeof(Value)) {
      return std::optional<Value>();
    }
    return std::optional<Value>(std::bit_cast<double>(ReadBigEndian<uint64_t>(cell.data())));
  }
  static Value Add(Value a, Value b) { return a + b; }
  static Value Square(Value a) { return a * a; }
  static Value Lowest() { return std::numeric_limits<double>::denorm_min(); }  // Java's Double.MIN_VALUE
  static std::string Message(Value value) {
    hbase::pb::DoubleMsg message;
    message.set_double_msg(value);
    return message.SerializeAsString();
  }
};

// BigDecimalColumnInterpreter: rounds each value, and each square, to two places.
struct DecimalNumbers {
  using Value = boost::multiprecision::cpp_int;  // in hundredths

  static Expected<std::optional<Value>> Read(std::string_view cell) {
    constexpr int64_t kMaxDigits = 10'000;  // a scale may request any number of zeros
    KLIP_ASSIGN_OR_RETURN(const filter::Decimal decimal, filter::DecimalFromBytes(cell));
    const auto digits = static_cast<int64_t>(decimal.digits.size());
    const int64_t surplus = int64_t{decimal.scale} - kPlaces;
    if (digits == 0 || surplus > digits) {
      return std::optional<Value>(0);  // below a tenth of the last place
    }
    if (digits - surplus > kMaxDigits) {
      return Status(Code::kDoNotRetry, "a BigDecimal of " + std::to_string(digits - surplus) +
                                           " digits is too long for a sum; the limit is " + std::to_string(kMaxDigits));
    }
    Value value(decimal.digits);
    value = surplus > 0 ? Round(value, static_cast<unsigned>(surplus))
                        : Value(value * PowerOf10(static_cast<unsigned>(-surplus)));
    return std::optional<Value>(decimal.negative ? Value(-value) : value);
  }
  static Value Add(const Value& a, const Value& b) { return a + b; }
  static Value Square(const Value& a) { return Round(a * a, kPlaces); }
  static Value Lowest() { return 0; }
  static std::string Message(const Value& value) {
    filter::Decimal decimal;
    decimal.negative = value < 0;
    decimal.scale = kPlaces;
    decimal.digits = value == 0 ? "" : Value(abs(value)).str();
    hbase::pb::BigDecimalMsg message;
    message.set_bigdecimal_msg(filter::DecimalToBytes(decimal));
    return message.SerializeAsString();
  }

 private:
  static constexpr int32_t kPlaces = 2;

  static Value PowerOf10(unsigned exponent) { return pow(Value(10), exponent); }

  // Removes the last `places` digits, rounding half to even, as Java's HALF_EVEN. REQUIRES: value >= 0.
  static Value Round(const Value& value, unsigned places) {
    const Value unit = PowerOf10(places);
    Value rounded;
    Value rest;
    divide_qr(value, unit, rounded, rest);
    rest *= 2;
    if (rest > unit || (rest == unit && bit_test(rounded, 0))) {
      ++rounded;
    }
    return rounded;
  }
};

}  // namespace klip::server
