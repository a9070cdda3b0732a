// MD5, ENCODE and DECODE; bits and bytes of a value; row keys as text.
#include <algorithm>
#include <array>
#include <cctype>

#include "base/digest.h"
#include "klip/bytes.h"
#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

// As in a cell.
std::string BytesOfValue(const Value& value, const DataType& type) {
  std::string bytes;
  EncodeValue(value, type, &bytes);
  return bytes;
}

DataType DigestType(ArgumentTypes /*arguments*/) { return {.type = Type::kBinary, .max_length = 16}; }
DataType WholeType(ArgumentTypes /*arguments*/) { return {Type::kInteger}; }
DataType VarbinaryType(ArgumentTypes /*arguments*/) { return {Type::kVarbinary}; }
DataType EncodedType(ArgumentTypes /*arguments*/) { return {Type::kVarchar}; }
DataType BytesType(ArgumentTypes arguments) {
  return IsBytes(arguments[0].type.type) ? arguments[0].type : DataType{Type::kVarbinary};
}

DataType SameType(ArgumentTypes arguments) { return arguments[0].type; }

Expected<Value> RowKeyText(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value::Text(ToStringBinary(values[0].text()));
}

// In Phoenix, the inversion changes how the value is stored in an index, not the value.
Expected<Value> Same(std::span<const Value> values, std::span<const DataType> /*types*/) { return values[0]; }

Expected<Value> DigestOf(std::span<const Value> values, std::span<const DataType> types) {
  return Value(Type::kBinary, base::Md5(BytesOfValue(values[0], types[0])));
}

// Positions count from 0, or from the end if negative, and wrap around.
size_t Position(int64_t at, size_t size) {
  auto length = static_cast<int64_t>(size);
  return static_cast<size_t>((at % length + length) % length);
}

// The lowest bit of a byte is its first.
Expected<Value> GetBit(std::span<const Value> values, std::span<const DataType> types) {
  std::string bytes = BytesOfValue(values[0], types[0]);
  size_t at = Position(values[1].integer(), bytes.size() * 8);
  return Value(Type::kInteger, int64_t{(static_cast<unsigned char>(bytes[at / 8]) >> (at % 8)) & 1});
}

Expected<Value> SetBit(std::span<const Value> values, std::span<const DataType> types) {
  std::string bytes = BytesOfValue(values[0], types[0]);
  size_t at = Position(values[1].integer(), bytes.size() * 8);
  auto mask = static_cast<unsigned char>(1U << (at % 8));
  auto byte = static_cast<unsigned char>(bytes[at / 8]);
  bytes[at / 8] = static_cast<char>((values[2].integer() & 1) != 0 ? byte | mask : byte & ~mask);
  return Value(types[0].type == Type::kBinary ? Type::kBinary : Type::kVarbinary, std::move(bytes));
}

Expected<Value> GetByte(std::span<const Value> values, std::span<const DataType> types) {
  std::string bytes = BytesOfValue(values[0], types[0]);
  return Value(Type::kInteger, int64_t{static_cast<signed char>(bytes[Position(values[1].integer(), bytes.size())])});
}

Expected<Value> SetByte(std::span<const Value> values, std::span<const DataType> types) {
  std::string bytes = BytesOfValue(values[0], types[0]);
  bytes[Position(values[1].integer(), bytes.size())] = static_cast<char>(values[2].integer());
  return Value(types[0].type == Type::kBinary ? Type::kBinary : Type::kVarbinary, std::move(bytes));
}

