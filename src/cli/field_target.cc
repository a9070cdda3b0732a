#include "cli/field_target.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

constexpr std::pair<std::string_view, FieldTarget::Value> kTypes[] = {
    {"int", FieldTarget::Value::kInt}, {"long", FieldTarget::Value::kLong}, {"hex", FieldTarget::Value::kHex}};

// Whether it could be meant as the name of a type.
bool IsWord(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto in_word = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, in_word);
}

std::optional<std::string> BytesOfHex(std::string_view text) {
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string escaped;
  for (size_t i = 0; i < text.size(); i += 2) {
    escaped.append("\\x").append(text.substr(i, 2));
  }
  return FromStringBinary(escaped);
}

Expected<FieldTarget> ParseColumnTarget(std::string_view text) {
  FieldTarget target{.kind = FieldTarget::Kind::kColumn};
  const size_t last = text.rfind(':');
  if (last > text.find(':') && IsWord(text.substr(last + 1))) {  // "d:int" is a column of that name
    const std::string_view name = text.substr(last + 1);
    const auto* const type = std::ranges::find(kTypes, name, &std::pair<std::string_view, FieldTarget::Value>::first);
    if (type == std::end(kTypes)) {
      return UsageError(fmt::format(
          "column '{}': there is no type '{}'; the types are int, long and hex. If the qualifier contains the "
          "colon, write {}\\x3A{}",
          text, name, text.substr(0, last), name));
    }
    target.value = type->second;
    text = text.substr(0, last);
  }
  KLIP_ASSIGN_OR_RETURN(ColumnSpec column, ParseColumn(text));
  target.family = std::move(column.family);
  target.qualifier = *std::move(column.qualifier);
  return target;
}

}  // namespace

Expected<FieldTarget> ParseFieldTarget(std::string_view text, const std::optional<RowKeySchema>& schema) {
  if (text.empty() || text == "-") {
    return FieldTarget();
  }
  if (text == "HBASE_ROW_KEY") {
    return FieldTarget{.kind = FieldTarget::Kind::kRow};
  }
  if (text == "HBASE_TS_KEY") {
    return FieldTarget{.kind = FieldTarget::Kind::kTimestamp};
  }
  if (text.find(':') != std::string_view::npos) {
    return ParseColumnTarget(text);
  }
  if (schema && schema->FieldIndex(text)) {
    return FieldTarget{.kind = FieldTarget::Kind::kKeyField, .key_field = std::string(text)};
  }
  if (text == "row") {
    return FieldTarget{.kind = FieldTarget::Kind::kRow};
  }
  return UsageError(fmt::format("'{}' is not family:qualifier, HBASE_ROW_KEY, HBASE_TS_KEY, '-'{}", text,
                                schema ? " or field of the schema " + schema->ToString() : ""));
}

Expected<std::vector<FieldTarget>> ParseFieldTargets(const std::vector<std::string>& texts,
                                                     const std::optional<RowKeySchema>& schema) {
  std::vector<FieldTarget> targets;
  std::vector<std::string_view> names;  // sorted
  for (const std::string& text : texts) {
    KLIP_ASSIGN_OR_RETURN(FieldTarget target, ParseFieldTarget(text, schema));
    targets.push_back(std::move(target));
    if (targets.back().kind != FieldTarget::Kind::kSkip) {
      names.push_back(text);
    }
  }
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return UsageError(fmt::format("the field '{}' is named twice; '-' skips a field", *twice));
  }
  return targets;
}

std::string NameOfColumn(std::string_view family, std::string_view qualifier) {
  std::string name = std::string(family) + ":";
  std::string text = ToText(qualifier);
  for (size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon)) {
    text.replace(colon, 1, "\\x3A");
  }
  return name + text;
}

std::string NameOfField(const FieldTarget& target) {
  switch (target.kind) {
    case FieldTarget::Kind::kSkip:
      return "-";
    case FieldTarget::Kind::kRow:
      return "HBASE_ROW_KEY";
    case FieldTarget::Kind::kTimestamp:
      return "HBASE_TS_KEY";
    case FieldTarget::Kind::kKeyField:
      return target.key_field;
    case FieldTarget::Kind::kColumn:
      break;
  }
  std::string name = NameOfColumn(target.family, target.qualifier);
  for (const auto& [type, value] : kTypes) {
    if (value == target.value) {
      name.append(":").append(type);
    }
  }
  return name;
}

Expected<std::string> ValueFromLine(const FieldTarget& target, std::string_view text, bool escapes) {
  if (target.value == FieldTarget::Value::kText) {
    return escapes ? FromStringBinary(text) : std::string(text);
  }
  std::optional<std::string> bytes;
  if (target.value == FieldTarget::Value::kHex) {
    bytes = BytesOfHex(text);
  } else if (const std::optional<int64_t> number = ParseInt(text)) {
    if (target.value == FieldTarget::Value::kLong) {
      bytes = BigEndian(*number);
    } else if (std::in_range<int32_t>(*number)) {
      bytes = BigEndian(static_cast<int32_t>(*number));
    }
  }
  if (!bytes) {
    const char* kind = target.value == FieldTarget::Value::kHex    ? "hex"
                       : target.value == FieldTarget::Value::kLong ? "a long"
                                                                   : "an int";
    return UsageError(
        fmt::format("field '{}': '{}' is not {}", NameOfColumn(target.family, target.qualifier), text, kind));
  }
  return *std::move(bytes);
}

Expected<std::string> ValueForLine(const FieldTarget& target, std::string_view bytes) {
  switch (target.value) {
    case FieldTarget::Value::kText:
      return ToText(bytes);
    case FieldTarget::Value::kHex:
      return fmt::format("{:02x}", fmt::join(reinterpret_cast<const unsigned char*>(bytes.data()),
                                             reinterpret_cast<const unsigned char*>(bytes.data()) + bytes.size(), ""));
    case FieldTarget::Value::kInt:
      if (bytes.size() == sizeof(int32_t)) {
        return std::to_string(ReadBigEndian<int32_t>(bytes.data()));
      }
      break;
    case FieldTarget::Value::kLong:
      if (bytes.size() == sizeof(int64_t)) {
        return std::to_string(ReadBigEndian<int64_t>(bytes.data()));
      }
      break;
  }
  return UsageError(fmt::format("column '{}': expected a value of {} bytes, found {}",
                                NameOfColumn(target.family, target.qualifier),
                                target.value == FieldTarget::Value::kInt ? "4" : "8", bytes.size()));
}

}  // namespace klip::cli
