#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr size_t kMaxDecimalBytes = 21;
constexpr char kDecimalEnd = 0x66;  // after the digits of a negative DECIMAL
// 38 nines.
constexpr __int128 kMostUnscaled = __int128{10'000'000'000'000'000'000U} * 10'000'000'000'000'000'000U - 1;
constexpr char kArrayVersion = 1;
constexpr size_t kArrayTrailer = 9;  // position and number of the offsets, version
constexpr int kShortBias = 32767;    // of an offset in two bytes
constexpr int kMaxShortOffset = 2 * 32767;

bool IsUnsigned(Type type) {
  return (type >= Type::kUnsignedTinyint && type <= Type::kUnsignedLong) || type == Type::kUnsignedFloat ||
         type == Type::kUnsignedDouble || type >= Type::kUnsignedDate;
}

void AppendBigEndian(uint64_t bits, size_t bytes, std::string* out) {
  std::array<char, 8> buffer;
  for (size_t i = 0; i < bytes; i++) {
    buffer[i] = static_cast<char>(bits >> (8 * (bytes - 1 - i)));
  }
  out->append(buffer.data(), bytes);
}

// REQUIRES: at most 8 bytes.
uint64_t BigEndian(std::string_view bytes) {
  uint64_t bits = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
  }
  return bits;
}

uint64_t SignOf(size_t bytes) { return uint64_t{1} << (8 * bytes - 1); }

int64_t SignExtend(uint64_t bits, size_t bytes) {
  int shift = static_cast<int>(64 - 8 * bytes);
  return static_cast<int64_t>(bits << shift) >> shift;
}

void AppendWhole(int64_t value, Type type, size_t bytes, std::string* out) {
  AppendBigEndian(static_cast<uint64_t>(value) ^ (IsUnsigned(type) ? 0 : SignOf(bytes)), bytes, out);
}

int64_t WholeOf(std::string_view bytes, Type type) {
  return SignExtend(BigEndian(bytes) ^ (IsUnsigned(type) ? 0 : SignOf(bytes.size())), bytes.size());
}

// The bits of a FLOAT or DOUBLE, so that byte order is the order of values.
template <typename Bits>
Bits OrderedBits(Bits bits) {
  using Signed = std::make_signed_t<Bits>;
  constexpr int kSign = std::numeric_limits<Bits>::digits - 1;
  return (bits ^ (static_cast<Bits>(static_cast<Signed>(bits) >> kSign) | Bits{1} << kSign)) + 1;
}

template <typename Bits>
Bits BitsOfOrdered(Bits ordered) {
  using Signed = std::make_signed_t<Bits>;
  constexpr int kSign = std::numeric_limits<Bits>::digits - 1;
  Bits bits = ordered - 1;
  return bits ^ (static_cast<Bits>(static_cast<Signed>(~bits) >> kSign) | Bits{1} << kSign);
}

void AppendReal(double value, Type type, std::string* out) {
  if (std::isnan(value)) {
    value = std::numeric_limits<double>::quiet_NaN();
  }
  if (type == Type::kFloat || type == Type::kUnsignedFloat) {
    auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    AppendBigEndian(type == Type::kFloat ? OrderedBits(bits) : bits, 4, out);
  } else {
    auto bits = std::bit_cast<uint64_t>(value);
    AppendBigEndian(type == Type::kDouble ? OrderedBits(bits) : bits, 8, out);
  }
}

double RealOf(std::string_view bytes, Type type) {
  uint64_t bits = BigEndian(bytes);
  if (bytes.size() == 4) {
    auto half = static_cast<uint32_t>(bits);
    return std::bit_cast<float>(type == Type::kFloat ? BitsOfOrdered(half) : half);
  }
  return std::bit_cast<double>(type == Type::kDouble ? BitsOfOrdered(bits) : bits);
}

