#include "cli/texts.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "klip/bytes.h"

namespace klip::cli {

namespace {

// The length of the character at the front of `bytes` if it is well-formed and not a control character; otherwise 0.
size_t PrintableLength(std::string_view bytes) {
  const base::Utf8Character first = base::FirstUtf8(bytes);
  return first.control() ? 0 : first.bytes;
}

bool StartsAnEscape(std::string_view text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  return text.size() >= 4 && text[0] == '\\' && text[1] == 'x' && hex(text[2]) && hex(text[3]);
}

// `ascii_only`: escapes characters outside ASCII too. `*is_binary`: there are bytes that are no character, or control characters
// other than line ends and tabs.
std::string Escaped(std::string_view bytes, bool ascii_only, bool* is_binary, bool* has_letters) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  while (!bytes.empty()) {
    const char c = bytes.front();
    const bool starts_escape = StartsAnEscape(bytes);
    const size_t length = starts_escape ? 0 : PrintableLength(bytes);
    *has_letters = *has_letters || length > 1;
    if (length == 0 || (ascii_only && length > 1)) {
      *is_binary = *is_binary || (length == 0 && !starts_escape && c != '\n' && c != '\r' && c != '\t');
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      bytes.remove_prefix(1);
    } else {
      out.append(bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }
  return out;
}

// "a,b,'c,d'" -> a, b, 'c,d'. Ignores commas between quotes.
std::vector<std::string_view> SplitOutsideQuotes(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      quote = text[i] == quote ? '\0' : quote;
    } else if ((text[i] == '\'' || text[i] == '"') && i > 0 && (text[i - 1] == '=' || text[i - 1] == text[i])) {
      quote = text[i];  // at the start of a value, or a doubled quote inside one
    } else if (text[i] == ',') {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

// Without the quotes around it, if any.
std::string Unquoted(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (text.size() < 2 || (quote != '\'' && quote != '"') || text.back() != quote) {
    return std::string(text);
  }
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    out.push_back(text[i]);
    i += text[i] == quote && text[i + 1] == quote && i + 2 < text.size() ? 1 : 0;
  }
  return out;
}

}  // namespace

std::string ToText(std::string_view bytes) {
  if (std::ranges::all_of(bytes, [](char c) { return c >= ' ' && c <= '~' && c != '\\'; })) {
    return std::string(bytes);
  }
  bool is_binary = false;
  bool has_letters = false;  // outside ASCII
  std::string text = Escaped(bytes, /*ascii_only=*/false, &is_binary, &has_letters);
  return is_binary && has_letters ? Escaped(bytes, /*ascii_only=*/true, &is_binary, &has_letters) : text;
}

std::string FieldToText(const KeyField& field, std::string_view value) {
  return field.type == KeyFieldType::kBytes ? std::string(value) : ToText(value);
}

std::string FieldFromText(const KeyField& field, std::string_view text) {
  return field.type == KeyFieldType::kBytes ? std::string(text) : FromStringBinary(text);
}

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<bool> ParseBool(std::string_view text) {
  if (text == "true" || text == "TRUE") {
    return true;
  }
  if (text == "false" || text == "FALSE") {
    return false;
  }
  return std::nullopt;
}

std::vector<std::string> SplitList(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

Expected<ColumnSpec> ParseColumn(std::string_view text) {
  size_t colon = text.find(':');
  if (text.empty() || colon == 0) {
    return UsageError(fmt::format("column '{}': a column is family or family:qualifier", text));
  }
  ColumnSpec column = {.family = std::string(text.substr(0, colon))};
  if (colon != std::string_view::npos) {
    column.qualifier = FromStringBinary(text.substr(colon + 1));
  }
  return column;
}

Expected<Put::Column> ParseColumnValue(std::string_view text) {
  size_t colon = text.find(':');
  size_t equals = text.find('=', colon == std::string_view::npos ? 0 : colon);
  if (colon == std::string_view::npos || colon == 0 || equals == std::string_view::npos) {
    return UsageError(fmt::format("'{}': a column to write is family:qualifier=value", text));
  }
  return Put::Column{.family = std::string(text.substr(0, colon)),
                     .qualifier = FromStringBinary(text.substr(colon + 1, equals - colon - 1)),
                     .value = FromStringBinary(text.substr(equals + 1))};
}

Expected<TimeRange> ParseTimeRange(std::string_view text) {
  Status bad = UsageError(fmt::format("time range '{}': write MIN..MAX in milliseconds; MAX is not included", text));
  size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    std::optional<int64_t> at = ParseInt(text);
    return at ? Expected<TimeRange>(TimeRange::At(*at)) : bad;
  }
  TimeRange range;
  std::string_view low = text.substr(0, dots);
  std::string_view high = text.substr(dots + 2);
  std::optional<int64_t> min_ms = low.empty() ? range.min_ms : ParseInt(low);
  std::optional<int64_t> max_ms = high.empty() ? range.max_ms : ParseInt(high);
  if (!min_ms || !max_ms) {
    return bad;
  }
  return TimeRange{*min_ms, *max_ms};
}

Expected<std::string> ParseRow(std::string_view text, const std::optional<RowKeySchema>& schema) {
  if (!text.starts_with('@')) {
    return FromStringBinary(text);
  }
  if (!schema) {
    return UsageError(fmt::format("row '{}': the table has no row-key schema; write \\x40 for a leading @", text));
  }
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string_view part : SplitOutsideQuotes(text.substr(1))) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return UsageError(fmt::format("row '{}': expected @field=value,... by the schema {}; quote values with commas",
                                    text, schema->ToString()));
    }
    const std::string_view name = part.substr(0, equals);
    const std::optional<int> index = schema->FieldIndex(name);
    std::string value = Unquoted(part.substr(equals + 1));
    values.emplace_back(name, index ? FieldFromText(schema->fields()[static_cast<size_t>(*index)], value) : value);
  }
  return schema->EncodeNamed(values);
}

}  // namespace klip::cli
