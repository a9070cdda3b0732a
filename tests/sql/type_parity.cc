// Compares SQL's types with Phoenix's, as printed by compat/phoenix/PrintTypes to standard input. Exit code 1 if any
// differs.
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

std::vector<std::string> Split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  while (true) {
    size_t end = line.find(separator);
    parts.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    line.remove_prefix(end + 1);
  }
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

Expected<Value> Read(const std::string& text, const DataType& type) {
  if (IsTimestamp(type.type)) {
    std::vector<std::string> parts = Split(text, ' ');
    return Value(type.type, Value::Timestamp{std::stoll(parts[0]), std::stoi(parts[1])});
  }
  return IsTime(type.type) ? Value(type.type, int64_t{std::stoll(text)}) : Convert(Value::Text(text), type);
}

Expected<Value> ReadArray(const std::string& text, DataType type) {
  Value::Array array;
  type.array = false;
  for (const std::string& part : Split(text, ' ')) {
    KLIP_ASSIGN_OR_RETURN(Value value, part.empty() ? Expected<Value>(Value()) : Read(part, type));
    array.push_back(std::move(value));
  }
  return Value(type.type, std::move(array));
}

// "value" and "array": type, value, bytes in ascending and in descending order.
std::string CompareBytes(const std::vector<std::string>& line) {
  DataType type{.type = TypeOf(line[1]), .array = line[0] == "array"};
  if (type.type == Type::kChar || type.type == Type::kBinary) {
    type.max_length = static_cast<int>(line[2].size());
  }
  Expected<Value> value = type.array ? ReadArray(line[2], type) : Read(line[2], type);
  if (!value.ok()) {
    return value.status().message();
  }
  for (bool descending : {false, true}) {
    std::string bytes;
    EncodeValue(*value, type, &bytes, descending);
    if (Hex(bytes) != line[descending ? 4 : 3]) {
      return std::string(descending ? "descending: " : "ascending: ") + Hex(bytes);
    }
    Expected<Value> back = DecodeValue(bytes, type, descending);
    if (!back.ok() || CompareValues(*back, *value) != 0) {
      return "read back: " + (back.ok() ? back->ToString() : back.status().message());
    }
  }
  return "";
}

// What differs; empty: nothing.
std::string Compare(const std::vector<std::string>& line) {
  if (line[0] == "value" || line[0] == "array") {
    return CompareBytes(line);
  }
  Type type = TypeOf(line[1]);
  if (line[0] == "coerces") {
    bool coerces = Coercible(type, TypeOf(line[2]));
    return coerces == (line[3] == "true") ? "" : coerces ? "true" : "false";
  }
  bool same = std::to_string(PhoenixType({type})) == line[2] && std::to_string(JdbcType({type})) == line[3];
  return line[0] == "type" && same ? "" : "other numbers";
}

int Main() {
  int64_t lines = 0;
  int64_t different = 0;
  for (std::string line; std::getline(std::cin, line); lines++) {
    std::string difference = Compare(Split(line, '\t'));
    if (!difference.empty() && ++different <= 20) {
      std::cout << "Phoenix: " << line << "\n   klip: " << difference << '\n';
    }
  }
  std::cout << lines << " lines of Phoenix's types, " << different << " different\n";
  return lines > 0 && different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace klip::sql

int main() { return klip::sql::Main(); }
