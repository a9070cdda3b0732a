// HeatTimer: times one operation for the heat map of its table and counts what it did, if the sampler looks at it.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/cell.h"
#include "table/info/access_sampler.h"
#include "table/info/table_info.h"

namespace klip::table {

class HeatTimer {
 public:
  // Begins an operation that counts up to so many accesses, on this thread.
  explicit HeatTimer(int64_t accesses) {
    if (AccessSampler::OfThread().Near(accesses)) [[unlikely]] {
      Start();
    }
  }

  // A get of this row came to its end.
  void Got(const TableInfo& table, std::string_view row, const Result& result) const {
    if (const int64_t weight = AccessSampler::OfThread().Hit(1); weight > 0) [[unlikely]] {
      RecordGot(table, row, result, weight);
    }
  }
  // A change of this row was committed, of about so many bytes.
  void Wrote(const TableInfo& table, std::string_view row, size_t bytes) const {
    if (const int64_t weight = AccessSampler::OfThread().Hit(1); weight > 0) [[unlikely]] {
      RecordWrote(table, row, bytes, weight);
    }
  }

 private:
  void Start();
  void RecordGot(const TableInfo& table, std::string_view row, const Result& result, int64_t weight) const;
  void RecordWrote(const TableInfo& table, std::string_view row, size_t bytes, int64_t weight) const;

  int64_t start_ns_ = 0;  // 0: it is not timed
};

// Counts the rows that a scan returns. Each of the first, since many scans are short; then one row for some.
class HeatOfScan {
 public:
  explicit HeatOfScan(const TableInfo& table) : table_(table) {}

  void Row(const Result& result) {
    constexpr int64_t kShort = 16;
    ++rows_;
    if (rows_ <= kShort) {
      Count(result, 1);
    } else if (rows_ % kShort == kShort / 2) [[unlikely]] {
      Count(result, kShort);
    }
  }

 private:
  void Count(const Result& result, int64_t rows) const {
    if (const int64_t weight = AccessSampler::OfThread().Hit(rows); weight > 0) [[unlikely]] {
      Record(result, weight);
    }
  }
  void Record(const Result& result, int64_t weight) const;

  const TableInfo& table_;
  int64_t rows_ = 0;
};

}  // namespace klip::table
