// TableHeat: where and when one table is read and written (klip/heat.h). HeatMaps: those of all tables, within one memory
// limit.
//
// The slot of the current minute is a sorted map from keys to counts. New keys become ranges of their own; when there are
// too many, the coldest neighbours are merged (heat_entries.h). A finished slot is kept as encoded bytes. Older slots are
// merged, into ten minutes and then hours; those of more than eight days are dropped.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/heat.h"
#include "table/info/heat_entries.h"

namespace klip::table {

class HeatMaps;

// Thread-safe.
class TableHeat {
 public:
  explicit TableHeat(std::shared_ptr<HeatMaps> maps) : maps_(std::move(maps)) {}
  ~TableHeat();
  TableHeat(const TableHeat&) = delete;
  TableHeat& operator=(const TableHeat&) = delete;

  // Sets how the table's keys are cut from now on. Forgets what was counted with other parts.
  void SetKey(const std::vector<filter::KeyPart>& parts);

  // Counts for the key of `row`.
  void Record(std::string_view row, const HeatCell& counted);

  HeatMap Read(const HeatQuery& query) const;

 private:
  friend class HeatMaps;
  struct Live {
    std::string last;
    HeatCell cell = {};
  };
  struct Slot {
    int64_t start_ms = 0;
    int64_t length_ms = 0;
    size_t level = 0;  // the level to which its keys are cut
    std::string bytes;
  };

  HeatEntries LiveEntries() const;
  void ShrinkLive();
  void Close(int64_t now_ms);
  void MergeOld(int64_t now_ms);
  size_t SlotBytes() const;
  void Trim();

  const std::shared_ptr<HeatMaps> maps_;
  std::atomic<bool> used_ = false;
  mutable std::mutex mutex_;
  // All below are guarded by mutex_.
  std::vector<filter::KeyPart> parts_;
  HeatCutter cutter_{{}};
  std::map<std::string, Live, std::less<>> live_;  // by the first key
  size_t level_ = 1;
  int64_t live_start_ms_ = 0;  // 0: no counts yet
  int64_t since_ms_ = 0;
  std::deque<Slot> slots_;  // finished ones, the oldest first
};

// Thread-safe.
class HeatMaps : public std::enable_shared_from_this<HeatMaps> {
 public:
  static constexpr size_t kMaxBytes = 8 << 20;  // for all tables

  // `clock_ms` null: the system's. `max_bytes`: for all tables together.
  explicit HeatMaps(std::function<int64_t()> clock_ms = nullptr, size_t max_bytes = kMaxBytes);

  std::shared_ptr<TableHeat> Add();

  int64_t NowMs() const { return clock_ms_(); }
  // The limit of an active table; a quarter of it is for the current minute.
  size_t BytesOfTable() const { return max_bytes_ / std::bit_ceil(std::max<size_t>(used_, 1)); }
  size_t SizeBytes() const;

 private:
  friend class TableHeat;
  // Called when a table is used for the first time: if the number of tables has doubled, each gets half the memory.
  void Use();

  const std::function<int64_t()> clock_ms_;
  const size_t max_bytes_;
  std::atomic<size_t> used_ = 0;  // tables
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<TableHeat>> tables_;  // guarded by mutex_
};

}  // namespace klip::table
