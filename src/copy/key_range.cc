#include "copy/key_range.h"

#include <algorithm>
#include <cstdint>

#include "klip/bytes.h"

namespace klip::copy {
namespace {

// The first position at which two keys differ.
size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Eight bytes of the key as a number, padded with zeros.
uint64_t NumberAt(std::string_view key, size_t offset) {
  std::string bytes(offset < key.size() ? key.substr(offset, sizeof(uint64_t)) : std::string_view());
  bytes.resize(sizeof(uint64_t));
  return ReadBigEndian<uint64_t>(bytes.data());
}

}  // namespace

const std::string& LowerStop(const std::string& a, const std::string& b) {
  return BelowStop(a, b) && !a.empty() ? a : b;
}

std::vector<KeyRange> CutAt(const KeyRange& range, std::vector<std::string> borders) {
  std::ranges::sort(borders);
  std::vector<KeyRange> ranges = {range};
  for (std::string& border : borders) {
    if (border > ranges.back().start && BelowStop(border, range.stop)) {
      ranges.back().stop = border;
      ranges.push_back({std::move(border), range.stop});
    }
  }
  return ranges;
}

std::vector<KeyRange> Without(const KeyRange& range, std::vector<KeyRange> taken) {
  std::ranges::sort(taken, {}, &KeyRange::start);
  std::vector<KeyRange> left;
  std::string start = range.start;
  for (const KeyRange& one : taken) {
    if (!BelowStop(one.start, range.stop)) {
      break;
    }
    if (one.start > start) {
      left.push_back({start, one.start});
    }
    if (one.stop.empty()) {
      return left;
    }
    start = std::max(start, one.stop);
  }
  if (BelowStop(start, range.stop)) {
    left.push_back({start, range.stop});
  }
  return left;
}

std::optional<std::string> MiddleKey(std::string_view low, std::string_view high) {
  const size_t common = CommonPrefix(low, high);
  const uint64_t from = NumberAt(low, common);
  const uint64_t to = NumberAt(high, common);
  const uint64_t middle = from + (to - from) / 2;
  if (middle <= from) {
    return std::nullopt;
  }
  std::string key = std::string(high.substr(0, common)) + BigEndian(middle);
  key.resize(key.find_last_not_of('\0') + 1);
  return key;
}

double Fraction(std::string_view low, std::string_view high, std::string_view key) {
  if (key <= low) {
    return 0;
  }
  if (key >= high) {
    return 1;
  }
  const size_t common = CommonPrefix(low, high);
  const auto from = static_cast<double>(NumberAt(low, common));
  const auto to = static_cast<double>(NumberAt(high, common));
  const auto at = static_cast<double>(NumberAt(key, common));
  return to > from ? std::clamp((at - from) / (to - from), 0.0, 1.0) : 0;
}

}  // namespace klip::copy
