// RegionMeter: counts requests by region for one operation, and adds them to each region's counters in batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/view/table_view.h"

namespace klip::table {

// Not thread-safe. The view outlives it.
class RegionMeter {
 public:
  explicit RegionMeter(const engine::TableView& view) : view_(view), one_region_(view.regions->size() == 1) {}
  ~RegionMeter() { Flush(); }
  RegionMeter(const RegionMeter&) = delete;
  RegionMeter& operator=(const RegionMeter&) = delete;

  void Read(std::string_view row) {
    Enter(row);
    ++reads_;
  }
  void Write(std::string_view row) {
    Enter(row);
    ++writes_;
  }
  // Counts a row that a scan returned; added in batches, so that a row costs no atomic operation.
  void Scanned(std::string_view row) {
    constexpr int64_t kLot = 32;
    Read(row);
    if (reads_ == kLot) {
      Flush();
    }
  }
  // Counts rows that the scan has read since its start and not returned, for its current region.
  void Filtered(int64_t rows) {
    if (region_ != nullptr && rows > filtered_) {
      region_->requests->filtered_reads.fetch_add(rows - filtered_, std::memory_order_relaxed);
      filtered_ = rows;
    }
  }
  void Flush() {
    Tell(&reads_, &engine::RegionRequests::reads);
    Tell(&writes_, &engine::RegionRequests::writes);
  }

 private:
  void Enter(std::string_view row) {
    if (region_ == nullptr || (!one_region_ && !region_->Contains(row))) [[unlikely]] {
      Change(row);
    }
  }
  [[gnu::noinline]] void Change(std::string_view row) {
    Flush();
    region_ = one_region_ ? &view_.regions->front() : &view_.RegionOf(row);
  }
  void Tell(int64_t* count, std::atomic<int64_t> engine::RegionRequests::* counter) {
    if (region_ != nullptr && *count > 0) {
      (region_->requests.get()->*counter).fetch_add(*count, std::memory_order_relaxed);
      *count = 0;
    }
  }

  const engine::TableView& view_;
  const bool one_region_;
  const engine::Region* region_ = nullptr;
  int64_t reads_ = 0;
  int64_t writes_ = 0;
  int64_t filtered_ = 0;
};

}  // namespace klip::table
