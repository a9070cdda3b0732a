// ScanFinish: the last phase of a scan. Counts its rows by region, and logs the scan if it was slow.
#pragma once

#include <cstdint>

#include "klip/cell.h"
#include "klip/plan.h"
#include "klip/row_batch.h"
#include "table/info/heat_timer.h"
#include "table/info/region_meter.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"

namespace klip::table {

// Belongs to one scanner. Not thread-safe.
class ScanFinish {
 public:
  ScanFinish(const Shared* shared, const TableInfo& table, bool has_filter)
      : slow_(shared->settings.slow),
        table_(table),
        caller_(Wants() ? Caller::Current() : Caller()),
        has_filter_(has_filter),
        meter_(*table.view),
        heat_(table) {}

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
  RegionMeter meter_;
  HeatOfScan heat_;
};

}  // namespace klip::table
