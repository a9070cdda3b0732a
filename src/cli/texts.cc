#include "cli/texts.h"

#include <charconv>

#include <fmt/core.h>

#include "cli/command.h"
#include "klip/bytes.h"

namespace klip::cli {

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
  Status bad = UsageError(fmt::format("time range '{}': write MIN..MAX in milliseconds, MAX not included", text));
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
  for (const std::string& part : SplitList(text.substr(1))) {
    size_t equals = part.find('=');
    if (equals == std::string::npos) {
      return UsageError(fmt::format("row '{}': expected @field=value,... by the schema {}", text, schema->ToString()));
    }
    values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return schema->EncodeNamed(values);
}

}  // namespace klip::cli
