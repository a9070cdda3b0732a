// HeatTimer: if the sampler selects an operation, times it and counts what it did for its table's heat map.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/cell.h"
#include "table/info/access_sampler.h"
#include "table/info/table_info.h"

namespace klip::table {

class HeatTimer {
 public:
  // Starts an operation that counts up to so many accesses, on this thread.
  explicit HeatTimer(int64_t accesses) {
    if (AccessSampler::OfThread().Near(accesses)) [[unlikely]] {
      Start();
    }
  }

  // Ends a get of this row.
  void Got(const TableInfo& table, std::string_view row, const Result& result) const {
    if (const int64_t weight = AccessSampler::OfThread().Hit(1); weight > 0) [[unlikely]] {
      RecordGot(table, row, result, weight);
    }
  }
  // Ends a committed change of this row, of about so many bytes.
  void Wrote(const TableInfo& table, std::string_view row, size_t bytes) const {
    if (const int64_t weight = AccessSampler::OfThread().Hit(1); weight > 0) [[unlikely]] {
      RecordWrote(table, row, bytes, weight);
    }
  }

 private:
  void Start();
  void RecordGot(const TableInfo& table, std::string_view row, const Result& result, int64_t weight) const;
  void RecordWrote(const TableInfo& table, std::string_view row, size_t bytes, int64_t weight) const;

  int64_t start_ns_ = 0;  // 0: not timed
};

// Counts the rows that a scan returns: each of the first ones, since many scans are short, then one row for several.
class HeatOfScan {
 public:
  explicit HeatOfScan(const TableInfo& table) : table_(table) {}

  void Row(const Result& result) {
    if (const int64_t rows = StandsFor(); rows > 0) [[unlikely]] {
      if (const int64_t weight = AccessSampler::OfThread().Hit(rows); weight > 0) [[unlikely]] {
        Record(result, weight);
      }
    }
  }
  // A row of a batch, of about so many bytes.
  void Row(std::string_view row, size_t bytes) {
    if (const int64_t rows = StandsFor(); rows > 0) [[unlikely]] {
      if (const int64_t weight = AccessSampler::OfThread().Hit(rows); weight > 0) [[unlikely]] {
        Record(row, bytes, weight);
      }
    }
  }

 private:
  // How many rows the next one stands for; 0: it is not sampled.
  int64_t StandsFor() {
    constexpr int64_t kShort = 16;
    ++rows_;
    return rows_ <= kShort ? 1 : rows_ % kShort == kShort / 2 ? kShort : 0;
  }
  void Record(const Result& result, int64_t weight) const;
  void Record(std::string_view row, size_t bytes, int64_t weight) const;

  const TableInfo& table_;
  int64_t rows_ = 0;
};

}  // namespace klip::table
