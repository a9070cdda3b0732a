#include "table/read/row_count.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/read/row_scanner.h"
#include "table/read/scan_finish.h"
#include "table/read/scanners.h"

namespace klip::table {
namespace {

// Ranges of rows that several threads count. A worker that finds all of them taken ends. The calling thread waits for
// running workers, and never for one that has not started.
class RangeCounts : public std::enable_shared_from_this<RangeCounts> {
 public:
  RangeCounts(const ScanRequest* request, std::vector<std::optional<RowRange>> ranges)
      : request_(request), ranges_(std::move(ranges)) {}

  Status Run() {
    const int helpers = std::min(request_->needs.threads, static_cast<int>(ranges_.size())) - 1;
    for (int i = 0; i < helpers; ++i) {
      request_->shared->pool.Run(helpers, [self = shared_from_this()] { self->Work(); });
    }
    Work();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return working_ == 0; });
    closed_ = true;  // the request may be destroyed
    return status_;
  }

  int64_t rows() const { return rows_; }
  const ScanStatistics& statistics() const { return statistics_; }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    if (closed_) {
      return;
    }
    ++working_;
    while (status_.ok() && next_ < ranges_.size()) {
      const std::optional<RowRange>& range = ranges_[next_++];
      lock.unlock();
      ScanStatistics statistics;
      const Expected<int64_t> rows = CountRange(range, &statistics);
      lock.lock();
      statistics_ += statistics;
      if (rows.ok()) {
        rows_ += *rows;
      } else {
        status_ = rows.status();
      }
    }
    --working_;
    changed_.notify_all();
  }

  Expected<int64_t> CountRange(const std::optional<RowRange>& range, ScanStatistics* statistics) const {
    engine::RowScanSpec spec = request_->Spec();
    if (range.has_value()) {
      rowkey::SetRange(*range, &spec.scan);
    }
    KLIP_ASSIGN_OR_RETURN(const auto scanner, request_->source().Open(*request_->info, std::move(spec)));
    Expected<int64_t> rows = scanner->CountRows();
    *statistics = scanner->statistics();
    return rows;
  }

  const ScanRequest* const request_;
  const std::vector<std::optional<RowRange>> ranges_;  // nullopt: the whole request
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  size_t next_ = 0;
  int working_ = 0;
  bool closed_ = false;
  int64_t rows_ = 0;
  ScanStatistics statistics_;
  Status status_;
};

}  // namespace

bool CanCountRows(const ScanRequest& request) {
  // With several families the scanner makes Results; they are smaller with one cell per row.
  const bool one_family = request.has_filter || request.info->view->families.size() == 1;
  return one_family && request.scan.limit_rows <= 0 && request.by_index.covered == nullptr &&
         !(request.plan.has_value() && request.plan->explain.kind == PlanKind::kPointGets && CanGetPoints(request));
}

Expected<int64_t> CountRowsOf(ScanRequest request) {
  KLIP_RETURN_IF_ERROR(request.cancel.status());
  if (!request.has_filter && request.needs.rows == nullptr && request.view == nullptr) {
    const std::optional<int64_t> known =
        engine::KnownRowCount(*request.shared->store, *request.info->view, request.scan);
    if (known.has_value()) {
      return *known;
    }
  }
  const auto started = std::chrono::steady_clock::now();
  ScanFinish finish(request);
  std::vector<std::optional<RowRange>> ranges;
  if (request.needs.threads > 1) {
    for (RowRange& range : RangesOf(&request)) {
      ranges.emplace_back(std::move(range));
    }
  }
  if (ranges.empty()) {
    ranges.emplace_back();
  }
  const auto counts = std::make_shared<RangeCounts>(&request, std::move(ranges));
  const Status status = counts->Run();
  ScanStatistics statistics = counts->statistics();
  statistics.elapsed_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started).count();
  finish.End(statistics);
  KLIP_RETURN_IF_ERROR(status);
  return counts->rows();
}

}  // namespace klip::table
