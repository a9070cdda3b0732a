#include "table/read/read_operation.h"

#include "engine/read/read_view.h"
#include "klip/cancel.h"
#include "rowkey/scan_batches.h"
#include "table/info/heat_timer.h"
#include "table/info/region_meter.h"
#include "table/read/asked_query.h"
#include "table/read/covered_rows.h"
#include "table/read/index_order.h"
#include "table/read/row_count.h"
#include "table/read/scanners.h"
#include "table/read/shown_entries.h"
#include "table/read/staged_scan.h"

namespace klip::table {

Expected<ReadOperation> ReadOperation::Prepare(Shared* shared, TableSlot* slot) {
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, slot->Current());
  KLIP_RETURN_IF_ERROR(info->CheckEnabled());
  KLIP_RETURN_IF_ERROR(info->CheckReadable());
  return ReadOperation(shared, std::move(info));
}

Status ReadOperation::Get(const klip::Get& get, Result* result) const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  KLIP_RETURN_IF_ERROR(CheckGet(get));
  OperationTimer timer(shared_->settings.slow);
  KLIP_RETURN_IF_ERROR(GetChecked(get, result));
  timer.Finish("get", info_->name(), 1);
  return Status::Ok();
}

Expected<std::vector<Result>> ReadOperation::Get(std::span<const klip::Get> gets) const {
  for (const klip::Get& get : gets) {
    KLIP_RETURN_IF_ERROR(CheckGet(get));
  }
  OperationTimer timer(shared_->settings.slow);
  std::vector<Result> results(gets.size());
  const CancelToken token = CancelToken::Current();
  for (size_t i = 0; i < gets.size(); ++i) {
    KLIP_RETURN_IF_ERROR(token.status());
    KLIP_RETURN_IF_ERROR(GetChecked(gets[i], &results[i]));
  }
  timer.Finish("multi-get", info_->name(), static_cast<int64_t>(gets.size()));
  return results;
}

Status ReadOperation::GetChecked(const klip::Get& get, Result* result) const {
  const HeatTimer heat(1);
  if (info_->shown.index != nullptr) [[unlikely]] {
    KLIP_RETURN_IF_ERROR(GetShownEntry(source(), info_, get, result));
  } else if (hooked_) [[unlikely]] {
    KLIP_RETURN_IF_ERROR(GetHooked(0, get, result));
  } else {
    KLIP_RETURN_IF_ERROR(source().Get(*info_, get, result));
  }
  info_->view->RegionOf(get.row).requests->reads.fetch_add(1, std::memory_order_relaxed);
  heat.Got(*info_, get.row, *result);
  if (shared_->settings.query_log) [[unlikely]] {
    LogGet(shared_->settings, *info_, get.row);
  }
  return Status::Ok();
}

