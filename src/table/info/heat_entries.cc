#include "table/info/heat_entries.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace klip::table {
namespace {

constexpr size_t kMaxKeyBytes = 64;

// Merges neighbours that overlap, or for which `merge` returns true.
template <typename Merge>
void MergeNeighbours(HeatEntries* entries, Merge merge) {
  size_t kept = 0;
  for (size_t i = 1; i < entries->size(); ++i) {
    HeatEntry& last = (*entries)[kept];
    HeatEntry& next = (*entries)[i];
    if (next.range.first <= last.range.last || merge(last, next)) {
      last.range.last = std::max(last.range.last, next.range.last);
      last.cell += next.cell;
    } else if (++kept != i) {
      (*entries)[kept] = std::move(next);
    }
  }
  if (!entries->empty()) {
    entries->resize(kept + 1);
  }
}

size_t ValuesAt(const HeatCutter& cutter, size_t level, const HeatEntries& entries) {
  size_t values = 0;
  std::string_view before;
  for (const HeatEntry& entry : entries) {
    const std::string_view cut = cutter.Cut(entry.range.first, level);
    values += values == 0 || cut != before ? 1 : 0;
    before = cut;
  }
  return values;
}

double CostOf(const HeatCutter& cutter, const HeatEntry& a, const HeatEntry& b) {
  constexpr double kOtherValue = 4;  // cost of merging across the first field
  const double weight = a.weight() + b.weight();
  return cutter.Cut(a.range.last, 1) == cutter.Cut(b.range.first, 1) ? weight : kOtherValue * weight;
}

void AppendNumber(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7U) {
    out->push_back(static_cast<char>(number | 0x80U));
  }
  out->push_back(static_cast<char>(number));
}

void AppendCount(double count, std::string* out) {
  AppendNumber(static_cast<uint64_t>(std::llround(std::clamp(count, 0.0, 1e18))), out);
}

// Stores the length shared with `before`, and the rest.
void AppendKey(std::string_view key, std::string_view before, std::string* out) {
  const auto [at, other] = std::ranges::mismatch(key, before);
  const auto common = static_cast<size_t>(at - key.begin());
  AppendNumber(common, out);
  AppendNumber(key.size() - common, out);
  out->append(key.substr(common));
}

uint64_t TakeNumber(std::string_view* bytes) {
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      return number;
    }
  }
}

std::string TakeKey(std::string_view before, std::string_view* bytes) {
  const size_t common = TakeNumber(bytes);
  const size_t rest = TakeNumber(bytes);
  std::string key(before.substr(0, common));
  key += bytes->substr(0, rest);
  bytes->remove_prefix(rest);
  return key;
}

}  // namespace

HeatCutter::HeatCutter(std::vector<filter::KeyPart> parts) {
  while (!parts.empty()) {
    levels_.insert(levels_.begin(), parts);
    parts.pop_back();
  }
}

std::string_view HeatCutter::Cut(std::string_view row, size_t level) const {
  row = row.substr(0, kMaxKeyBytes);
  return level > levels_.size() ? row : filter::LeadOf(levels_[level - 1], row);
}

void CutHeat(const HeatCutter& cutter, size_t level, HeatEntries* entries) {
  for (HeatEntry& entry : *entries) {
    entry.range.first = cutter.Cut(entry.range.first, level);
    entry.range.last = cutter.Cut(entry.range.last, level);
  }
  MergeNeighbours(entries, [](const HeatEntry&, const HeatEntry&) { return false; });
}

void MergeColdest(const HeatCutter& cutter, size_t most, size_t* level, HeatEntries* entries) {
  constexpr size_t kEnough = 8;  // so many values in one part still show a pattern
  if (entries->size() <= most) {
    return;
  }
  while (*level > 1 && entries->size() > most &&
         ValuesAt(cutter, *level - 1, *entries) >= std::max<size_t>(most / kEnough, 1)) {
    CutHeat(cutter, --*level, entries);
  }
  std::vector<double> costs;
  while (entries->size() > most) {
    costs.clear();
    for (size_t i = 1; i < entries->size(); ++i) {
      costs.push_back(CostOf(cutter, (*entries)[i - 1], (*entries)[i]));
    }
    const auto last = costs.begin() + static_cast<std::ptrdiff_t>(entries->size() - most - 1);
    std::ranges::nth_element(costs, last);
    const double limit = *last;
    size_t left = entries->size() - most;
    MergeNeighbours(entries, [&](const HeatEntry& a, const HeatEntry& b) {
      return left > 0 && CostOf(cutter, a, b) <= limit && left-- > 0;
    });
  }
}

void MergeInto(HeatEntries more, HeatEntries* entries) {
  HeatEntries all;
  all.reserve(more.size() + entries->size());
  std::ranges::merge(
      std::move_iterator(more.begin()), std::move_iterator(more.end()), std::move_iterator(entries->begin()),
      std::move_iterator(entries->end()), std::back_inserter(all), {},
      [](const HeatEntry& entry) -> const std::string& { return entry.range.first; },
      [](const HeatEntry& entry) -> const std::string& { return entry.range.first; });
  MergeNeighbours(&all, [](const HeatEntry&, const HeatEntry&) { return false; });
  *entries = std::move(all);
}

std::string Encode(const HeatEntries& entries) {
  std::string out;
  std::string_view before;
  for (const HeatEntry& entry : entries) {
    AppendKey(entry.range.first, before, &out);
    AppendKey(entry.range.last, entry.range.first, &out);
    before = entry.range.first;
    for (const double count :
         {entry.cell.reads, entry.cell.writes, entry.cell.bytes, entry.cell.latency_us, entry.cell.timed}) {
      AppendCount(count, &out);
    }
  }
  return out;
}

HeatEntries DecodeHeat(std::string_view bytes) {
  HeatEntries entries;
  while (!bytes.empty()) {
    HeatEntry entry;
    entry.range.first = TakeKey(entries.empty() ? std::string_view() : entries.back().range.first, &bytes);
    entry.range.last = TakeKey(entry.range.first, &bytes);
    for (double* const count :
         {&entry.cell.reads, &entry.cell.writes, &entry.cell.bytes, &entry.cell.latency_us, &entry.cell.timed}) {
      *count = static_cast<double>(TakeNumber(&bytes));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace klip::table
