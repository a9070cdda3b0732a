// Ranges of row keys and arithmetic on them: what is left of a copy, and where to cut it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace klip::copy {

// Rows in [start, stop); an empty stop is above every row.
struct KeyRange {
  std::string start;
  std::string stop;

  bool operator==(const KeyRange&) const = default;
};

inline bool BelowStop(std::string_view row, std::string_view stop) { return stop.empty() || row < stop; }

// The smaller of two stops.
const std::string& LowerStop(const std::string& a, const std::string& b);

// `ranges` cut at the borders that lie inside them.
std::vector<KeyRange> CutAt(const KeyRange& range, std::vector<std::string> borders);

// What of `range` none of `taken` covers, in order.
std::vector<KeyRange> Without(const KeyRange& range, std::vector<KeyRange> taken);

// A key about half-way: above `low`, not above `high`. Nullopt when they are too close. REQUIRES: low < high.
std::optional<std::string> MiddleKey(std::string_view low, std::string_view high);

// How far `key` is from `low` to `high`, 0 to 1. REQUIRES: low < high.
double Fraction(std::string_view low, std::string_view high, std::string_view key);

}  // namespace klip::copy
