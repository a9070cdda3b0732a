#include "copy/copier.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "copy/progress.h"
#include "copy/throttle.h"
#include "copy/work_queue.h"

namespace klip {

CopyCounts& CopyCounts::operator+=(const CopyCounts& other) {
  rows += other.rows;
  cells += other.cells;
  delete_markers += other.delete_markers;
  bytes += other.bytes;
  tags_left_out += other.tags_left_out;
  return *this;
}

}  // namespace klip

namespace klip::copy {
namespace {

constexpr int64_t kRowsBetweenCuts = 2000;  // TUNING: a cut needs a look-up of the last row and a new scanner
constexpr int64_t kRowsBetweenNotes = 200;  // between reports of progress

class Copier {
 public:
  Copier(CopySource* source, CopyTarget* target, const CopyOptions& options, CopyState* state)
      : source_(source),
        target_(target),
        chunk_bytes_(options.chunk_bytes),
        state_(state),
        throttle_(options.max_bytes_per_s, options.max_rows_per_s),
        ranges_(source->Ranges()),
        progress_(options, ranges_),
        queue_(Left()) {}

  Expected<CopyCounts> Run(int threads) {
    for (const DonePart& part : state_->done()) {
      progress_.Resume(part.range, part.counts);
    }
    std::vector<std::thread> workers;
    for (int i = 1; i < threads; ++i) {
      workers.emplace_back([this] { Work(); });
    }
    Work();
    for (std::thread& worker : workers) {
      worker.join();
    }
    KLIP_RETURN_IF_ERROR(status_);
    return progress_.counts();
  }

 private:
  // A worker's position in a range.
  struct Span {
    KeyRange range;      // the stop moves down when a part is given away
    std::string chunk;   // start of the chunk being written
    std::string noted;   // up to here, progress was reported
    std::string row;     // the row being read
    CopyCounts counts;   // of the chunk
    CopyCounts unnoted;  // not included in the progress yet
    int64_t rows_since_cut = 0;
    std::unique_ptr<ChunkWriter> writer;
  };

  std::vector<KeyRange> Left() const {
    std::vector<KeyRange> left;
    for (const KeyRange& range : ranges_) {
      std::ranges::move(Without(range, state_->done_ranges()), std::back_inserter(left));
    }
    return left;
  }

  void Work() {
    while (std::optional<KeyRange> range = queue_.Take()) {
      const Status status = CopyRange(*std::move(range));
      if (!status.ok()) {
        Fail(status);
      }
      queue_.Finish();
    }
  }

  void Fail(const Status& status) {
    {
      const std::scoped_lock lock(mutex_);
      if (status_.ok()) {
        status_ = status;
      }
    }
    queue_.Cancel();
    throttle_.Cancel();
  }

  Status CopyRange(KeyRange range) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<CellReader> reader, source_->Open(range));
    Span span = {.range = range, .chunk = range.start, .noted = range.start};
    Result cells;
    while (true) {
      if (queue_.cancelled()) {
        return Status::Ok();
      }
      KLIP_ASSIGN_OR_RETURN(const bool more, reader->Next(&cells));
      if (!more) {
        break;
      }
      const bool new_row = cells.row() != span.row;
      if (new_row) {
        if (!BelowStop(cells.row(), span.range.stop)) {
          break;  // given away
        }
        span.row.assign(cells.row());
        KLIP_RETURN_IF_ERROR(BetweenRows(&span));
      }
      KLIP_RETURN_IF_ERROR(Write(cells, new_row ? 1 : 0, &span));
    }
    return FinishChunk(span.range.stop, &span);
  }

  Status BetweenRows(Span* span) {
    if (span->counts.bytes >= chunk_bytes_) {
      KLIP_RETURN_IF_ERROR(FinishChunk(span->row, span));
    }
    if (span->unnoted.rows >= kRowsBetweenNotes) {
      Note(span->row, span);
    }
    if (queue_.wanted() && span->rows_since_cut >= kRowsBetweenCuts) {
      span->rows_since_cut = 0;
      const std::optional<std::string> last = source_->LastRow(span->range);
      const auto middle = last && *last > span->row ? MiddleKey(span->row, *last) : std::nullopt;
      if (middle) {
        queue_.Add({*middle, span->range.stop});
        span->range.stop = *middle;
      }
    }
    ++span->rows_since_cut;
    return Status::Ok();
  }

  Status Write(const Result& cells, int64_t rows, Span* span) {
    CopyCounts piece = {.rows = rows};
    for (const Cell& cell : cells) {
      ++piece.cells;
      piece.delete_markers += cell.type == CellType::kPut ? 0 : 1;
      piece.bytes += BytesOf(cell);
    }
    throttle_.Pass(piece.bytes, rows);
    if (span->writer == nullptr) {
      KLIP_ASSIGN_OR_RETURN(span->writer, target_->NewChunk());
    }
    KLIP_RETURN_IF_ERROR(span->writer->Add(cells, &piece));
    span->counts += piece;
    span->unnoted += piece;
    return Status::Ok();
  }

  // The rows below `stop` are done. A range without rows is recorded as well, so that it is not read again.
  Status FinishChunk(const std::string& stop, Span* span) {
    DonePart part = {.range = {span->chunk, stop}, .counts = std::exchange(span->counts, {})};
    if (span->writer != nullptr) {
      KLIP_ASSIGN_OR_RETURN(part.file, span->writer->Finish());
      span->writer.reset();
    }
    Note(stop, span);
    span->chunk = stop;
    const std::scoped_lock lock(mutex_);
    return state_->Add(std::move(part));
  }

  void Note(const std::string& up_to, Span* span) {
    progress_.Advance(std::exchange(span->unnoted, {}), span->noted, up_to);
    span->noted = up_to;
  }

  CopySource* const source_;
  CopyTarget* const target_;
  const int64_t chunk_bytes_;
  std::mutex mutex_;
  CopyState* const state_;  // guarded by mutex_ while workers run
  Status status_;           // guarded by mutex_: the first error
  Throttle throttle_;
  const std::vector<KeyRange> ranges_;
  Progress progress_;
  WorkQueue queue_;
};

}  // namespace

int64_t BytesOf(const Cell& cell) {
  constexpr size_t kTimestampAndType = 9;
  return static_cast<int64_t>(cell.row.size() + cell.family.size() + cell.qualifier.size() + kTimestampAndType +
                              cell.value.size());
}

Expected<CopyCounts> RunCopy(CopySource* source, CopyTarget* target, const CopyOptions& options, CopyState* state) {
  return Copier(source, target, options, state).Run(std::max(1, options.threads));
}

}  // namespace klip::copy
