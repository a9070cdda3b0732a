#include "rest/row_spec.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/errors.h"

namespace klip::rest {
namespace {

constexpr std::string_view kDigits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using base::Invalid;

// The comma-separated parts of a segment, decoded; from base64 if the request uses it.
Expected<std::vector<std::string>> Parts(std::string_view segment, bool base64) {
  std::vector<std::string> parts;
  while (true) {
    size_t comma = segment.find(',');
    KLIP_ASSIGN_OR_RETURN(std::string part, UrlDecode(segment.substr(0, comma)));
    if (base64) {
      KLIP_ASSIGN_OR_RETURN(part, FromBase64(part));
    }
    parts.push_back(std::move(part));
    if (comma == std::string_view::npos) {
      return parts;
    }
    segment.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string Base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      out.push_back(i + j <= bytes.size() ? kDigits64[group >> (18 - 6 * j) & 63] : '=');
    }
  }
  return out;
}

Expected<std::string> FromBase64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  bool wrong = false;
  for (char c : text) {
    if (c == '\n' || c == '\r') {  // long texts may be in lines
      continue;
    }
    if (c == '=') {
      ++padding;
      continue;
    }
    c = c == '-' ? '+' : c == '_' ? '/' : c;  // the variant for URLs too
    const size_t digit = kDigits64.find(c);
    wrong = wrong || digit == std::string_view::npos || padding > 0;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (++digits % 4 != 1) {
      out.push_back(static_cast<char>(bits >> (2 * (3 - (digits + 3) % 4))));
    }
  }
  // Padding may be missing. A single digit in the last group of four is less than a byte, so text is missing before it.
  wrong = wrong || digits % 4 == 1 || (padding > 0 && (digits % 4 == 0 || padding != 4 - digits % 4));
  return wrong ? Expected<std::string>(Invalid("not base64: '" + std::string(text.substr(0, 40)) + "'")) : out;
}

Expected<int64_t> ParseNumber(std::string_view text, std::string_view what) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Invalid(std::string(what) + " is not a number: '" + std::string(text.substr(0, 40)) + "'");
  }
  return number;
}

ColumnSpec ParseColumn(std::string_view column) {
  size_t colon = column.find(':');
  if (colon == std::string_view::npos) {
    return {std::string(column)};
  }
  return {std::string(column.substr(0, colon)), std::string(column.substr(colon + 1))};
}

Expected<FilterPtr> QueryFilter(const Request& request) {
  std::optional<std::string> text = request.Query("filter");
  if (auto encoded = request.Query("filter_b64")) {
    KLIP_ASSIGN_OR_RETURN(text, FromBase64(*encoded));
  }
  return text && !text->empty() ? ParseFilter(*text) : FilterPtr();
}

Status QueryWhere(const Request& request, const Table& table, Scan* scan) {
  if (const auto where = request.Query("where"); where && !where->empty()) {
    KLIP_ASSIGN_OR_RETURN(scan->where, table.ParseQuery(*where));
  }
  return Status::Ok();
}

Expected<RowSpec> ParseRowSpec(std::span<const std::string> path, const Request& request) {
  RowSpec spec;
  const bool base64 = request.Query("e") == "b64" || request.Header("encoding") == "b64";
  if (path.size() > 3) {
    return Invalid("the URL of a row ends with row, columns and timestamps");
  }
  if (!path.empty()) {
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> rows, Parts(path[0], base64));
    spec.is_range = rows.size() > 1;
    spec.row = std::move(rows[0]);
    if (spec.is_range) {
      spec.end_row = std::move(rows[1]);
    } else if (spec.row.ends_with('*')) {  // rows that start so: as there, up to the prefix with one byte FF
      spec.is_range = true;
      spec.row.pop_back();
      spec.end_row = spec.row + '\xff';
    }
  }
  if (path.size() > 1 && !path[1].empty()) {
    KLIP_ASSIGN_OR_RETURN(spec.columns, Parts(path[1], base64));
    if (spec.columns.back().empty()) {
      spec.columns.pop_back();  // as there, a comma may end the list
    }
    if (spec.columns.empty() || std::ranges::find(spec.columns, "") != spec.columns.end()) {
      return Invalid("the URL names an empty column");
    }
  }
  if (path.size() > 2 && !path[2].empty()) {
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> times, Parts(path[2], false));
    KLIP_ASSIGN_OR_RETURN(int64_t first, ParseNumber(times[0], "timestamp"));
    spec.has_timestamp = times.size() == 1;
    spec.time_range = {0, first};
    if (times.size() > 1) {
      KLIP_ASSIGN_OR_RETURN(int64_t end, ParseNumber(times[1], "end timestamp"));
      spec.time_range = {first, end};
    }
  }
  if (auto versions = request.Query("v")) {
    KLIP_ASSIGN_OR_RETURN(int64_t count, ParseNumber(*versions, "v"));
    if (count < 1 || count > kAllVersions) {
      return Invalid("v= is not a valid number of versions: " + *versions);
    }
    spec.max_versions = static_cast<int32_t>(count);
  }
  if (auto values = request.Query("n")) {
    KLIP_ASSIGN_OR_RETURN(spec.max_values, ParseNumber(*values, "n"));
  }
  return spec;
}

}  // namespace klip::rest
