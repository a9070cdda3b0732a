// The values of key fields, from a sample of the keys.
#include <algorithm>
#include <charconv>
#include <functional>

#include "console/api.h"

namespace klip::console {
namespace {

constexpr size_t kCommon = 10;
constexpr size_t kTenths = 10;

// nullopt unless the whole text is a number.
std::optional<double> ToNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Sorts numbers as numbers, everything else as text.
void SortValues(std::vector<std::string>* values) {
  if (std::ranges::all_of(*values, [](const std::string& text) { return ToNumber(text).has_value(); })) {
    std::ranges::sort(*values, {}, [](const std::string& text) { return *ToNumber(text); });
  } else {
    std::ranges::sort(*values);
  }
}

// Values that occur more than once, the most common first; and the values at which each tenth of the rows ends.
Json ValuesJson(const KeyField& field, std::vector<std::string> values) {
  SortValues(&values);
  std::vector<std::pair<size_t, std::string>> counts;
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::find_if(at, values.end(), [&](const std::string& one) { return one != *at; });
    counts.emplace_back(static_cast<size_t>(end - at), *at);
    at = end;
  }
  Json json = {{"name", field.name}, {"sampled", values.size()}, {"values", counts.size()}};
  Json& tenths = json["tenths"] = Json::array();
  for (size_t tenth = 0; tenth <= kTenths && !values.empty(); ++tenth) {
    tenths.push_back(Shown(values[(values.size() - 1) * tenth / kTenths]));
  }
  std::ranges::stable_sort(counts, std::greater<>(), [](const auto& one) { return one.first; });
  Json& common = json["common"] = Json::array();
  for (const auto& [count, value] : counts) {
    if (common.size() == kCommon || count < 2) {
      break;
    }
    common.push_back(
        {{"value", Shown(value)}, {"share", static_cast<double>(count) / static_cast<double>(values.size())}});
  }
  return json;
}

}  // namespace

Expected<Json> KeyValues(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection->GetTable(Text(parameters, "table")));
  Json fields = Json::array();
  const std::optional<RowKeySchema> schema = table->row_key_schema();
  if (!schema.has_value()) {
    return Json{{"fields", std::move(fields)}};
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> keys, table->SampleKeys());
  std::vector<std::vector<std::string>> values(schema->fields().size());
  for (const std::string& key : keys) {
    std::vector<std::string> decoded = schema->DecodePrefix(key);
    for (size_t i = 0; i < decoded.size(); ++i) {
      values[i].push_back(std::move(decoded[i]));
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (const KeyField& field = schema->fields()[i]; !field.name.empty()) {
      fields.push_back(ValuesJson(field, std::move(values[i])));
    }
  }
  return Json{{"fields", std::move(fields)}};
}

}  // namespace klip::console
