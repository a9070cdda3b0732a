#include "table/info/table_heat.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "klip/bytes.h"

namespace klip::table {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;
constexpr int64_t kKeepMs = 8 * kDayMs;

constexpr size_t kMaxLive = 1024;   // ranges of the current minute
constexpr size_t kMaxClosed = 512;  // of a finished one
constexpr size_t kMaxMerged = 256;  // of older slots
constexpr size_t kLeastRanges = 4;  // of a slot, in a store with very many tables
constexpr size_t kLiveBytes = 256;  // memory of a range, with its keys
constexpr size_t kSlotBytes = 96;   // overhead of a slot, in addition to its bytes

// The length of slots of this age.
int64_t LengthAt(int64_t age_ms) {
  constexpr int64_t kFineMs = 2 * kHourMs;
  return age_ms < kFineMs ? kMinuteMs : age_ms < kDayMs ? 10 * kMinuteMs : kHourMs;
}

// A slot that contributes to a map.
struct Part {
  int64_t start_ms = 0;
  int64_t length_ms = 0;
  bool prefixes = false;  // keys are prefixes of rows, else rows
  HeatEntries entries;
};

// The first key after the range; empty: none.
std::string EndOf(const HeatRange& range, bool prefixes) {
  return prefixes ? PrefixSuccessor(range.last) : range.last + '\0';
}

bool Overlaps(const HeatEntry& entry, bool prefixes, const HeatQuery& query) {
  const std::string end = EndOf(entry.range, prefixes);
  return (query.stop_row.empty() || entry.range.first < query.stop_row) && (end.empty() || end > query.start_row);
}

// The union of the ranges of all parts, as fine as in any part; then the coldest are merged.
HeatEntries Axis(const HeatCutter& cutter, const std::vector<Part>& parts, size_t most) {
  std::map<std::string, std::pair<HeatCell, bool>, std::less<>> keys;  // and whether they are only prefixes
  for (const Part& part : parts) {
    for (const HeatEntry& entry : part.entries) {
      auto& [cell, prefix] = keys.try_emplace(entry.range.first, HeatCell(), part.prefixes).first->second;
      cell += entry.cell;
      prefix = prefix && part.prefixes;
    }
  }
  HeatEntries axis;
  for (const auto& [key, what] : keys) {
    if (!axis.empty() && key.starts_with(axis.back().range.first) &&
        keys.find(axis.back().range.first)->second.second) {
      axis.back().range = {key, key};  // what was counted by a prefix lies in the finer ranges
      axis.back().cell += what.first;
    } else {
      axis.push_back({.range = {key, key}, .cell = what.first});
    }
  }
  size_t level = cutter.finest();
  MergeColdest(cutter, most, &level, &axis);
  return axis;
}

// Distributes the entry evenly over the ranges of the axis that it covers: where in it the accesses were is unknown.
void Spread(const HeatEntry& entry, bool prefixes, const HeatEntries& axis, std::vector<HeatCell>* cells) {
  const auto above = [&](const std::string& key) {
    return std::ranges::upper_bound(axis, key, {}, [](const HeatEntry& one) { return one.range.first; });
  };
  const std::string end = EndOf(entry.range, prefixes);
  auto first = above(entry.range.first);
  if (first != axis.begin() && (std::prev(first)->range.last >= entry.range.first ||
                                entry.range.first.starts_with(std::prev(first)->range.last))) {
    --first;
  }
  auto last = end.empty()
                  ? axis.end()
                  : std::ranges::lower_bound(axis, end, {}, [](const HeatEntry& one) { return one.range.first; });
  if (first == axis.end() || last <= first) {
    first = first == axis.begin() ? first : std::prev(first);
    last = std::next(first);
  }
  const auto ranges = static_cast<double>(last - first);
  for (auto at = first; at != last; ++at) {
    HeatCell& cell = (*cells)[static_cast<size_t>(at - axis.begin())];
    cell += {entry.cell.reads / ranges, entry.cell.writes / ranges, entry.cell.bytes / ranges,
             entry.cell.latency_us / ranges, entry.cell.timed / ranges};
  }
}

}  // namespace

TableHeat::~TableHeat() {
  if (used_) {
    --maps_->used_;
  }
}

