// ScanFinish: the last phase of a scan. Counts its rows by region, and logs the scan if it was slow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "klip/cell.h"
#include "klip/plan.h"
#include "klip/row_batch.h"
#include "table/info/heat_timer.h"
#include "table/info/region_meter.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"
#include "table/read/scan_request.h"

namespace klip::table {

// Belongs to one scanner. Not thread-safe.
class ScanFinish {
 public:
  // The request's table and settings outlive it.
  explicit ScanFinish(const ScanRequest& request)
      : slow_(request.shared->settings.slow),
        table_(*request.info),
        caller_(Wants() ? Caller::Current() : Caller()),
        has_filter_(request.has_filter),
        fetches_(request.by_index.fetches),
        meter_(*table_.view),
        heat_(table_) {}

  // Counts a returned row, complete or its last part.
  void Row(const Result& result) {
    meter_.Scanned(result.row());
    heat_.Row(result);
  }
  void Rows(const RowBatch& batch) {
    const size_t bytes = batch.rows() == 0 ? 0 : batch.bytes() / batch.rows();
    for (size_t row = 0; row < batch.rows(); ++row) {
      meter_.Scanned(batch.key(row));
      heat_.Row(batch.key(row), bytes);
    }
  }
  // Reports counts up to now; called at the end of the scan and when it may pause for long.
  void Tell(const ScanStatistics& so_far) {
    if (has_filter_) {
      meter_.Filtered(so_far.rows_read - so_far.rows_returned);
    }
    meter_.Flush();
  }
  // Called when the scanner is destroyed.
  void End(const ScanStatistics& all) {
    Tell(all);
    if (fetches_ != nullptr) [[unlikely]] {
      IndexCounters::Add(&fetches_->rows_fetched, all.rows_read);
      IndexCounters::Add(&fetches_->rows_dropped, std::max<int64_t>(all.rows_read - all.rows_returned, 0));
    }
    if (Wants() && caller_.door != Door::kRpc && all.elapsed_us >= slow_.least_us) {
      slow_.log({.caller = caller_,
                 .kind = "scan",
                 .table = table_.name(),
                 .took_us = all.elapsed_us,
                 .rows = all.rows_returned});
    }
  }

 private:
  bool Wants() const { return slow_.log != nullptr; }

  const SlowOperations& slow_;
  const TableInfo& table_;
  const Caller caller_;
  const bool has_filter_;
  const std::shared_ptr<IndexCounters> fetches_;  // of the index that found the rows; null: none
  RegionMeter meter_;
  HeatOfScan heat_;
};

}  // namespace klip::table
