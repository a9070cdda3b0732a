// Ranges of row keys: what is left of a copy, and where to cut it.
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

// `range`, cut at the borders that lie inside it.
std::vector<KeyRange> CutAt(const KeyRange& range, std::vector<std::string> borders);

// The parts of `range` that no range of `taken` covers, in order.
std::vector<KeyRange> Without(const KeyRange& range, std::vector<KeyRange> taken);

// A key near the middle: above `low`, not above `high`. nullopt if they are too close. REQUIRES: low < high.
std::optional<std::string> MiddleKey(std::string_view low, std::string_view high);

// The position of `key` between `low` and `high`, from 0 to 1. REQUIRES: low < high.
double Fraction(std::string_view low, std::string_view high, std::string_view key);

}  // namespace klip::copy
