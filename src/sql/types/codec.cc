// Values to bytes and back. Worked example: DECIMAL 12.5 is C1 0D 33: a positive number with its point after one base-100 digit
// (C1), and the digits 12 and 50, each plus one.
#include "sql/types/codec.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "klip/bytes.h"

namespace klip::sql {
namespace {

bool IsUnsigned(Type type) {
  return (type >= Type::kUnsignedTinyint && type <= Type::kUnsignedLong) || type >= Type::kUnsignedDate;
}

template <typename T>
void AppendWhole(int64_t value, bool is_unsigned, std::string* out) {
  constexpr T kSign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
  AppendBigEndian(static_cast<T>(static_cast<T>(value) ^ (is_unsigned ? T{0} : kSign)), out);
}

// Bytes that sort as the numbers: positive ones get the sign bit, negative ones are complemented; both plus one, as in Phoenix.
template <typename T, typename U, typename Signed>
void AppendReal(T value, bool is_unsigned, std::string* out) {
  auto bits = std::bit_cast<U>(value == 0 ? T{0} : value);
  if (!is_unsigned) {
    constexpr U kSign = static_cast<U>(U{1} << (sizeof(U) * 8 - 1));
    const auto mask = static_cast<U>(static_cast<Signed>(bits) >> (sizeof(U) * 8 - 1));
    bits = static_cast<U>((bits ^ (mask | kSign)) + 1);
  }
  AppendBigEndian(bits, out);
}

template <typename T, typename U, typename Signed>
T ReadReal(const char* data, bool is_unsigned) {
  U bits = ReadBigEndian<U>(data);
  if (!is_unsigned) {
    constexpr U kSign = static_cast<U>(U{1} << (sizeof(U) * 8 - 1));
    bits = static_cast<U>(bits - 1);
    const auto mask = static_cast<U>(~static_cast<Signed>(bits) >> (sizeof(U) * 8 - 1));
    bits ^= static_cast<U>(mask | kSign);
  }
  return std::bit_cast<T>(bits);
}

// --- DECIMAL ---

constexpr uint8_t kZero = 0x80;
constexpr uint8_t kPositiveBase = 0xC1;  // the exponent byte of numbers from 1 to below 100
constexpr uint8_t kNegativeBase = 0x3E;
constexpr uint8_t kNegativeEnd = 102;

void AppendDecimal(const Decimal& value, std::string* out) {
  const Decimal shortest = WithoutTrailingZeros(value);
  __int128 unscaled = shortest.unscaled();
  if (unscaled == 0) {
    out->push_back(static_cast<char>(kZero));
    return;
  }
  int scale = shortest.scale();
  if (scale % 2 != 0) {  // an even number of digits after the point
    unscaled *= 10;
    ++scale;
  }
  const bool negative = unscaled < 0;
  std::string digits;  // base 100, the last one first
  for (__int128 rest = negative ? -unscaled : unscaled; rest != 0; rest /= 100) {
    digits.push_back(static_cast<char>(rest % 100));
  }
  const int exponent = static_cast<int>(digits.size()) - scale / 2 - 1;
  out->push_back(static_cast<char>(negative ? kNegativeBase - exponent : kPositiveBase + exponent));
  digits.erase(0, digits.find_first_not_of('\0'));
  std::transform(digits.rbegin(), digits.rend(), std::back_inserter(*out),
                 [&](char digit) { return static_cast<char>(negative ? 101 - digit : digit + 1); });
  if (negative) {
    out->push_back(static_cast<char>(kNegativeEnd));
  }
}

Expected<Value> ReadDecimal(std::string_view bytes, Type type) {
  const auto illegal = [] { return SqlError(201, "22000", "Illegal data. These bytes are not a DECIMAL"); };
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (first == kZero && bytes.size() == 1) {
    return Value(type, Decimal());
  }
  const bool negative = first < kZero;
  const int exponent = negative ? kNegativeBase - first : first - kPositiveBase;
  bytes.remove_prefix(1);
  if (negative && bytes.ends_with(static_cast<char>(kNegativeEnd))) {
    bytes.remove_suffix(1);
  }
  constexpr size_t kMostDigits = 20;
  if (bytes.empty() || bytes.size() > kMostDigits) {
    return illegal();
  }
  __int128 unscaled = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const int digit = negative ? 101 - byte : byte - 1;
    if (digit < 0 || digit > 99) {
      return illegal();
    }
    if (i + 1 == kMostDigits && digit % 10 == 0) {  // 39 digits and a zero
      unscaled = unscaled * 10 + digit / 10;
      return Value(type, Decimal(negative ? -unscaled : unscaled, 2 * (static_cast<int>(i) - exponent) - 1));
    }
    unscaled = unscaled * 100 + digit;
  }
  const Decimal value(negative ? -unscaled : unscaled, 2 * (static_cast<int>(bytes.size()) - 1 - exponent));
  const Decimal shortest = WithoutTrailingZeros(value);
  return Value(type, shortest.scale() < 0 ? Rescale(shortest, 0, /*round=*/false) : shortest);
}

// --- Arrays ---

constexpr char kArrayVersion = 1;

// Elements one after another; of variable width each ends with 00, and runs of NULLs are 00 and the complement of one less than their
// number. Then come where each element begins, where that list begins, the count, and the version.
void AppendArray(const Value::Array& array, const DataType& element, std::string* out) {
  if (FixedBytes(element) > 0) {
    for (const Value& value : array) {
      EncodeValue(value, element, out);
    }
    return;
  }
  const size_t begin = out->size();
  std::vector<size_t> offsets;
  int nulls = 0;
  const auto end_nulls = [&] {
    for (; nulls > 0; nulls -= 255) {
      out->push_back('\0');
      out->push_back(static_cast<char>(~(std::min(nulls, 255) - 1)));
    }
    nulls = 0;
  };
  for (const Value& value : array) {
    if (value.is_null()) {
      offsets.push_back(out->size() - begin);
      ++nulls;
      continue;
    }
    end_nulls();
    offsets.push_back(out->size() - begin);
    EncodeValue(value, element, out);
    out->push_back('\0');
  }
  end_nulls();
  out->append(2, '\0');
  const size_t list = out->size() - begin;
  const bool wide = list > 0xFFFF;
  for (const size_t offset : offsets) {
    if (wide) {
      AppendBigEndian(static_cast<uint32_t>(offset), out);
    } else {
      AppendBigEndian(static_cast<uint16_t>(static_cast<int>(offset) - 0x8000), out);
    }
  }
  AppendBigEndian(static_cast<uint32_t>(list), out);
  const auto count = static_cast<int32_t>(array.size());
  AppendBigEndian(static_cast<uint32_t>(wide ? -count : count), out);
  out->push_back(kArrayVersion);
}

Expected<Value> ReadArray(std::string_view bytes, DataType element) {
  element.array = false;
  const auto illegal = [] { return SqlError(201, "22000", "Illegal data. These bytes are not an ARRAY"); };
  Value::Array array;
  if (const auto width = static_cast<size_t>(FixedBytes(element)); width > 0) {
    if (bytes.size() % width != 0) {
      return illegal();
    }
    for (size_t at = 0; at < bytes.size(); at += width) {
      KLIP_ASSIGN_OR_RETURN(Value value, DecodeValue(bytes.substr(at, width), element));
      array.push_back(std::move(value));
    }
    return Value(element.type, std::move(array));
  }
  constexpr size_t kTail = 9;
  if (bytes.size() < kTail) {
    return illegal();
  }
  const char* const tail = bytes.data() + bytes.size() - kTail;
  const size_t list = ReadBigEndian<uint32_t>(tail);
  const auto count = static_cast<int32_t>(ReadBigEndian<uint32_t>(tail + 4));
  const size_t width = count < 0 ? 4 : 2;
  const auto elements = static_cast<size_t>(std::abs(static_cast<int64_t>(count)));
  if (list > bytes.size() - kTail || (bytes.size() - kTail - list) / width < elements) {
    return illegal();
  }
  for (size_t i = 0; i < elements; ++i) {
    const char* const at = bytes.data() + list + i * width;
    const size_t offset = width == 4 ? ReadBigEndian<uint32_t>(at)
                                     : static_cast<size_t>(static_cast<int16_t>(ReadBigEndian<uint16_t>(at)) + 0x8000);
    if (offset >= list) {
      return illegal();
    }
    const std::string_view rest = bytes.substr(offset, list - offset);
    KLIP_ASSIGN_OR_RETURN(Value value, DecodeValue(rest.substr(0, rest.find('\0')), element));
    array.push_back(std::move(value));
  }
  return Value(element.type, std::move(array));
}

Expected<Value> ReadFixed(const char* data, const DataType& type) {
  const bool is_unsigned = IsUnsigned(type.type);
  switch (type.type) {
    case Type::kBoolean:
      return Value::Boolean(data[0] != 0);
    case Type::kTinyint:
    case Type::kUnsignedTinyint: {
      const auto byte = static_cast<uint8_t>(data[0]);
      return Value(type.type, int64_t{static_cast<int8_t>(is_unsigned ? byte : byte ^ 0x80U)});
    }
    case Type::kSmallint:
    case Type::kUnsignedSmallint:
      return Value(type.type,
                   int64_t{static_cast<int16_t>(ReadBigEndian<uint16_t>(data) ^ (is_unsigned ? 0U : 0x8000U))});
    case Type::kInteger:
    case Type::kUnsignedInt:
      return Value(type.type,
                   int64_t{static_cast<int32_t>(ReadBigEndian<uint32_t>(data) ^ (is_unsigned ? 0U : 1U << 31U))});
    case Type::kFloat:
    case Type::kUnsignedFloat:
      return Value(type.type, double{ReadReal<float, uint32_t, int32_t>(data, is_unsigned)});
    case Type::kDouble:
    case Type::kUnsignedDouble:
      return Value(type.type, ReadReal<double, uint64_t, int64_t>(data, is_unsigned));
    default:
      break;
  }
  const auto whole = static_cast<int64_t>(ReadBigEndian<uint64_t>(data) ^ (is_unsigned ? 0U : uint64_t{1} << 63U));
  if (IsTimestamp(type.type)) {
    return Value(type.type, Value::Timestamp{whole, static_cast<int32_t>(ReadBigEndian<uint32_t>(data + 8))});
  }
  return Value(type.type, whole);
}

}  // namespace