void TableHeat::SetKey(const std::vector<filter::KeyPart>& parts) {
  const std::lock_guard lock(mutex_);
  if (parts == parts_) {
    return;
  }
  parts_ = parts;
  cutter_ = HeatCutter(parts);
  level_ = cutter_.finest();
  live_.clear();
  slots_.clear();
  since_ms_ = live_start_ms_ == 0 ? 0 : maps_->NowMs();
}

void TableHeat::Record(std::string_view row, const HeatCell& counted) {
  const int64_t now_ms = maps_->NowMs();
  if (!used_ && !used_.exchange(true)) {
    maps_->Use();
  }
  const std::lock_guard lock(mutex_);
  if (live_start_ms_ == 0) {
    since_ms_ = now_ms;
    live_start_ms_ = now_ms - now_ms % kMinuteMs;
  } else if (now_ms >= live_start_ms_ + kMinuteMs) {
    Close(now_ms);
  }
  const std::string_view key = cutter_.Cut(row, level_);
  auto at = live_.upper_bound(key);
  if (at != live_.begin() && std::prev(at)->second.last >= key) {
    --at;
  } else {
    at = live_.emplace_hint(at, std::string(key), Live{.last = std::string(key)});
  }
  at->second.cell += counted;
  ShrinkLive();
}

HeatEntries TableHeat::LiveEntries() const {
  HeatEntries entries;
  entries.reserve(live_.size());
  for (const auto& [first, live] : live_) {
    entries.push_back({.range = {first, live.last}, .cell = live.cell});
  }
  return entries;
}

void TableHeat::ShrinkLive() {
  const size_t most = std::clamp(maps_->BytesOfTable() / 4 / kLiveBytes, kLeastRanges, kMaxLive);
  if (live_.size() <= most) {
    return;
  }
  HeatEntries entries = LiveEntries();
  MergeColdest(cutter_, most / 2, &level_, &entries);
  live_.clear();
  for (HeatEntry& entry : entries) {
    live_.emplace_hint(live_.end(), std::move(entry.range.first), Live{std::move(entry.range.last), entry.cell});
  }
}

// Ends the current minute.
void TableHeat::Close(int64_t now_ms) {
  if (!live_.empty()) {
    HeatEntries entries = LiveEntries();
    MergeColdest(cutter_, kMaxClosed, &level_, &entries);
    slots_.push_back({.start_ms = live_start_ms_, .length_ms = kMinuteMs, .level = level_, .bytes = Encode(entries)});
  }
  live_.clear();
  level_ = cutter_.finest();
  live_start_ms_ = now_ms - now_ms % kMinuteMs;
  MergeOld(now_ms);
  Trim();
}

void TableHeat::MergeOld(int64_t now_ms) {
  while (!slots_.empty() && slots_.front().start_ms < now_ms - kKeepMs) {
    since_ms_ = slots_.front().start_ms + slots_.front().length_ms;
    slots_.pop_front();
  }
  std::deque<Slot> kept;
  for (Slot& slot : slots_) {
    const int64_t length_ms = std::max(slot.length_ms, LengthAt(now_ms - slot.start_ms));
    const int64_t start_ms = slot.start_ms - slot.start_ms % length_ms;
    const bool same = !kept.empty() && kept.back().start_ms == start_ms && kept.back().length_ms == length_ms;
    if (!same && length_ms == slot.length_ms) {
      kept.push_back(std::move(slot));
      continue;
    }
    HeatEntries entries = DecodeHeat(slot.bytes);
    size_t level = slot.level;
    if (same) {
      level = std::min(level, kept.back().level);
      HeatEntries before = DecodeHeat(kept.back().bytes);
      CutHeat(cutter_, level, &before);
      CutHeat(cutter_, level, &entries);
      MergeInto(std::move(before), &entries);
      kept.pop_back();
    }
    MergeColdest(cutter_, kMaxMerged, &level, &entries);
    kept.push_back({.start_ms = start_ms, .length_ms = length_ms, .level = level, .bytes = Encode(entries)});
  }
  slots_ = std::move(kept);
}

