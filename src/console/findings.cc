#include "console/findings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "console/api.h"
#include "klip/bytes.h"

namespace klip::console {
namespace {

constexpr double kLeastAccesses = 1000;  // with fewer, there are no findings
constexpr double kHotShare = 0.3;
// A range or region is hot if its share is so many times the average.
constexpr double kTimesFair = 4;
constexpr double kTimesFairRegion = 1.6;

struct Sums {
  std::vector<double> ranges;
  double all = 0;
};

Sums SumsOf(const HeatMap& map, double HeatCell::* count) {
  Sums sums = {.ranges = std::vector<double>(map.ranges.size()), .all = 0};
  for (const HeatSlot& slot : map.slots) {
    for (size_t i = 0; i < slot.cells.size(); ++i) {
      sums.ranges[i] += slot.cells[i].*count;
      sums.all += slot.cells[i].*count;
    }
  }
  return sums;
}

std::string Percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string TextOf(const std::optional<RowKeySchema>& schema, const HeatRange& range) {
  const std::string first = LabelOf(schema, range.first);
  return range.first == range.last ? first : "from " + first + " to " + LabelOf(schema, range.last);
}

size_t RegionOf(std::span<const RegionInfo> regions, const std::string& key) {
  const auto above = std::ranges::upper_bound(regions, key, {}, &RegionInfo::start_key);
  return static_cast<size_t>(std::max<std::ptrdiff_t>(above - regions.begin() - 1, 0));
}

// A region with much more than its share.
void AddHotRegion(const HeatMap& map, std::span<const RegionInfo> regions, const std::optional<RowKeySchema>& schema,
                  const char* metric, const Sums& sums, std::vector<Finding>* findings) {
  if (regions.size() < 2) {
    return;
  }
  std::vector<double> by_region(regions.size());
  for (size_t i = 0; i < sums.ranges.size(); ++i) {
    by_region[RegionOf(regions, map.ranges[i].first)] += sums.ranges[i];
  }
  const auto hottest = static_cast<size_t>(std::ranges::max_element(by_region) - by_region.begin());
  const double share = by_region[hottest] / sums.all;
  if (share < kHotShare || share * static_cast<double>(regions.size()) < kTimesFairRegion) {
    return;
  }
  const std::string& start = regions[hottest].start_key;
  const bool last = hottest + 1 == regions.size();
  findings->push_back({.text = Percent(share) + " of " + metric + " hit one region of " +
                               std::to_string(regions.size()) + ": the " +
                               (last            ? "last one, from " + LabelOf(schema, start) + " on"
                                : start.empty() ? "first one"
                                                : "one from " + LabelOf(schema, start) + " on"),
                       .remedy = "Split it there, or spread the keys: a salt or hash in front of them.",
                       .metric = metric,
                       .start = start,
                       .stop = regions[hottest].end_key});
}

// Adjacent ranges whose keys start with the same values.
struct Group {
  size_t first = 0;
  size_t last = 0;
  double count = 0;
};

// By the first `fields` fields; 0: each range separately.
std::vector<Group> GroupsOf(const HeatMap& map, const std::optional<RowKeySchema>& schema, size_t fields,
                            const Sums& sums) {
  std::vector<Group> groups;
  std::vector<std::string> before;
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    std::vector<std::string> values;
    if (fields > 0) {
      values = schema->DecodePrefix(map.ranges[i].first);
      values.resize(std::min(values.size(), fields));
    }
    if (groups.empty() || fields == 0 || values != before) {
      groups.push_back({.first = i});
    }
    groups.back().last = i;
    groups.back().count += sums.ranges[i];
    before = std::move(values);
  }
  return groups;
}

// The finest part of the keys with much more than its share: a range, or a value of the leading fields.
void AddHotKeys(const HeatMap& map, const std::optional<RowKeySchema>& schema, const char* metric, const Sums& sums,
                std::vector<Finding>* findings) {
  const size_t most_fields = schema.has_value() ? schema->fields().size() : 0;
  for (size_t step = 0; step <= most_fields; ++step) {
    const size_t fields = step == 0 ? 0 : most_fields - step + 1;
    const std::vector<Group> groups = GroupsOf(map, schema, fields, sums);
    const Group& hottest = *std::ranges::max_element(groups, {}, &Group::count);
    const double share = hottest.count / sums.all;
    if (share < kHotShare || share * static_cast<double>(groups.size()) < kTimesFair) {
      continue;
    }
    const HeatRange& first = map.ranges[hottest.first];
    const std::string what = fields == 0 ? TextOf(schema, first) : LabelOf(schema, first.first, fields);
    findings->push_back({.text = Percent(share) + " of " + metric + " hit one of " + std::to_string(groups.size()) +
                                 (fields == 0 ? " ranges of keys: " : " values: ") + what,
                         .remedy = "",
                         .metric = metric,
                         .start = first.first,
                         .stop = PrefixSuccessor(map.ranges[hottest.last].last)});
    return;
  }
}

// In each slot, nine tenths of the writes are above all keys written before.
void AddGrowingKeys(const HeatMap& map, const std::optional<RowKeySchema>& schema, std::vector<Finding>* findings) {
  constexpr size_t kLeastSlots = 3;
  constexpr double kMost = 0.9;
  size_t above = 0;  // the first range without writes in earlier slots
  size_t slots = 0;
  double grown = 0;
  double all = 0;
  for (const HeatSlot& slot : map.slots) {
    double in_slot = 0;
    size_t end = above;
    for (size_t i = 0; i < slot.cells.size(); ++i) {
      in_slot += slot.cells[i].writes;
      // The last range of the previous slot may have continued.
      grown += slots > 0 && i + 1 >= above ? slot.cells[i].writes : 0;
      end = slot.cells[i].writes > 0 ? std::max(end, i + 1) : end;
    }
    all += slots > 0 ? in_slot : 0;
    if (in_slot > 0) {
      ++slots;
      above = end;
    }
  }
  if (slots < kLeastSlots || map.ranges.size() < 2 * kLeastSlots || grown < kMost * all) {
    return;
  }
  const std::string field =
      schema.has_value() && !schema->fields().empty() ? " (field '" + schema->fields().front().name + "')" : "";
  findings->push_back(
      {.text = Percent(grown / all) + " of writes went above all keys written before: the keys grow" + field +
               ", so that one region at a time takes all writes",
       .remedy = "A salt or hash in front of the key spreads them; scans by time then read all buckets.",
       .metric = "writes",
       .start = map.ranges.back().first,
       .stop = ""});
}

void AddSlowRange(const HeatMap& map, const std::optional<RowKeySchema>& schema, std::vector<Finding>* findings) {
  constexpr double kTimesSlower = 5;
  constexpr double kLeastTimed = 100;
  const Sums times = SumsOf(map, &HeatCell::latency_us);
  const Sums timed = SumsOf(map, &HeatCell::timed);
  size_t slowest = 0;
  double most_us = 0;
  for (size_t i = 0; i < map.ranges.size(); ++i) {
    if (timed.ranges[i] >= kLeastTimed && times.ranges[i] / timed.ranges[i] > most_us) {
      most_us = times.ranges[i] / timed.ranges[i];
      slowest = i;
    }
  }
  const double others = timed.all - timed.ranges.at(slowest);
  const double mean_us = others > 0 ? (times.all - times.ranges[slowest]) / others : most_us;
  if (most_us < kTimesSlower * mean_us || most_us == 0) {
    return;
  }
  findings->push_back({.text = "Gets and writes of " + TextOf(schema, map.ranges[slowest]) + " take " +
                               std::to_string(std::lround(most_us)) + " us, others " +
                               std::to_string(std::lround(mean_us)) + " us",
                       .remedy = "",
                       .metric = "latency",
                       .start = map.ranges[slowest].first,
                       .stop = PrefixSuccessor(map.ranges[slowest].last)});
}

}  // namespace

