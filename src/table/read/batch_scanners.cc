// The BatchScanners of the embedded store.
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "table/read/parallel_scan.h"
#include "table/read/scanners.h"

namespace klip::table {
namespace {

using Clock = std::chrono::steady_clock;

int64_t MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

class BatchesOfScan final : public BatchScanner {
 public:
  BatchesOfScan(ScanRequest request, std::unique_ptr<engine::RowScanner> scanner,
                const std::vector<ColumnName>& columns)
      : request_(std::move(request)), scanner_(std::move(scanner)), batch_(columns), finish_(request_) {}
  ~BatchesOfScan() override { finish_.End(scanner_->statistics()); }

  Expected<const RowBatch*> Next() override {
    batch_.Clear();
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Fill(&batch_));
    finish_.Rows(batch_);
    finish_.Tell(scanner_->statistics());
    return more ? &batch_ : nullptr;
  }

 private:
  const ScanRequest request_;
  const std::unique_ptr<engine::RowScanner> scanner_;
  RowBatch batch_;
  ScanFinish finish_;
};

class ParallelBatches final : public BatchScanner {
 public:
  explicit ParallelBatches(std::shared_ptr<ParallelScan> scan)
      : scan_(std::move(scan)), limit_(scan_->request().scan.limit_rows), finish_(scan_->request()) {
    scan_->Start();
  }
  ~ParallelBatches() override {
    finish_.End(Statistics());
    scan_->Stop();
  }

  Expected<const RowBatch*> Next() override {
    const Clock::time_point start = Clock::now();
    KLIP_ASSIGN_OR_RETURN(const bool more, Read());
    const auto left = static_cast<size_t>(limit_ - rows_);
    if (limit_ > 0 && chunk_.batch.rows() > left) {
      chunk_.batch.Truncate(left);
    }
    rows_ += static_cast<int64_t>(chunk_.batch.rows());
    finish_.Rows(chunk_.batch);
    elapsed_us_ += MicrosecondsSince(start);
    finish_.Tell(Statistics());
    return more ? &chunk_.batch : nullptr;
  }

 private:
  Expected<bool> Read() {
    if (limit_ > 0 && rows_ >= limit_) {
      chunk_.batch.Clear();
      return false;
    }
    while (true) {
      if (direct_) {
        chunk_.Clear();
        KLIP_ASSIGN_OR_RETURN(const bool more, scan_->ReadInto(&scan_->piece(), &chunk_));
        if (more) {
          return true;
        }
        scan_->FinishDirect();
        direct_ = false;
      }
      KLIP_ASSIGN_OR_RETURN(const ParallelScan::Turn turn, scan_->NextTurn(&chunk_));
      direct_ = turn == ParallelScan::Turn::kDirect;
      if (!direct_) {
        return turn == ParallelScan::Turn::kChunk;
      }
    }
  }

  ScanStatistics Statistics() {
    ScanStatistics sum = scan_->statistics();
    if (direct_) {
      sum += scan_->piece().statistics();
    }
    sum.rows_returned = rows_;
    sum.elapsed_us = elapsed_us_;
    return sum;
  }

  const std::shared_ptr<ParallelScan> scan_;
  const int64_t limit_;
  ScanFinish finish_;
  RowChunk chunk_;  // currently being returned
  bool direct_ = false;
  int64_t rows_ = 0;
  int64_t elapsed_us_ = 0;
};

}  // namespace

Expected<std::unique_ptr<BatchScanner>> OpenBatches(ScanRequest request, std::vector<ColumnName> columns) {
  if (request.needs.threads > 1) {
    if (std::vector<RowRange> ranges = RangesOf(&request); !ranges.empty()) {
      auto scan = std::make_shared<ParallelScan>(std::move(request), std::move(ranges), std::move(columns));
      return std::unique_ptr<BatchScanner>(std::make_unique<ParallelBatches>(std::move(scan)));
    }
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<engine::RowScanner> scanner,
                        request.source().Open(*request.info, request.Spec()));
  return std::unique_ptr<BatchScanner>(
      std::make_unique<BatchesOfScan>(std::move(request), std::move(scanner), columns));
}

}  // namespace klip::table
