#include "table/read/scanners.h"

#include <chrono>
#include <string>
#include <utility>

#include "engine/read/row_scanner.h"

namespace klip::table {
namespace {

class RowScan final : public ResultScanner {
 public:
  RowScan(ScanRequest request, std::unique_ptr<engine::RowScanner> scanner)
      : request_(std::move(request)), scanner_(std::move(scanner)), finish_(request_) {}
  ~RowScan() override { finish_.End(scanner_->statistics()); }

  Expected<bool> Next(Result* result) override {
    Expected<bool> more = scanner_->Next(result);
    if (more.ok() && *more && !result->empty()) [[likely]] {
      if (!result->has_more_cells_in_row()) {
        finish_.Row(*result);
      }
    } else {
      finish_.Tell(scanner_->statistics());
    }
    return more;
  }
  ScanStatistics statistics() const override {
    ScanStatistics all = scanner_->statistics();
    all += request_.by_index.read;
    return all;
  }

  klip::Explain explain() const override {
    klip::Explain out = request_.Explain();
    out.actual = statistics();
    return out;
  }

 private:
  mutable ScanRequest request_;
  std::unique_ptr<engine::RowScanner> scanner_;
  ScanFinish finish_;
};

class PointGets final : public ResultScanner {
 public:
  explicit PointGets(ScanRequest request) : request_(std::move(request)), finish_(request_) {
    const klip::Scan& scan = request_.scan;
    get_ = {.columns = scan.columns,
            .time_range = scan.time_range,
            .family_time_ranges = scan.family_time_ranges,
            .max_versions = scan.max_versions,
            .max_results_per_family = scan.max_results_per_family,
            .row_offset_per_family = scan.row_offset_per_family,
            .cache_blocks = scan.cache_blocks};
    statistics_ += request_.by_index.read;
  }
  ~PointGets() override { finish_.End(statistics_); }

  Expected<bool> Next(Result* result) override {
    const auto started = std::chrono::steady_clock::now();
    const std::vector<std::string>& points = request_.plan->points;
    const int64_t limit = request_.scan.limit_rows;
    result->Clear();
    bool found = false;
    while (!found && next_ < points.size() && (limit <= 0 || statistics_.rows_returned < limit)) {
      KLIP_RETURN_IF_ERROR(request_.cancel.status());
      get_.row = points[next_++];
      KLIP_RETURN_IF_ERROR(request_.source().Get(*request_.info, get_, result, &statistics_));
      found = !result->empty();
    }
    if (found) {
      finish_.Row(*result);
    } else {
      finish_.Tell(statistics_);
    }
    rows_returned_ += found ? 1 : 0;
    statistics_.rows_returned = rows_returned_;
    elapsed_ += std::chrono::steady_clock::now() - started;
    statistics_.elapsed_us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed_).count();
    return found;
  }

  ScanStatistics statistics() const override { return statistics_; }

  klip::Explain explain() const override {
    klip::Explain out = request_.Explain();
    out.actual = statistics_;
    return out;
  }

 private:
  ScanRequest request_;
  ScanFinish finish_;
  Get get_;
  size_t next_ = 0;
  int64_t rows_returned_ = 0;
  std::chrono::steady_clock::duration elapsed_{};
  ScanStatistics statistics_;
};

}  // namespace

Expected<std::unique_ptr<ResultScanner>> OpenRowScan(ScanRequest request) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<engine::RowScanner> scanner,
                        request.source().Open(*request.info, request.Spec()));
  request.needs.threads = 1;
  return std::unique_ptr<ResultScanner>(std::make_unique<RowScan>(std::move(request), std::move(scanner)));
}

bool CanGetPoints(const ScanRequest& request) {
  const klip::Scan& scan = request.scan;
  return request.needs.filter == nullptr && scan.batch <= 0 && !scan.allow_partial_results && !scan.raw &&
         scan.max_versions > 0;
}

std::unique_ptr<ResultScanner> OpenPointGets(ScanRequest request) {
  return std::make_unique<PointGets>(std::move(request));
}

}  // namespace klip::table
