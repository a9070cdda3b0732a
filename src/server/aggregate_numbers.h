// The numbers that AggregateService computes with, one struct per ColumnInterpreter of HBase: how a cell becomes a number, and a
// number a message.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "filter/decimal.h"
#include "klip/bytes.h"
#include "klip/status.h"
#include "proto/HBase.pb.h"

namespace klip::server {

// LongColumnInterpreter: values of 8 bytes; others count as absent. Wraps around, as Java does.
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

// BigDecimalColumnInterpreter: rounds each value to two places. klip's sums have 38 digits.
struct DecimalNumbers {
  __extension__ using Digits = __int128;
  struct Value {
    Digits digits = 0;
    int32_t scale = 2;

    bool operator<(const Value& other) const { return digits < other.digits; }  // of one scale
  };

  static Expected<std::optional<Value>> Read(std::string_view cell) {
    KLIP_ASSIGN_OR_RETURN(const filter::Decimal decimal, filter::DecimalFromBytes(cell));
    constexpr int32_t kScale = 2;
    constexpr size_t kMaxDigits = 36;
    Value value;
    const int32_t drop = decimal.scale - kScale;
    if (static_cast<int64_t>(decimal.digits.size()) - drop > static_cast<int64_t>(kMaxDigits)) {
      return Status(Code::kDoNotRetry, "a BigDecimal of more than 36 digits cannot be summed");
    }
    const size_t keep = drop <= 0 ? decimal.digits.size()
                        : decimal.digits.size() > static_cast<size_t>(drop)
                            ? decimal.digits.size() - static_cast<size_t>(drop)
                            : 0;
    for (size_t i = 0; i < keep; ++i) {
      value.digits = value.digits * 10 + (decimal.digits[i] - '0');
    }
    for (int32_t i = drop; i < 0; ++i) {
      value.digits *= 10;
    }
    if (drop > 0 && RoundsUp(decimal.digits, static_cast<size_t>(drop), (value.digits & 1) != 0)) {
      ++value.digits;
    }
    value.digits = decimal.negative ? -value.digits : value.digits;
    return std::optional<Value>(value);
  }
  static Value Add(Value a, Value b) { return {a.digits + b.digits, a.scale}; }
  static Value Square(Value a) { return {a.digits * a.digits, a.scale * 2}; }
  static Value Lowest() { return {}; }
  static std::string Message(Value value) {
    filter::Decimal decimal;
    decimal.negative = value.digits < 0;
    decimal.scale = value.scale;
    for (Digits left = decimal.negative ? -value.digits : value.digits; left != 0; left /= 10) {
      decimal.digits.insert(decimal.digits.begin(), static_cast<char>('0' + static_cast<int>(left % 10)));
    }
    hbase::pb::BigDecimalMsg message;
    message.set_bigdecimal_msg(filter::DecimalToBytes(decimal));
    return message.SerializeAsString();
  }

 private:
  // Half to even, as Java's HALF_EVEN. `dropped` digits at the end go.
  static bool RoundsUp(std::string_view digits, size_t dropped, bool kept_is_odd) {
    if (dropped > digits.size()) {
      return false;  // below a tenth of the last place
    }
    const std::string_view tail = digits.substr(digits.size() - dropped);
    if (tail[0] != '5') {
      return tail[0] > '5';
    }
    return kept_is_odd || tail.find_first_not_of('0', 1) != std::string_view::npos;
  }
};

}  // namespace klip::server