// Calls the hooks from `first` on, each of which runs the next ones, then the store.
Status ReadOperation::GetHooked(size_t first, const klip::Get& get, Result* result) const {
  if (first == info_->hooks->size()) {
    KLIP_RETURN_IF_ERROR(CheckGet(get));
    return source().Get(*info_, get, result);
  }
  return (*info_->hooks)[first]->OnGet(
      *info_, get, [&](const klip::Get& asked, Result* answer) { return GetHooked(first + 1, asked, answer); }, result);
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::Scan(const klip::Scan& scan, engine::ScanWatch watch) const {
  if (info_->shown.index != nullptr) [[unlikely]] {
    return OpenShownEntries(source(), info_, scan,
                            [&](const klip::Scan& entries) { return Run(entries, std::move(watch)); });
  }
  if (!hooked_ || !scan.order_by_index.empty()) [[likely]] {  // hooks see the scans that read an order's rows
    return Run(scan, std::move(watch));
  }
  return ScanHooked(0, scan, watch);
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::ScanHooked(size_t first, const klip::Scan& scan,
                                                                   const engine::ScanWatch& watch) const {
  if (first == info_->hooks->size()) {
    return WithoutHooks().Run(scan, watch);
  }
  return (*info_->hooks)[first]->OnScan(*info_, scan, [self = *this, first, watch](const klip::Scan& asked) {
    return self.ScanHooked(first + 1, asked, watch);
  });
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::RunInOrder(const klip::Scan& scan) const {
  constexpr int64_t kMostAgeMs = int64_t{24} * 3600 * 1000;
  ReadOperation rows = *this;
  if (rows.view_ == nullptr) {
    rows.view_ = std::make_shared<const engine::ReadView>(*shared_->store, kMostAgeMs);
  }
  const RowSource source = rows.source();
  auto without_indexes = std::make_shared<TableInfo>(*info_);
  without_indexes->indexes = nullptr;
  rows.info_ = std::move(without_indexes);
  return OpenIndexOrder(source, info_, scan, [rows](const klip::Scan& group) { return rows.Scan(group, nullptr); });
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::Run(const klip::Scan& scan, engine::ScanWatch watch,
                                                            size_t first_entries) const {
  if (!scan.order_by_index.empty()) [[unlikely]] {
    return RunInOrder(scan);
  }
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(shared_, info_, view_, scan, first_entries));
  if (shared_->settings.query_log && first_entries == 0) [[unlikely]] {
    LogScan(shared_->settings, scan, request);
  }
  return RunPrepared(scan, std::move(request), std::move(watch));
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::RunPrepared(const klip::Scan& scan, ScanRequest request,
                                                                    engine::ScanWatch watch) const {
  std::string last_row = request.by_index.last_row;
  const size_t entries = request.by_index.entries;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> rows, Open(std::move(request), watch));
  if (last_row.empty()) [[likely]] {
    return rows;
  }
  constexpr size_t kGrowth = 4;  // TUNING: few steps, even if the filter drops nearly all that the index finds
  return OpenStagedScan(std::move(rows), scan, std::move(last_row),
                        [self = *this, watch = std::move(watch), entries](const klip::Scan& rest) {
                          return self.Run(rest, watch, entries * kGrowth);
                        });
}

Expected<std::unique_ptr<ResultScanner>> ReadOperation::Open(ScanRequest request, engine::ScanWatch watch) const {
  if (request.by_index.covered != nullptr) [[unlikely]] {
    return OpenCoveredScan(std::move(request));
  }
  if (request.plan.has_value() && request.plan->explain.kind == PlanKind::kPointGets && CanGetPoints(request)) {
    return OpenPointGets(std::move(request));
  }
  request.watch = std::move(watch);
  // A watched scan shares the pool with other calls. So it gets threads if it reads every row, and none if it jumps.
  if (request.needs.threads > 1 && (!request.watch || request.needs.rows == nullptr)) {
    if (auto parallel = OpenParallelScan(&request); parallel != nullptr) {
      return parallel;
    }
  }
  return OpenRowScan(std::move(request));
}

Expected<std::unique_ptr<BatchScanner>> ReadOperation::ScanBatches(const klip::Scan& scan,
                                                                   const std::vector<ColumnName>& columns) const {
  if (hooked_ || info_->shown.index != nullptr || scan.raw || !scan.order_by_index.empty()) {
    return std::unique_ptr<BatchScanner>();
  }
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(shared_, info_, view_, scan));
  if (shared_->settings.query_log) [[unlikely]] {
    LogScan(shared_->settings, scan, request);
  }
  const bool by_points = request.plan.has_value() && request.plan->explain.kind == PlanKind::kPointGets;
  if (request.by_index.covered != nullptr || !request.by_index.last_row.empty() ||
      (by_points && CanGetPoints(request))) {
    KLIP_ASSIGN_OR_RETURN(auto rows, RunPrepared(scan, std::move(request), nullptr));
    return rowkey::BatchesOf(std::move(rows), columns);
  }
  return OpenBatches(std::move(request), columns);
}

Expected<std::optional<int64_t>> ReadOperation::CountRows(const klip::Scan& scan) const {
  if (hooked_ || info_->shown.index != nullptr) {
    return std::optional<int64_t>();
  }
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(shared_, info_, view_, scan));
  if (!CanCountRows(request) || !scan.order_by_index.empty()) {
    return std::optional<int64_t>();
  }
  if (shared_->settings.query_log) [[unlikely]] {
    LogScan(shared_->settings, scan, request);
  }
  KLIP_ASSIGN_OR_RETURN(const int64_t rows, CountRowsOf(std::move(request)));
  return std::optional(rows);
}

Expected<klip::Explain> ReadOperation::Explain(const klip::Scan& scan) const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  if (!scan.order_by_index.empty()) {
    KLIP_ASSIGN_OR_RETURN(const auto scanner, RunInOrder(scan));
    klip::Explain explain = scanner->explain();
    explain.actual.reset();
    return explain;
  }
  KLIP_ASSIGN_OR_RETURN(ScanRequest request, PrepareScan(shared_, info_, view_, scan, 0, /*measures=*/true));
  return request.Explain();
}

Expected<std::optional<double>> ReadOperation::EstimateRows(const klip::Scan& scan) const {
  KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
  klip::Scan any_order = scan;
  any_order.order_by_index.clear();
  KLIP_ASSIGN_OR_RETURN(const ScanRequest request, PrepareScan(shared_, info_, view_, any_order));
  return request.EstimatedRows();
}

}  // namespace klip::table