void EncodeValue(const Value& value, const DataType& type, std::string* out) {
  if (value.is_null()) {
    return;
  }
  if (type.array) {
    DataType element = type;
    element.array = false;
    AppendArray(value.array(), element, out);
    return;
  }
  const bool is_unsigned = IsUnsigned(type.type);
  switch (type.type) {
    case Type::kNull:
      break;
    case Type::kBoolean:
      out->push_back(value.boolean() ? '\x01' : '\0');
      break;
    case Type::kTinyint:
    case Type::kUnsignedTinyint:
      AppendWhole<uint8_t>(value.integer(), is_unsigned, out);
      break;
    case Type::kSmallint:
    case Type::kUnsignedSmallint:
      AppendWhole<uint16_t>(value.integer(), is_unsigned, out);
      break;
    case Type::kInteger:
    case Type::kUnsignedInt:
      AppendWhole<uint32_t>(value.integer(), is_unsigned, out);
      break;
    case Type::kFloat:
    case Type::kUnsignedFloat:
      AppendReal<float, uint32_t, int32_t>(static_cast<float>(value.real()), is_unsigned, out);
      break;
    case Type::kDouble:
    case Type::kUnsignedDouble:
      AppendReal<double, uint64_t, int64_t>(value.real(), is_unsigned, out);
      break;
    case Type::kDecimal:
      AppendDecimal(value.decimal(), out);
      break;
    case Type::kVarchar:
    case Type::kVarbinary:
      *out += value.text();
      break;
    case Type::kChar:
    case Type::kBinary: {
      const size_t begin = out->size();
      *out += value.text();
      out->resize(std::max(out->size(), begin + static_cast<size_t>(type.max_length)),
                  type.type == Type::kChar ? ' ' : '\0');
      break;
    }
    case Type::kTimestamp:
    case Type::kUnsignedTimestamp:
      AppendWhole<uint64_t>(value.timestamp().ms, is_unsigned, out);
      AppendBigEndian(static_cast<uint32_t>(value.timestamp().nanos), out);
      break;
    default:
      AppendWhole<uint64_t>(value.integer(), is_unsigned, out);
  }
}

