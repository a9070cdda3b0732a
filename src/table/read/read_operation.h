// ReadOperation: the one way in which a table is read, for all front ends.
//
//   prepare   finds the table, checks the request; hooks that may call anything and change the request
//   plan      for a scan: which rows, by jumps or by walking (scan_request.h)
//   run       rows through a RowSource; a hook may wrap the scanner
//   finish    counters by region, slow log; hooks that may call anything. For a scan: when its scanner is destroyed
//
// Takes no locks. A WriteOperation reads the rows of its conditions itself, also through a RowSource.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/read/row_scanner.h"
#include "klip/cell.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "table/info/shared.h"
#include "table/read/row_source.h"
#include "table/read/scan_request.h"

namespace klip::table {

class ReadOperation {
 public:
  // For the current table. Errors: kTableNotFound, kTableNotEnabled, those of TableInfo::CheckReadable.
  static Expected<ReadOperation> Prepare(Shared* shared, TableSlot* slot);
  // For the table as a transaction sees it; the transaction has checked it.
  static ReadOperation In(Shared* shared, InfoPtr info, engine::ReadViewPtr view) {
    ReadOperation read(shared, std::move(info));
    read.view_ = std::move(view);
    return read;
  }

  // Errors of all functions below: kCancelled, those of the checks and of hooks, kNoSuchColumnFamily, kIoError, ...
  Status Get(const klip::Get& get, Result* result) const;
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) const;
  // Next checks the CancelToken of its call; opening does not.
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan, engine::ScanWatch watch) const;
  // As Table::ScanBatches. Null: hooks or the order of an index affect the results, so use Scan.
  Expected<std::unique_ptr<BatchScanner>> ScanBatches(const klip::Scan& scan,
                                                      const std::vector<ColumnName>& columns) const;
  // nullopt: hooks or a limit affect the results, so the scan must run.
  Expected<std::optional<int64_t>> CountRows(const klip::Scan& scan) const;
  Expected<klip::Explain> Explain(const klip::Scan& scan) const;
  Expected<std::optional<double>> EstimateRows(const klip::Scan& scan) const;

  // The same for code that a hook calls: hooks do not see their own reads.
  ReadOperation WithoutHooks() const {
    ReadOperation read = *this;
    read.hooked_ = false;
    return read;
  }

  const TableInfo& table() const { return *info_; }

 private:
  ReadOperation(Shared* shared, InfoPtr info)
      : shared_(shared), info_(std::move(info)), hooked_(info_->hooks != nullptr) {}

  Status GetChecked(const klip::Get& get, Result* result) const;
  Status GetHooked(size_t first, const klip::Get& get, Result* result) const;
  Expected<std::unique_ptr<ResultScanner>> ScanHooked(size_t first, const klip::Scan& scan,
                                                      const engine::ScanWatch& watch) const;
  Expected<std::unique_ptr<ResultScanner>> Run(const klip::Scan& scan, engine::ScanWatch watch,
                                               size_t first_entries = 0) const;
  Expected<std::unique_ptr<ResultScanner>> RunPrepared(const klip::Scan& scan, ScanRequest request,
                                                       engine::ScanWatch watch) const;
  Expected<std::unique_ptr<ResultScanner>> RunInOrder(const klip::Scan& scan) const;
  Expected<std::unique_ptr<ResultScanner>> Open(ScanRequest request, engine::ScanWatch watch) const;

  RowSource source() const { return {shared_->store.get(), shared_->settings.limits, view_}; }

  Shared* shared_;
  InfoPtr info_;
  engine::ReadViewPtr view_;  // null: the store as it is now
  bool hooked_;
};

}  // namespace klip::table