size_t TableHeat::SlotBytes() const {
  size_t bytes = 0;
  for (const Slot& slot : slots_) {
    bytes += slot.bytes.capacity() + kSlotBytes;
  }
  return bytes;
}

// Makes slots coarser until they fit, with some reserve, so that this does not run every minute.
void TableHeat::Trim() {
  const size_t most_bytes = maps_->BytesOfTable() / 4 * 3;
  if (SlotBytes() <= most_bytes) {
    return;
  }
  for (size_t most = kMaxClosed / 2; SlotBytes() > most_bytes / 4 * 3 && most >= kLeastRanges; most /= 2) {
    for (Slot& slot : slots_) {
      HeatEntries entries = DecodeHeat(slot.bytes);
      if (entries.size() > most) {
        MergeColdest(cutter_, most, &slot.level, &entries);
        slot.bytes = Encode(entries);
      }
    }
  }
  while (SlotBytes() > most_bytes && !slots_.empty()) {
    since_ms_ = slots_.front().start_ms + slots_.front().length_ms;
    slots_.pop_front();
  }
}

HeatMap TableHeat::Read(const HeatQuery& query) const {
  std::vector<Part> parts;
  HeatCutter cutter{{}};
  HeatMap map;
  std::deque<Slot> slots;
  {
    const std::lock_guard lock(mutex_);
    cutter = cutter_;
    map.since_ms = since_ms_;
    slots = slots_;
    if (!live_.empty()) {
      parts.push_back({live_start_ms_, kMinuteMs, level_ < cutter_.finest(), LiveEntries()});
    }
  }
  for (auto slot = slots.rbegin(); slot != slots.rend(); ++slot) {
    parts.insert(parts.begin(), {slot->start_ms, slot->length_ms, slot->level < cutter.finest(), {}});
    parts.front().entries = DecodeHeat(slot->bytes);
  }
  std::erase_if(parts, [&](const Part& part) {
    return part.start_ms >= query.to_ms || part.start_ms + part.length_ms <= query.from_ms;
  });
  for (Part& part : parts) {
    std::erase_if(part.entries, [&](const HeatEntry& entry) { return !Overlaps(entry, part.prefixes, query); });
  }
  HeatEntries axis = Axis(cutter, parts, static_cast<size_t>(std::max(query.max_ranges, 1)));
  for (const Part& part : parts) {
    HeatSlot& slot = map.slots.emplace_back(
        HeatSlot{.start_ms = part.start_ms, .length_ms = part.length_ms, .cells = std::vector<HeatCell>(axis.size())});
    for (const HeatEntry& entry : part.entries) {
      Spread(entry, part.prefixes, axis, &slot.cells);
    }
  }
  for (HeatEntry& entry : axis) {
    map.ranges.push_back(std::move(entry.range));
  }
  return map;
}

HeatMaps::HeatMaps(std::function<int64_t()> clock_ms, size_t max_bytes)
    : clock_ms_(clock_ms != nullptr ? std::move(clock_ms) : base::SystemMs), max_bytes_(max_bytes) {}

std::shared_ptr<TableHeat> HeatMaps::Add() {
  auto heat = std::make_shared<TableHeat>(shared_from_this());
  const std::lock_guard lock(mutex_);
  if (tables_.size() == tables_.capacity()) {
    std::erase_if(tables_, [](const std::weak_ptr<TableHeat>& one) { return one.expired(); });
  }
  tables_.push_back(heat);
  return heat;
}

size_t HeatMaps::SizeBytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const std::weak_ptr<TableHeat>& one : tables_) {
    if (const std::shared_ptr<TableHeat> heat = one.lock(); heat != nullptr) {
      const std::lock_guard table(heat->mutex_);
      bytes += heat->SlotBytes() + heat->live_.size() * kLiveBytes;
    }
  }
  return bytes;
}

void HeatMaps::Use() {
  const size_t used = ++used_;
  if (!std::has_single_bit(used - 1)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<TableHeat>& one : tables_) {
    if (const std::shared_ptr<TableHeat> heat = one.lock(); heat != nullptr) {
      const std::lock_guard table(heat->mutex_);
      heat->Trim();
      heat->ShrinkLive();
    }
  }
}

}  // namespace klip::table
