// The pieces of a scan that runs on several threads, and who works on them.
//
// The key range is cut into more pieces than there are threads. The thread that asks for rows works on the piece whose rows
// come next and hands them out directly; workers read the pieces behind it into buffers. A worker never waits: when the
// buffers are full it leaves its piece parked, scanner and all, and goes; whoever has room later takes the piece up again. So a
// scanner that is left open holds no thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/read/row_scanner.h"
#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/plan.h"
#include "klip/row_batch.h"
#include "klip/status.h"
#include "table/info/thread_pool.h"
#include "table/read/scan_request.h"

namespace klip::table {

// Results packed one after the other.
struct RowChunk {
  struct Mark {
    uint32_t end = 0;  // index behind the last cell
    bool has_more_cells_in_row = false;
  };
  Result cells;
  std::vector<Mark> marks;
  RowBatch batch;  // in place of these, of a scan in batches
  int64_t bytes = 0;

  bool empty() const { return marks.empty() && batch.rows() == 0; }

  void Clear();
  void Add(const Result& row);
};

struct ScanPiece {
  enum class State : uint8_t { kFresh, kTaken, kParked, kFinished };

  RowRange range;
  State state = State::kFresh;
  std::unique_ptr<engine::RowScanner> scanner;  // belongs to whoever has taken the piece
  std::deque<RowChunk> chunks;
  int64_t buffered_bytes = 0;
  ScanStatistics statistics;  // as of the last chunk
  Status status;
};

// Shared by the asking thread and the jobs of the pool.
class ParallelScan : public std::enable_shared_from_this<ParallelScan> {
 public:
  // `columns`: of a scan in batches; nullopt: it is one of Results.
  ParallelScan(ScanRequest request, std::vector<RowRange> ranges,
               std::optional<std::vector<ColumnName>> columns = std::nullopt);

  // What the asking thread gets to do next.
  enum class Turn : uint8_t {
    kChunk,   // *chunk holds rows
    kDirect,  // the current piece is its own: read from piece()
    kPause,   // as the scan's watch advises
    kEnd,
  };
  // Errors: those of the piece that comes next.
  Expected<Turn> NextTurn(RowChunk* chunk);
  // After kDirect.
  engine::RowScanner& piece() { return *pieces_[current_].scanner; }
  // Adds rows to an empty chunk; false: the piece has no more.
  Expected<bool> ReadInto(engine::RowScanner* scanner, RowChunk* chunk) const;
  // The piece that was read directly has no more rows.
  void FinishDirect();

  void Start();
  // No worker touches the store after this.
  void Stop();

  // Of all pieces but the one that is read directly.
  ScanStatistics statistics();
  ScanRequest& request() { return request_; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool HasRoom(size_t index) const;
  ScanPiece* Pick(size_t from);
  engine::ScanAdvice Advice(const ScanPiece& piece) const;
  // `watch`: of whoever reads it.
  Status OpenPiece(ScanPiece* piece, engine::ScanWatch watch);
  void FillChunk(ScanPiece* piece, Lock* lock);
  void StartWorkers();
  void Work();

  ScanRequest request_;
  const std::optional<std::vector<ColumnName>> columns_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ScanPiece> pieces_;  // in scan order; all below guarded by mutex_
  size_t current_ = 0;             // the piece whose rows come next; written by the asking thread only
  int64_t buffered_bytes_ = 0;
  std::vector<RowChunk> spare_;
  int workers_ = 0;                     // asked for or at work
  int working_ = 0;                     // at work
  std::atomic<bool> stopping_ = false;  // written under mutex_
};

}  // namespace klip::table
