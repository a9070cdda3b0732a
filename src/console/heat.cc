// The heat map of a table for one metric, with the fields of the keys and findings.
#include "klip/heat.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "console/api.h"
#include "console/findings.h"
#include "console/region_counts.h"
#include "klip/bytes.h"

namespace klip::console {
namespace {

constexpr int64_t kMaxRanges = 1000;
constexpr int64_t kMaxTimeMs = int64_t{1} << 52;  // a script's numbers are exact up to here

double ValueOf(const HeatCell& cell, std::string_view metric) {
  if (metric == "reads") {
    return cell.reads;
  }
  if (metric == "writes") {
    return cell.writes;
  }
  if (metric == "bytes") {
    return cell.bytes;
  }
  if (metric == "latency") {
    return cell.timed > 0 ? cell.latency_us / cell.timed : 0;
  }
  return cell.reads + cell.writes;
}

// [range, value, range, value, ...] for values other than 0.
Json ValuesJson(const HeatSlot& slot, std::string_view metric) {
  Json values = Json::array();
  for (size_t i = 0; i < slot.cells.size(); ++i) {
    if (const int64_t value = std::llround(ValueOf(slot.cells[i], metric)); value > 0) {
      values.push_back(i);
      values.push_back(value);
    }
  }
  return values;
}

Json RangeJson(const HeatRange& range, const std::optional<RowKeySchema>& schema) {
  Json json = {{"start", ToStringBinary(range.first)},
               {"stop", ToStringBinary(PrefixSuccessor(range.last))},  // exclusive
               {"label", LabelOf(schema, range.first)}};
  if (schema.has_value()) {
    Json& fields = json["fields"] = Json::array();
    for (const std::string& value : schema->DecodePrefix(range.first)) {
      fields.push_back(Shown(value));
    }
  }
  if (range.first != range.last) {
    json["to"] = LabelOf(schema, range.last);
  }
  return json;
}

Json FindingsJson(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"text", finding.text},
                    {"remedy", finding.remedy},
                    {"metric", finding.metric},
                    {"start", ToStringBinary(finding.start)},
                    {"stop", ToStringBinary(finding.stop)}});
  }
  return list;
}

// By the table's store, or by its regions if it is on a cluster.
Expected<HeatMap> MapOf(Table* table, const HeatQuery& query, RegionCounts* counts, bool* by_region) {
  Expected<HeatMap> map = table->Heat(query);
  *by_region = counts != nullptr && map.status().code() == Code::kUnsupported;
  return *by_region ? counts->Read(table->name(), query) : std::move(map);
}

}  // namespace

Expected<Json> Heat(Connection* connection, const Parameters& parameters) {
  return HeatWith(connection, parameters, nullptr);
}

Expected<Json> HeatWith(Connection* connection, const Parameters& parameters, RegionCounts* counts) {
  const std::string name = Text(parameters, "table");
  const std::string metric = Text(parameters, "metric");
  if (constexpr std::array kMetrics = {"", "accesses", "reads", "writes", "bytes", "latency"};
      std::ranges::find(kMetrics, metric) == kMetrics.end()) {
    return Status(Code::kInvalidArgument, "metric is one of accesses, reads, writes, bytes, latency");
  }
  HeatQuery query = {.start_row = FromStringBinary(Text(parameters, "start")),
                     .stop_row = FromStringBinary(Text(parameters, "stop"))};
  KLIP_ASSIGN_OR_RETURN(query.from_ms, Number(parameters, "from", 0, 0, kMaxTimeMs));
  KLIP_ASSIGN_OR_RETURN(query.to_ms, Number(parameters, "to", kMaxTimeMs, 0, kMaxTimeMs));
  KLIP_ASSIGN_OR_RETURN(const int64_t most, Number(parameters, "ranges", 700, 1, kMaxRanges));
  query.max_ranges = static_cast<int32_t>(most);
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection->GetTable(name));
  const std::optional<RowKeySchema> schema = table->row_key_schema();
  bool by_region = false;
  KLIP_ASSIGN_OR_RETURN(const HeatMap map, MapOf(table.get(), query, counts, &by_region));
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, connection->admin().GetRegions(name));
  Json slots = Json::array();
  for (const HeatSlot& slot : map.slots) {
    slots.push_back({{"start_ms", slot.start_ms}, {"length_ms", slot.length_ms}, {"values", ValuesJson(slot, metric)}});
  }
  Json ranges = Json::array();
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    Json& range = ranges.emplace_back(RangeJson(map.ranges[i], schema));
    if (by_region) {
      range["stop"] = i + 1 < map.ranges.size() ? ToStringBinary(map.ranges[i + 1].first) : "";
    }
  }
  Json borders = Json::array();  // the first range of each region
  for (const RegionInfo& region : regions) {
    const auto at = std::ranges::lower_bound(map.ranges, region.start_key, {}, &HeatRange::last);
    borders.push_back(at - map.ranges.begin());
  }
  return Json{{"since_ms", map.since_ms},      {"by_region", by_region},
              {"slots", std::move(slots)},     {"ranges", std::move(ranges)},
              {"regions", std::move(borders)}, {"findings", FindingsJson(FindingsOf(map, regions, schema, by_region))}};
}

}  // namespace klip::console