void AppendDecimal(const Decimal& value, std::string* out) {
  Decimal plain = WithoutTrailingZeros(value);
  if (plain.unscaled() == 0) {
    *out += '\x80';
    return;
  }
  bool negative = plain.unscaled() < 0;
  auto rest = static_cast<unsigned __int128>(negative ? -plain.unscaled() : plain.unscaled());
  bool odd = plain.scale() % 2 != 0;
  int scale = plain.scale() + (odd ? 1 : 0);
  std::array<char, kMaxDecimalBytes> digits;  // base 100, from the end
  size_t at = digits.size();
  for (bool first = odd; rest != 0; first = false) {
    auto digit = static_cast<int>(first ? rest % 10 * 10 : rest % 100);
    rest /= first ? 10 : 100;
    digits[--at] = static_cast<char>(negative ? 101 - digit : digit + 1);
  }
  size_t count = digits.size() - at;
  int exponent = static_cast<int>(count) - 1 - scale / 2;
  int head = 0xC1 + exponent;
  *out += static_cast<char>(negative ? ~head : head);
  out->append(digits.data() + at, count);
  if (negative && count + 2 <= kMaxDecimalBytes) {
    *out += kDecimalEnd;
  }
}

Status WrongBytes(Type type) {
  return {Code::kInvalidArgument, "not the bytes of a value of type " + std::string(TypeName(type))};
}

Expected<Decimal> DecimalOf(std::string_view bytes) {
  auto head = static_cast<unsigned char>(bytes[0]);
  if (head == 0x80 && bytes.size() == 1) {
    return Decimal();
  }
  bool negative = head < 0x80;
  std::string_view digits = bytes.substr(1);
  if (negative && digits.ends_with(kDecimalEnd)) {
    digits.remove_suffix(1);
  }
  if (digits.empty() || digits.size() > kMaxDecimalBytes - 1) {
    return WrongBytes(Type::kDecimal);
  }
  int exponent = (negative ? 0xFF - head : head) - 0xC1;
  int scale = 2 * (static_cast<int>(digits.size()) - 1 - exponent);
  __int128 unscaled = 0;
  for (size_t i = 0; i < digits.size(); i++) {
    int digit = negative ? 101 - static_cast<unsigned char>(digits[i]) : static_cast<unsigned char>(digits[i]) - 1;
    bool half = i + 1 == digits.size() && digit % 10 == 0;  // an odd number of decimal digits
    if (digit < 0 || digit > 99 || unscaled > (half ? kMostUnscaled / 10 : kMostUnscaled / 100)) {
      return WrongBytes(Type::kDecimal);
    }
    unscaled = half ? unscaled * 10 + digit / 10 : unscaled * 100 + digit;
    scale -= half ? 1 : 0;
  }
  return Decimal(negative ? -unscaled : unscaled, scale);
}

void Complement(char* begin, char* end) {
  for (char* at = begin; at != end; at++) {
    *at = static_cast<char>(~*at);
  }
}

// The bytes that EncodeValue appends for one value that is not an array.
void AppendOne(const Value& value, const DataType& type, std::string* out) {
  switch (type.type) {
    case Type::kNull:
      return;
    case Type::kBoolean:
      *out += value.boolean() ? '\1' : '\0';
      return;
    case Type::kFloat:
    case Type::kDouble:
    case Type::kUnsignedFloat:
    case Type::kUnsignedDouble:
      return AppendReal(value.real(), type.type, out);
    case Type::kDecimal:
      return AppendDecimal(value.decimal(), out);
    case Type::kChar:
    case Type::kVarchar:
    case Type::kBinary:
    case Type::kVarbinary: {
      *out += value.text();
      auto width = static_cast<size_t>(FixedBytes(type));
      if (value.text().size() < width) {
        out->append(width - value.text().size(), type.type == Type::kChar ? ' ' : '\0');
      }
      return;
    }
    case Type::kTimestamp:
    case Type::kUnsignedTimestamp:
      AppendWhole(value.timestamp().ms, type.type, 8, out);
      return AppendBigEndian(static_cast<uint64_t>(value.timestamp().nanos), 4, out);
    default:
      return AppendWhole(value.integer(), type.type, static_cast<size_t>(FixedBytes(type)), out);
  }
}

DataType ElementOf(const DataType& type) {
  DataType element = type;
  element.array = false;
  return element;
}

