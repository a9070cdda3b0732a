#include <algorithm>
#include <optional>
#include <string>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"
#include "sql/types/memory.h"

namespace klip::sql {
namespace {

DataType TextType(ArgumentTypes /*arguments*/) { return {Type::kVarchar}; }
// CHAR(n) for a part of CHAR whose length is a constant.
DataType PartType(ArgumentTypes arguments) {
  const DataType& of = arguments[0].type;
  if (of.type != Type::kChar || of.max_length <= 0) {
    return {Type::kVarchar};
  }
  const auto constant = [&](size_t i) {
    const Value* const value = i < arguments.size() ? arguments[i].constant : nullptr;
    return value != nullptr && !value->is_null() ? std::optional(value->integer()) : std::nullopt;
  };
  const std::optional<int64_t> from = constant(1);
  const std::optional<int64_t> wanted = constant(2);
  std::optional<int64_t> length = wanted;
  if (arguments.size() == 2 && from.has_value()) {
    length = *from >= 0 ? of.max_length - std::max<int64_t>(*from - 1, 0) : -std::max<int64_t>(*from, -of.max_length);
  }
  if (!length.has_value()) {
    return {Type::kVarchar};
  }
  return {.type = Type::kChar, .max_length = static_cast<int>(std::clamp<int64_t>(*length, 0, of.max_length))};
}

DataType CountType(ArgumentTypes /*arguments*/) { return {Type::kInteger}; }

bool BeginsCharacter(char c) { return (c & 0xC0) != 0x80; }

int64_t CountCharacters(std::string_view text) { return std::count_if(text.begin(), text.end(), BeginsCharacter); }

// The byte offset of a character, counted from 0.
size_t OffsetOf(std::string_view text, int64_t character) {
  for (size_t i = 0; i < text.size(); i++) {
    if (BeginsCharacter(text[i]) && character-- == 0) {
      return i;
    }
  }
  return text.size();
}

// Only blanks: Phoenix keeps tabs and other control characters.
std::string_view WithoutBlanks(std::string_view text, bool left, bool right) {
  while (left && text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (right && text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

template <bool kLeft, bool kRight>
Expected<Value> TrimText(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value::Text(std::string(WithoutBlanks(values[0].text(), kLeft, kRight)));
}

// For CHAR, includes the padding.
Expected<Value> LengthOfText(std::span<const Value> values, std::span<const DataType> types) {
  int64_t length = types[0].type == Type::kChar && types[0].max_length > 0 ? int64_t{types[0].max_length}
                                                                           : CountCharacters(values[0].text());
  return Value(Type::kInteger, length);
}

Expected<Value> FindText(std::span<const Value> values, std::span<const DataType> /*types*/) {
  std::string_view text = values[0].text();
  size_t at = text.find(values[1].text());
  int64_t position = at == std::string_view::npos ? 0 : CountCharacters(text.substr(0, at)) + 1;
  return Value(Type::kInteger, position);
}

// The text as in a cell: CHAR with its padding.
std::string Padded(const Value& value, const DataType& type) {
  std::string text = value.text();
  if (type.type == Type::kChar && text.size() < static_cast<size_t>(type.max_length)) {
    text.resize(static_cast<size_t>(type.max_length), ' ');
  }
  return text;
}

// Counts from 1, or from the end if negative. CHAR includes its padding.
Expected<std::unique_ptr<BoundFunction>> BindSubstring(ArgumentTypes arguments) {
  const DataType type = PartType(arguments);
  auto part = [of = arguments[0].type, type](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    std::string text = Padded(values[0], of);
    int64_t size = CountCharacters(text);
    int64_t from = values[1].integer() - (values[1].integer() > 0 ? 1 : 0);
    from += from < 0 ? size : 0;
    int64_t length = values.size() > 2 ? values[2].integer() : size;
    if (from < 0 || from >= size || length <= 0) {
      return Value();
    }
    size_t begin = OffsetOf(text, from);
    size_t end = OffsetOf(text, from + std::min(length, size - from));
    text = text.substr(begin, end - begin);
    if (type.type != Type::kChar) {
      return Value::Text(std::move(text));
    }
    return Value(Type::kChar, std::string(HeldChar(text)));
  };
  return MakeBoundFunction(type, part);
}

Expected<Value> PadLeft(const std::string& text, const std::string& fill, int64_t length) {
  int64_t missing = length - CountCharacters(text);
  if (missing <= 0) {
    return length < 0 ? Value() : Value::Text(text.substr(0, OffsetOf(text, length)));
  }
  const int64_t width = CountCharacters(fill);
  if (width == 0) {
    return SqlError(201, "22000", "Illegal data. LPAD cannot fill with a text that has no character");
  }
  int64_t fills = missing / width;
  if (static_cast<uint64_t>(fills + 1) > kMaxResultBytes / fill.size()) {
    return ResultTooLarge("LPAD");
  }
  KLIP_RETURN_IF_ERROR(CheckRoomFor(static_cast<size_t>(fills + 1) * fill.size()));
  std::string result;
  for (int64_t i = 0; i < fills; i++) {
    result += fill;
  }
  return Value::Text(result + fill.substr(0, OffsetOf(fill, missing % width)) + text);
}

// Also pads a NULL text.
Expected<std::unique_ptr<BoundFunction>> BindPadLeft(ArgumentTypes arguments) {
  auto pad = [text = arguments[0].type, fill = arguments.size() > 2 ? arguments[2].type : DataType()](
                 std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    bool filled = values.size() > 2;
    if (values[1].is_null() || (filled && values[2].is_null())) {
      return Value();
    }
    return PadLeft(values[0].is_null() ? std::string() : Padded(values[0], text),
                   filled ? Padded(values[2], fill) : " ", values[1].integer());
  };
  return MakeBoundFunction({Type::kVarchar}, pad, Nulls::kPassed);
}

Expected<Value> CountBytes(std::span<const Value> values, std::span<const DataType> types) {
  std::string bytes;
  EncodeValue(values[0], types[0], &bytes);
  return Value(Type::kInteger, static_cast<int64_t>(bytes.size()));
}

// Of the first argument's type, as in Phoenix; klip accepts more than two.
Expected<std::unique_ptr<BoundFunction>> BindCoalesce(ArgumentTypes arguments) {
  DataType type;
  for (const FunctionArgument& argument : arguments) {
    type = type.type == Type::kNull && (!type.array || argument.type.array) ? argument.type : type;
    Expected<Value> fits = argument.constant == nullptr ? Value() : Convert(*argument.constant, type);
    const bool null = argument.type.type == Type::kNull && !argument.type.array;
    if (!fits.ok() || (!null && type.array != argument.type.array)) {
      return SqlError(203, "22005",
                      "Type mismatch. COALESCE expected " + ToString(type) + ", but got " + ToString(argument.type));
    }
    type.max_length = argument.type.max_length == 0 ? 0 : std::max(type.max_length, argument.type.max_length);
  }
  DataType unlimited = {.type = type.type, .array = type.array};
  auto first_not_null = [unlimited](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    auto found = std::find_if(values.begin(), values.end(), [](const Value& value) { return !value.is_null(); });
    return found == values.end() ? Value() : Convert(*found, unlimited, /*cast=*/true);
  };
  return MakeBoundFunction(type, first_not_null, Nulls::kPassed);
}

Expected<Value> ReverseText(std::span<const Value> values, std::span<const DataType> /*types*/) {
  std::string_view text = values[0].text();
  std::string reversed;
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && !BeginsCharacter(text[begin])) {
      begin--;
    }
    reversed += text.substr(begin, end - begin);
    end = begin;
  }
  return Value::Text(std::move(reversed));
}

}  // namespace

std::span<const FunctionEntry> TextFunctions() {
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<Type> kWhole = {Type::kBigint};
  static const std::vector<Type> kBytes = {Type::kBinary, Type::kVarbinary};
  static const std::vector<FunctionEntry> kTable = {
      {"TRIM", 1, {kText}, TextType, TrimText<true, true>},
      {"LTRIM", 1, {kText}, TextType, TrimText<true, false>},
      {"RTRIM", 1, {kText}, TextType, TrimText<false, true>},
      {"LENGTH", 1, {kText}, CountType, LengthOfText},
      {"INSTR", 2, {kText, kText}, CountType, FindText},
      {"SUBSTR", 2, {kText, kWhole, kWhole}, nullptr, nullptr, BindSubstring},
      {"LPAD", 2, {kText, {Type::kInteger}, kText}, nullptr, nullptr, BindPadLeft},
      {"OCTET_LENGTH", 1, {kBytes}, CountType, CountBytes},
      {"COALESCE", 2, std::vector<Argument>(16, Argument::Shape::kAny), nullptr, nullptr, BindCoalesce},
      {"REVERSE", 1, {kText}, TextType, ReverseText},
  };
  return kTable;
}

}  // namespace klip::sql