void InvertBytes(Type type, char* begin, char* end) {
  for (char* at = begin; at != end; ++at) {
    *at = type == Type::kBoolean ? static_cast<char>(*at ^ 1) : static_cast<char>(~static_cast<unsigned char>(*at));
  }
}

Expected<Value> DecodeValue(std::string_view bytes, const DataType& type, bool descending) {
  if (bytes.empty()) {
    return Value();
  }
  std::string inverted;
  if (descending) {
    inverted = bytes;
    InvertBytes(type.type, inverted.data(), inverted.data() + inverted.size());
    bytes = inverted;
  }
  if (type.array) {
    return ReadArray(bytes, type);
  }
  switch (type.type) {
    case Type::kVarchar:
    case Type::kVarbinary:
    case Type::kBinary:
      return Value(type.type, std::string(bytes));
    case Type::kChar: {
      const size_t end = bytes.find_last_not_of(' ');
      if (end == std::string_view::npos) {
        return Value();
      }
      return Value(type.type, std::string(bytes.substr(0, end + 1)));
    }
    case Type::kDecimal:
      return ReadDecimal(bytes, type.type);
    case Type::kNull:
      return Value();
    default:
      break;
  }
  if (static_cast<int>(bytes.size()) != FixedBytes(type)) {
    return SqlError(201, "22000",
                    "Illegal data. Expected length of at least " + std::to_string(FixedBytes(type)) +
                        " bytes, but had " + std::to_string(bytes.size()) + " for " + ToString(type));
  }
  return ReadFixed(bytes.data(), type);
}

}  // namespace klip::sql
