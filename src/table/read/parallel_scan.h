// A scan on several threads: its pieces, and who reads them.
//
// The key range is cut into more pieces than there are threads. The calling thread reads the piece whose rows come next,
// and returns them directly. Workers read later pieces into buffers. A worker never waits: if the buffers are full, it
// parks its piece, with its scanner, and ends. When there is space again, another thread takes over the piece. So an open
// scanner blocks no thread.
//
// Example: pieces A to D, two workers. The caller reads A directly; the workers fill the buffers of B and C. When A ends,
// the caller returns the buffered chunks of B, then takes B over if its worker has parked it, while a worker starts with
// D.
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

// Several results, packed.
struct RowChunk {
  struct Mark {
    uint32_t end = 0;  // index after the last cell
    bool has_more_cells_in_row = false;
  };
  Result cells;
  std::vector<Mark> marks;
  RowBatch batch;  // used instead, for a scan in batches
  int64_t bytes = 0;

  bool empty() const { return marks.empty() && batch.rows() == 0; }

  void Clear();
  void Add(const Result& row);
};

struct ScanPiece {
  enum class State : uint8_t { kFresh, kTaken, kParked, kFinished };

  RowRange range;
  State state = State::kFresh;
  std::unique_ptr<engine::RowScanner> scanner;  // belongs to the thread that has taken the piece
  std::deque<RowChunk> chunks;
  int64_t buffered_bytes = 0;
  ScanStatistics statistics;  // as of the last chunk
  Status status;
};

// Shared by the calling thread and the jobs of the pool.
class ParallelScan : public std::enable_shared_from_this<ParallelScan> {
 public:
  // `columns`: of a scan in batches; nullopt: it returns Results.
  ParallelScan(ScanRequest request, std::vector<RowRange> ranges,
               std::optional<std::vector<ColumnName>> columns = std::nullopt);

  // What the calling thread does next.
  enum class Turn : uint8_t {
    kChunk,   // *chunk holds rows
    kDirect,  // the current piece is its own: read from piece()
    kPause,   // the scan's watch requests a pause
    kEnd,
  };
  // Errors: those of the next piece.
  Expected<Turn> NextTurn(RowChunk* chunk);
  // Only after kDirect.
  engine::RowScanner& piece() { return *pieces_[current_].scanner; }
  // Adds rows to an empty chunk; false: the piece has no more.
  Expected<bool> ReadInto(engine::RowScanner* scanner, RowChunk* chunk) const;
  // Call it when the piece that was read directly has no more rows.
  void FinishDirect();

  void Start();
  // After this, no worker uses the store.
  void Stop();

  // Of all pieces except the one that is read directly.
  ScanStatistics statistics();
  ScanRequest& request() { return request_; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool HasRoom(size_t index) const;
  ScanPiece* Pick(size_t from);
  engine::ScanAdvice Advice(const ScanPiece& piece) const;
  // `watch`: of the thread that reads it.
  Status OpenPiece(ScanPiece* piece, engine::ScanWatch watch);
  void FillChunk(ScanPiece* piece, Lock* lock);
  void StartWorkers();
  void Work();

  ScanRequest request_;
  const std::optional<std::vector<ColumnName>> columns_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ScanPiece> pieces_;  // in scan order; all below guarded by mutex_
  size_t current_ = 0;             // the piece whose rows come next; written by the calling thread only
  int64_t buffered_bytes_ = 0;
  std::vector<RowChunk> spare_;
  int workers_ = 0;                     // requested or running
  int working_ = 0;                     // running
  std::atomic<bool> stopping_ = false;  // written under mutex_
};

}  // namespace klip::table