// The separator and the number of NULLs: more of them sort first.
void AppendNulls(int nulls, std::string* out) {
  if (nulls > 0) {
    *out += '\0';
    out->append(static_cast<size_t>(nulls / 255), '\1');
    if (nulls % 255 > 0) {
      *out += static_cast<char>(~(nulls % 255 - 1));
    }
  }
}

// Elements of the same length in sequence. Such an array has no NULL: Phoenix writes 0.
void AppendFixedArray(const Value::Array& array, DataType element, std::string* out, bool descending) {
  if (element.max_length == 0 && (IsText(element.type) || IsBytes(element.type))) {
    for (const Value& value : array) {
      element.max_length = std::max(element.max_length, value.is_null() ? 0 : static_cast<int>(value.text().size()));
    }
  }
  size_t begin = out->size();
  for (const Value& value : array) {
    if (!value.is_null()) {
      AppendOne(value, element, out);
    } else if (IsWhole(element.type)) {
      AppendWhole(0, element.type, static_cast<size_t>(FixedBytes(element)), out);
    } else {
      out->append(static_cast<size_t>(FixedBytes(element)), element.type == Type::kChar ? ' ' : '\0');
    }
  }
  if (descending) {
    Complement(out->data() + begin, out->data() + out->size());
  }
}

void AppendArray(const Value::Array& array, const DataType& element, std::string* out, bool descending) {
  if (array.empty()) {
    return;
  }
  if (element.type == Type::kChar || element.type == Type::kBinary || FixedBytes(element) > 0) {
    return AppendFixedArray(array, element, out, descending);
  }
  const char separator = descending ? '\xFF' : '\0';
  const size_t begin = out->size();
  std::vector<int> offsets;
  int nulls = 0;
  for (const Value& value : array) {
    if (value.is_null()) {
      offsets.push_back(static_cast<int>(out->size() - begin));
      nulls++;
      continue;
    }
    AppendNulls(nulls, out);
    nulls = 0;
    offsets.push_back(static_cast<int>(out->size() - begin));
    size_t from = out->size();
    AppendOne(value, element, out);
    if (descending) {
      Complement(out->data() + from, out->data() + out->size());
    }
    *out += separator;
  }
  out->append(2, separator);
  const size_t table = out->size() - begin;
  const bool shorts = offsets.back() <= kMaxShortOffset;
  for (int offset : offsets) {
    AppendBigEndian(static_cast<uint64_t>(int64_t{offset} - (shorts ? kShortBias : 0)), shorts ? 2 : 4, out);
  }
  auto count = static_cast<int64_t>(offsets.size());
  AppendBigEndian(table, 4, out);
  AppendBigEndian(static_cast<uint64_t>(shorts ? count : -count), 4, out);
  *out += kArrayVersion;
}

Expected<Value> FixedArrayOf(std::string_view bytes, const DataType& element, bool descending) {
  auto width = static_cast<size_t>(FixedBytes(element));
  if (width == 0 || bytes.size() % width != 0) {
    return WrongBytes(element.type);
  }
  std::string plain;
  if (descending) {
    plain = bytes;
    Complement(plain.data(), plain.data() + plain.size());
    bytes = plain;
  }
  Value::Array array;
  for (size_t at = 0; at < bytes.size(); at += width) {
    KLIP_ASSIGN_OR_RETURN(Value value, DecodeValue(bytes.substr(at, width), element));
    array.push_back(std::move(value));
  }
  return Value(element.type, std::move(array));
}

