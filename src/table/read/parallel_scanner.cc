// The ResultScanner of a ParallelScan, and the division of a scan into pieces.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/storage.h"
#include "table/read/parallel_scan.h"
#include "table/read/scanners.h"

namespace klip::table {
namespace {

class ParallelScanner final : public ResultScanner {
 public:
  explicit ParallelScanner(std::shared_ptr<ParallelScan> scan)
      : scan_(std::move(scan)), limit_(scan_->request().scan.limit_rows), finish_(scan_->request()) {
    scan_->Start();
  }
  ~ParallelScanner() override {
    finish_.End(statistics());
    scan_->Stop();
  }

  Expected<bool> Next(Result* result) override {
    result->Clear();
    while (!at_end_) {
      if (direct_) {
        KLIP_ASSIGN_OR_RETURN(const bool more, scan_->piece().Next(result));
        if (more) {
          return result->empty() || Count(*result);  // empty: a pause
        }
        LeaveDirect();
      } else if (next_row_ < chunk_.marks.size()) {
        CopyRow(result);
        return Count(*result);
      }
      KLIP_ASSIGN_OR_RETURN(const ParallelScan::Turn turn, TakeTurn());
      if (turn == ParallelScan::Turn::kPause) {
        return true;
      }
    }
    return false;
  }

  ScanStatistics statistics() const override {
    ScanStatistics sum = scan_->statistics();
    int64_t elapsed_us = elapsed_us_;
    if (direct_) {
      const ScanStatistics& own = scan_->piece().statistics();
      sum += own;
      elapsed_us += own.elapsed_us;
    }
    sum.rows_returned = rows_returned_;
    sum += scan_->request().by_index.read;
    sum.elapsed_us = elapsed_us;
    return sum;
  }

  klip::Explain explain() const override {
    klip::Explain out = scan_->request().Explain();
    out.actual = statistics();
    return out;
  }

 private:
  Expected<ParallelScan::Turn> TakeTurn() {
    const auto started = std::chrono::steady_clock::now();
    Expected<ParallelScan::Turn> turn = scan_->NextTurn(&chunk_);
    elapsed_us_ +=
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - started).count();
    KLIP_RETURN_IF_ERROR(turn.status());
    direct_ = *turn == ParallelScan::Turn::kDirect;
    at_end_ = *turn == ParallelScan::Turn::kEnd;
    if (at_end_ || *turn == ParallelScan::Turn::kPause) {
      finish_.Tell(statistics());
    }
    next_row_ = 0;
    next_cell_ = 0;
    return turn;
  }

  void LeaveDirect() {
    elapsed_us_ += scan_->piece().statistics().elapsed_us;
    scan_->FinishDirect();
    direct_ = false;
  }

  void CopyRow(Result* result) {
    const RowChunk::Mark& mark = chunk_.marks[next_row_++];
    for (; next_cell_ < mark.end; ++next_cell_) {
      result->AppendCopy(chunk_.cells[next_cell_]);
    }
    result->set_has_more_cells_in_row(mark.has_more_cells_in_row);
  }

  bool Count(const Result& result) {
    if (!result.has_more_cells_in_row()) {
      ++rows_returned_;
      finish_.Row(result);
      at_end_ = limit_ > 0 && rows_returned_ >= limit_;
    }
    return true;
  }

  std::shared_ptr<ParallelScan> scan_;
  int64_t limit_;
  ScanFinish finish_;
  RowChunk chunk_;  // currently being returned
  size_t next_row_ = 0;
  size_t next_cell_ = 0;
  bool direct_ = false;
  bool at_end_ = false;
  int64_t rows_returned_ = 0;
  int64_t elapsed_us_ = 0;  // waiting for others, and reading directly
};

// [start, stop) as the engine expects; an exclusive lower or inclusive upper bound moves by less than a row.
std::vector<RowRange> Cut(const RowRange& whole, const std::vector<std::string>& points, bool reversed) {
  std::vector<RowRange> ranges;
  RowRange rest = whole;
  for (const std::string& point : points) {
    if (point <= rest.start || (!whole.stop.empty() && point >= whole.stop)) {
      continue;
    }
    ranges.push_back({rest.start, rest.include_start, point, false});
    rest.start = point;
    rest.include_start = true;
  }
  ranges.push_back(std::move(rest));
  if (reversed) {
    std::reverse(ranges.begin(), ranges.end());
  }
  return ranges;
}

}  // namespace

std::vector<RowRange> RangesOf(ScanRequest* request) {
  constexpr int64_t kSmallBytes = 256 << 10;     // not worth a second thread
  constexpr int64_t kBytesPerPiece = 512 << 10;  // for a full walk, whose rows have to be buffered
  constexpr int64_t kPiecesPerThread = 8;
  constexpr int64_t kJumpingPiecesPerThread = 4;
  constexpr int64_t kMaxPieces = 1024;
  const rowkey::Plan& plan = request->Plan();  // workers read it, so it is made before they start
  if (plan.explain.kind == PlanKind::kEmpty) {
    return {};
  }
  const RowRange whole = plan.bounds;
  const engine::TableView& view = *request->info->view;
  const int64_t bytes = request->shared->store->storage().ApproximateBytes(view, whole.start, whole.stop);
  if (bytes < kSmallBytes) {
    return {};
  }
  // In every piece, a scanner that jumps learns the costs again: so there are few pieces.
  const bool jumps = plan.rows != nullptr;
  const int64_t pieces = jumps ? kJumpingPiecesPerThread * request->needs.threads
                               : std::max(kPiecesPerThread * request->needs.threads, bytes / kBytesPerPiece);
  std::vector<RowRange> ranges = Cut(whole,
                                     request->shared->store->storage().SplitPoints(
                                         view, whole.start, whole.stop, static_cast<int>(std::min(pieces, kMaxPieces))),
                                     request->scan.reversed);
  if (ranges.size() < 2) {
    ranges.clear();
  }
  return ranges;
}

std::unique_ptr<ResultScanner> OpenParallelScan(ScanRequest* request) {
  std::vector<RowRange> ranges = RangesOf(request);
  if (ranges.empty()) {
    return nullptr;
  }
  return std::make_unique<ParallelScanner>(std::make_shared<ParallelScan>(std::move(*request), std::move(ranges)));
}

}  // namespace klip::table
