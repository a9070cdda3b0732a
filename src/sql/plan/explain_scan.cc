#include "sql/plan/explain_scan.h"

#include <algorithm>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

bool AllPoints(const KeyValues& values) {
  return values.has_value() && std::all_of(values->begin(), values->end(), IsPoint);
}

std::string BoundText(const std::optional<std::string>& bytes, const TableColumn& column) {
  if (!bytes.has_value()) {
    return "*";
  }
  const Expected<Value> value = DecodeValue(*bytes, column.type);
  if (!value.ok()) {
    return "'" + *bytes + "'";  // a prefix
  }
  return IsText(column.type.type) ? "'" + value->ToString() + "'" : value->ToString();
}

// From the lowest to the highest value.
KeyInterval HullOf(const KeyValues& values) {
  return values.has_value() && !values->empty() ? KeyInterval{.low = values->front().low, .high = values->back().high}
                                                : KeyInterval{};
}

// "[1,'a'] - [1,'b']", of the columns up to the last restricted one.
std::string RangeText(const std::vector<KeyValues>& box, const TableDefinition& table) {
  size_t end = box.size();
  while (end > 0 && !box[end - 1].has_value()) {
    --end;
  }
  std::string low = "[";
  std::string high = "[";
  bool points = true;
  for (size_t i = 0; i < end; ++i) {
    const KeyInterval range = HullOf(box[i]);
    const std::string separator = i == 0 ? "" : ",";
    low += separator + BoundText(range.low, table.key(i));
    high += separator + BoundText(range.high, table.key(i));
    points = points && range.low.has_value() && range.low == range.high;
  }
  return points ? low + "]" : low + "] - " + high + "]";
}

}  // namespace

void ExplainScan(const TableDefinition& table, const KeyBoxes& boxes, const std::string& sampled, bool reversed,
                 const std::string& condition, ExplainLines* lines) {
  std::string line = "CLIENT 1-CHUNK PARALLEL 1-WAY ";
  line += sampled + (reversed ? "REVERSE " : "");
  bool only_key = false;
  if (boxes.all) {
    line += "FULL SCAN OVER " + table.physical_name;
  } else if (boxes.any_of.empty()) {
    lines->push_back("DEGENERATE SCAN OVER " + table.physical_name);
    return;
  } else {
    size_t keys = 0;
    bool lookup = true;
    bool skips = boxes.any_of.size() > 1;
    bool all_points = true;
    for (const std::vector<KeyValues>& box : boxes.any_of) {
      size_t combinations = 1;
      bool open = false;  // an earlier column is unrestricted, or a range
      for (const KeyValues& values : box) {
        lookup = lookup && AllPoints(values);
        skips = skips || (values.has_value() && (open || values->size() > 1));
        open = open || !AllPoints(values);
        all_points = all_points && (!values.has_value() || AllPoints(values));
        combinations *= values.has_value() ? values->size() : 1;
      }
      keys += combinations;
    }
    if (lookup) {
      line +=
          "POINT LOOKUP ON " + std::to_string(keys) + (keys == 1 ? " KEY" : " KEYS") + " OVER " + table.physical_name;
      only_key = true;
    } else if (skips) {
      line += "SKIP SCAN ON " + std::to_string(keys) +
              (all_points ? (keys == 1 ? " KEY" : " KEYS") : (keys == 1 ? " RANGE" : " RANGES")) + " OVER " +
              table.physical_name + " " + RangeText(boxes.any_of.front(), table);
    } else {
      line += "RANGE SCAN OVER " + table.physical_name + " " + RangeText(boxes.any_of.front(), table);
    }
  }
  lines->push_back(std::move(line));
  if (!condition.empty() && !only_key) {
    lines->push_back("    SERVER FILTER BY " + condition);
  }
}

void ExplainKeyQuery(const TableDefinition& table, const std::optional<KeyQuery>& query, const std::string& sampled,
                     bool reversed, const std::string& condition, ExplainLines* lines) {
  std::string line = "CLIENT 1-CHUNK PARALLEL 1-WAY ";
  line += sampled + (reversed ? "REVERSE " : "");
  line += query.has_value() ? "SKIP SCAN OVER " + table.physical_name + " WHERE " + query->ToString()
                            : "FULL SCAN OVER " + table.physical_name;
  lines->push_back(std::move(line));
  if (!condition.empty()) {
    lines->push_back("    SERVER FILTER BY " + condition);
  }
}

}  // namespace klip::sql