Expected<Value> ArrayOf(std::string_view bytes, const DataType& element, bool descending) {
  if (element.type == Type::kChar || element.type == Type::kBinary || FixedBytes(element) > 0) {
    return FixedArrayOf(bytes, element, descending);
  }
  if (bytes.size() < kArrayTrailer + 2) {
    return WrongBytes(element.type);
  }
  std::string_view trailer = bytes.substr(bytes.size() - kArrayTrailer);
  auto table = static_cast<size_t>(BigEndian(trailer.substr(0, 4)));
  int64_t signed_count = SignExtend(BigEndian(trailer.substr(4, 4)), 4);
  const bool shorts = signed_count >= 0;
  const size_t width = shorts ? 2 : 4;
  const auto count = static_cast<size_t>(shorts ? signed_count : -signed_count);
  if (trailer.back() != kArrayVersion || table < 2 || table + width * count + kArrayTrailer != bytes.size()) {
    return WrongBytes(element.type);
  }
  auto offset = [&](size_t i) {
    int64_t stored = SignExtend(BigEndian(bytes.substr(table + i * width, width)), width);
    return static_cast<size_t>(stored + (shorts ? kShortBias : 0));
  };
  Value::Array array(count);
  for (size_t i = 0; i < count; i++) {
    size_t begin = offset(i);
    size_t end = i + 1 < count ? offset(i + 1) : table - 2;
    if (begin >= table || end > table) {
      return WrongBytes(element.type);
    }
    if (bytes[begin] == '\0' || bytes[begin] == '\xFF') {
      continue;
    }
    if (end <= begin) {
      return WrongBytes(element.type);
    }
    KLIP_ASSIGN_OR_RETURN(array[i], DecodeValue(bytes.substr(begin, end - begin - 1), element, descending));
  }
  return Value(element.type, std::move(array));
}

Expected<Value> OneOf(std::string_view bytes, const DataType& type) {
  int width = FixedBytes(type);
  if (width > 0 && bytes.size() != static_cast<size_t>(width) && !IsText(type.type) && !IsBytes(type.type)) {
    return WrongBytes(type.type);
  }
  switch (type.type) {
    case Type::kNull:
      return Value();
    case Type::kBoolean:
      return Value(type.type, bytes[0] != 0);
    case Type::kFloat:
    case Type::kDouble:
    case Type::kUnsignedFloat:
    case Type::kUnsignedDouble:
      return Value(type.type, RealOf(bytes, type.type));
    case Type::kDecimal: {
      KLIP_ASSIGN_OR_RETURN(Decimal decimal, DecimalOf(bytes));
      return Value(type.type, decimal);
    }
    case Type::kChar:
      return bytes.empty() ? Value() : Value(type.type, std::string(HeldChar(bytes)));
    case Type::kVarchar:
    case Type::kBinary:
    case Type::kVarbinary:
      return Value(type.type, std::string(bytes));
    case Type::kTimestamp:
    case Type::kUnsignedTimestamp:
      return Value(type.type, Value::Timestamp{WholeOf(bytes.substr(0, 8), type.type),
                                               static_cast<int32_t>(BigEndian(bytes.substr(8)))});
    default:
      return Value(type.type, WholeOf(bytes, type.type));
  }
}

}  // namespace

int64_t DecodeWhole(std::string_view bytes, Type type, bool descending) {
  int64_t whole = WholeOf(bytes, type);
  return !descending ? whole : IsUnsigned(type) ? SignExtend(static_cast<uint64_t>(~whole), bytes.size()) : ~whole;
}

void EncodeValue(const Value& value, const DataType& type, std::string* out, bool descending) {
  if (value.is_null()) {
    return;
  }
  if (type.array) {
    return AppendArray(value.array(), ElementOf(type), out, descending);
  }
  size_t begin = out->size();
  AppendOne(value, type, out);
  if (descending) {
    InvertBytes(type.type, out->data() + begin, out->data() + out->size());
  }
}

void InvertBytes(Type type, char* begin, char* end) {
  if (type != Type::kBoolean) {
    return Complement(begin, end);
  }
  for (char* at = begin; at != end; at++) {
    *at = *at == 0 ? '\1' : '\0';
  }
}

Expected<Value> DecodeValue(std::string_view bytes, const DataType& type, bool descending) {
  if (bytes.empty()) {
    return Value();
  }
  if (type.array) {
    return ArrayOf(bytes, ElementOf(type), descending);
  }
  if (!descending) {
    return OneOf(bytes, type);
  }
  std::array<char, 32> buffer;  // enough except for long texts and bytes
  std::string longer;
  char* plain = buffer.data();
  if (bytes.size() > buffer.size()) {
    longer.resize(bytes.size());
    plain = longer.data();
  }
  std::memcpy(plain, bytes.data(), bytes.size());
  InvertBytes(type.type, plain, plain + bytes.size());
  return OneOf({plain, bytes.size()}, type);
}

}  // namespace klip::sql