std::string UpperText(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

Status BadEncoding(std::string_view why) { return SqlError(201, "22000", "Illegal data. " + std::string(why)); }

// The error for a format that klip does not support, or nobody knows.
Status UnsupportedFormat(std::string_view function, const std::string& format) {
  bool known = format == "HEX" || format == "BASE62" || format == "BASE64" || format == "ASCII" || format == "HBASE";
  return known ? BadEncoding("Unsupported encoding \"" + format + "\"")
               : SqlError(203, "22005",
                          "Type mismatch. expected: [HEX, BASE62, BASE64, ASCII, HBASE] but was: " + format + " at " +
                              std::string(function) + " argument 2");
}

Expected<Value> EncodeNumber(std::span<const Value> values, std::span<const DataType> /*types*/) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (std::string format = UpperText(values[1].text()); format != "BASE62") {
    return UnsupportedFormat("ENCODE", format);
  }
  int64_t number = values[0].integer();
  uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  std::string text;
  do {
    text.insert(0, 1, kDigits[rest % 62]);
    rest /= 62;
  } while (rest != 0);
  return Value::Text((number < 0 ? "-" : "") + text);
}

int HexDigit(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  size_t at = kDigits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

Expected<Value> DecodeHex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    int high = HexDigit(text[i]);
    int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) {
      return BadEncoding("Value " + std::string(text.substr(i, 2)) + " cannot be cast to hex number");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return text.size() % 2 == 1 ? Expected<Value>(BadEncoding("Invalid value length, cannot cast to hex number (" +
                                                            std::string(text) + ")"))
                              : Value::Bytes(std::move(bytes));
}

// Padding is optional.
Expected<Value> DecodeBase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;  // number of pending bits
  size_t end = text.find_last_not_of('=');
  size_t digits = end == std::string_view::npos ? 0 : end + 1;
  bool whole = digits == text.size() || (text.size() % 4 == 0 && text.size() - digits <= 2);
  for (char c : text.substr(0, digits)) {
    size_t digit = kDigits.find(c);
    whole = whole && digit != std::string_view::npos;
    bits = ((bits << 6) | static_cast<unsigned>(digit)) & 0xFFFF;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count);
    }
  }
  return !whole || digits % 4 == 1 ? Expected<Value>(BadEncoding("Illegal base64 text")) : Value::Bytes(bytes);
}

// "a\x00b", as the shell prints keys.
Expected<Value> DecodeEscapes(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i++) {
    bool escape = text.substr(i).starts_with("\\x") && i + 3 < text.size();
    if (escape && HexDigit(text[i + 2]) >= 0 && HexDigit(text[i + 3]) >= 0) {
      bytes += static_cast<char>(HexDigit(text[i + 2]) * 16 + HexDigit(text[i + 3]));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return Value::Bytes(std::move(bytes));
}

Expected<Value> DecodeText(std::span<const Value> values, std::span<const DataType> /*types*/) {
  std::string format = UpperText(values[1].text());
  return format == "HEX"      ? DecodeHex(values[0].text())
         : format == "BASE64" ? DecodeBase64(values[0].text())
         : format == "HBASE"  ? DecodeEscapes(values[0].text())
                              : Expected<Value>(UnsupportedFormat("DECODE", format));
}

}  // namespace

std::span<const FunctionEntry> BytesFunctions() {
  static const std::vector<Type> kBytes = {Type::kBinary, Type::kVarbinary};
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<Type> kWhole = {Type::kInteger};
  static const std::vector<FunctionEntry> kTable = {
      {"MD5", 1, {Argument::Shape::kAny}, DigestType, DigestOf},
      {"ENCODE", 2, {{Type::kBigint}, kText}, EncodedType, EncodeNumber},
      {"DECODE", 2, {kText, kText}, VarbinaryType, DecodeText},
      {"GET_BIT", 2, {kBytes, kWhole}, WholeType, GetBit},
      {"SET_BIT", 3, {kBytes, kWhole, kWhole}, BytesType, SetBit},
      {"GET_BYTE", 2, {kBytes, kWhole}, WholeType, GetByte},
      {"SET_BYTE", 3, {kBytes, kWhole, kWhole}, BytesType, SetByte},
      {"ROWKEY_BYTES_STRING", 1, {kBytes}, EncodedType, RowKeyText},
      {"INVERT", 1, {Argument::Shape::kAny}, SameType, Same},
  };
  return kTable;
}

}  // namespace klip::sql