std::string LabelOf(const std::optional<RowKeySchema>& schema, const std::string& key, size_t fields) {
  if (key.empty()) {
    return "the first row";
  }
  std::string label;
  if (schema.has_value()) {
    const std::vector<std::string> values = schema->DecodePrefix(key);
    for (size_t i = 0; i < std::min(values.size(), fields); ++i) {
      const KeyField& field = schema->fields()[i];
      if (!field.name.empty()) {
        label += (label.empty() ? "" : ", ") + field.name + " = " + Shown(values[i]);
      }
    }
  }
  return label.empty() ? "row " + ToStringBinary(key) : label;
}

std::vector<Finding> FindingsOf(const HeatMap& map, std::span<const RegionInfo> regions,
                                const std::optional<RowKeySchema>& schema, bool by_region) {
  std::vector<Finding> findings;
  if (map.ranges.empty()) {
    return findings;
  }
  const Sums writes = SumsOf(map, &HeatCell::writes);
  const Sums reads = SumsOf(map, &HeatCell::reads);
  if (!by_region && writes.all >= kLeastAccesses) {
    AddGrowingKeys(map, schema, &findings);
  }
  for (const auto& [metric, sums] : {std::pair("writes", &writes), std::pair("reads", &reads)}) {
    if (sums->all >= kLeastAccesses) {
      AddHotRegion(map, regions, schema, metric, *sums, &findings);
      if (!by_region) {
        AddHotKeys(map, schema, metric, *sums, &findings);
      }
    }
  }
  AddSlowRange(map, schema, &findings);
  return findings;
}

}  // namespace klip::console
