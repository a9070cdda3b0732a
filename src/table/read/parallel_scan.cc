#include "table/read/parallel_scan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/read/read_view.h"

namespace klip::table {
namespace {

// TUNING: large enough that passing a chunk to another thread costs little per row.
constexpr size_t kChunkRows = 512;
constexpr int64_t kChunkBytes = 64 << 10;
constexpr int64_t kPieceBytes = 4 << 20;        // buffered per piece
constexpr int64_t kScanBytes = 16 << 20;        // buffered of the pieces after the current one
constexpr int64_t kWatchedScanBytes = 1 << 20;  // the same for a watched scan: there may be many, and slow ones
constexpr int64_t kMostAgeMs = int64_t{24} * 3600 * 1000;
constexpr size_t kPiecesAhead = 8;  // per thread
constexpr size_t kSpareChunks = 8;
constexpr std::chrono::milliseconds kLongestWait{100};  // until the watch is called again

}  // namespace

void RowChunk::Clear() {
  cells.Clear();
  marks.clear();
  batch.Clear();
  bytes = 0;
}

void RowChunk::Add(const Result& row) {
  for (const Cell& cell : row) {
    cells.AppendCopy(cell);
    bytes += static_cast<int64_t>(cell.row.size() + cell.qualifier.size() + cell.value.size() + sizeof(Cell));
  }
  marks.push_back({static_cast<uint32_t>(cells.size()), row.has_more_cells_in_row()});
}

ParallelScan::ParallelScan(ScanRequest request, std::vector<RowRange> ranges,
                           std::optional<std::vector<ColumnName>> columns)
    : request_(std::move(request)), columns_(std::move(columns)), pieces_(ranges.size()) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    pieces_[i].range = std::move(ranges[i]);
  }
  // Pieces are opened one after the other, but the scan shows one moment.
  request_.view = std::make_shared<const engine::ReadView>(*request_.shared->store, kMostAgeMs);
}

void ParallelScan::Start() {
  const Lock lock(mutex_);
  StartWorkers();
}

void ParallelScan::Stop() {
  Lock lock(mutex_);
  stopping_ = true;
  changed_.wait(lock, [this] { return working_ == 0; });
  pieces_.clear();
  spare_.clear();
}

bool ParallelScan::HasRoom(size_t index) const {
  const int64_t bytes = request_.watch ? kWatchedScanBytes : kScanBytes;
  return pieces_[index].buffered_bytes < std::min(kPieceBytes, bytes) && (index == current_ || buffered_bytes_ < bytes);
}

// The first free piece from `from` on that may be read ahead. REQUIRES: mutex_.
ScanPiece* ParallelScan::Pick(size_t from) {
  const size_t end = std::min(pieces_.size(), current_ + kPiecesAhead * static_cast<size_t>(request_.needs.threads));
  for (size_t i = from; i < end; ++i) {
    const ScanPiece::State state = pieces_[i].state;
    if ((state == ScanPiece::State::kFresh || state == ScanPiece::State::kParked) && HasRoom(i)) {
      return &pieces_[i];
    }
  }
  return nullptr;
}

Status ParallelScan::OpenPiece(ScanPiece* piece, engine::ScanWatch watch) {
  engine::RowScanSpec spec = request_.Spec();
  spec.watch = std::move(watch);
  rowkey::SetRange(piece->range, &spec.scan);
  KLIP_ASSIGN_OR_RETURN(piece->scanner, request_.source().Open(*request_.info, std::move(spec)));
  return Status::Ok();
}

Expected<bool> ParallelScan::ReadInto(engine::RowScanner* scanner, RowChunk* chunk) const {
  if (columns_.has_value()) {
    if (chunk->batch.columns().size() != columns_->size()) {
      chunk->batch = RowBatch(*columns_);
    }
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Fill(&chunk->batch));
    chunk->bytes = static_cast<int64_t>(chunk->batch.bytes());
    return more;
  }
  Result row;
  bool more = true;
  while (more && chunk->marks.size() < kChunkRows && chunk->bytes < kChunkBytes) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    if (more) {
      chunk->Add(row);
    }
  }
  return more;
}

// Reads one chunk of a piece that this thread has taken, and parks or finishes the piece. Unlocks meanwhile.
void ParallelScan::FillChunk(ScanPiece* piece, Lock* lock) {
  RowChunk chunk;
  if (!spare_.empty()) {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  lock->unlock();
  Status status;
  bool more = true;
  if (piece->scanner == nullptr) {
    // The scan's own watch applies to the calling thread, and only during its calls.
    status = OpenPiece(piece, [this](std::string_view) {
      const bool end = stopping_ || request_.cancel.cancelled();
      return end ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
    });
  }
  if (status.ok()) {
    const Expected<bool> next = ReadInto(piece->scanner.get(), &chunk);
    status = next.status();
    more = next.ok() && *next;
  }
  const bool finished = !status.ok() || !more;
  const ScanStatistics statistics = piece->scanner != nullptr ? piece->scanner->statistics() : ScanStatistics();
  const std::unique_ptr<engine::RowScanner> done = finished ? std::move(piece->scanner) : nullptr;
  lock->lock();
  piece->statistics = statistics;
  piece->status = std::move(status);
  piece->buffered_bytes += chunk.bytes;
  buffered_bytes_ += chunk.bytes;
  if (!chunk.empty()) {
    piece->chunks.push_back(std::move(chunk));
  }
  piece->state = finished ? ScanPiece::State::kFinished : ScanPiece::State::kParked;
  changed_.notify_all();
}

// Starts as many workers as there are pieces to work on. REQUIRES: mutex_.
void ParallelScan::StartWorkers() {
  while (workers_ < request_.needs.threads - 1 && Pick(current_ + 1) != nullptr) {
    ++workers_;
    request_.shared->pool.Run(request_.needs.threads - 1, [self = shared_from_this()] { self->Work(); });
  }
}

void ParallelScan::Work() {
  Lock lock(mutex_);
  ++working_;
  while (!stopping_) {
    // The calling thread reads the current piece, unless it has one already.
    ScanPiece* piece = Pick(current_ + 1);
    if (piece == nullptr) {
      break;
    }
    do {
      piece->state = ScanPiece::State::kTaken;
      FillChunk(piece, &lock);
    } while (!stopping_ && piece->state == ScanPiece::State::kParked &&
             HasRoom(static_cast<size_t>(piece - pieces_.data())));
  }
  --working_;
  --workers_;
  changed_.notify_all();
}

engine::ScanAdvice ParallelScan::Advice(const ScanPiece& piece) const {
  if (request_.watch) {
    return request_.watch(piece.range.start);
  }
  return request_.cancel.cancelled() ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
}

Expected<ParallelScan::Turn> ParallelScan::NextTurn(RowChunk* chunk) {
  Lock lock(mutex_);
  chunk->Clear();
  if (spare_.size() < kSpareChunks) {
    spare_.push_back(std::move(*chunk));
  }
  while (true) {
    if (current_ == pieces_.size()) {
      return Turn::kEnd;
    }
    ScanPiece& piece = pieces_[current_];
    if (!piece.chunks.empty()) {
      *chunk = std::move(piece.chunks.front());
      piece.chunks.pop_front();
      piece.buffered_bytes -= chunk->bytes;
      buffered_bytes_ -= chunk->bytes;
      StartWorkers();
      return Turn::kChunk;
    }
    const engine::ScanAdvice advice = Advice(piece);
    if (advice == engine::ScanAdvice::kEnd) {
      return Status(Code::kCancelled, "the scan was ended");
    }
    if (advice == engine::ScanAdvice::kPause) {
      return Turn::kPause;
    }
    switch (piece.state) {
      case ScanPiece::State::kFinished:
        KLIP_RETURN_IF_ERROR(piece.status);
        ++current_;
        StartWorkers();
        break;
      case ScanPiece::State::kFresh:
      case ScanPiece::State::kParked:
        piece.state = ScanPiece::State::kTaken;
        piece.statistics = {};  // its scanner continues the count
        lock.unlock();
        if (piece.scanner == nullptr) {
          if (Status status = OpenPiece(&piece, request_.Spec().watch); !status.ok()) {
            lock.lock();
            piece.status = std::move(status);
            piece.state = ScanPiece::State::kFinished;
            break;
          }
        }
        return Turn::kDirect;
      case ScanPiece::State::kTaken:
        // A worker has it. Instead of waiting, this thread reads ahead in a free piece.
        if (ScanPiece* other = Pick(current_ + 1); other != nullptr) {
          other->state = ScanPiece::State::kTaken;
          FillChunk(other, &lock);
        } else {
          changed_.wait_for(lock, kLongestWait);
        }
        break;
    }
  }
}

void ParallelScan::FinishDirect() {
  ScanPiece& piece = pieces_[current_];
  const std::unique_ptr<engine::RowScanner> done = std::move(piece.scanner);
  const Lock lock(mutex_);
  piece.statistics = done->statistics();
  piece.state = ScanPiece::State::kFinished;
}

ScanStatistics ParallelScan::statistics() {
  const Lock lock(mutex_);
  ScanStatistics sum;
  for (const ScanPiece& piece : pieces_) {
    sum += piece.statistics;
  }
  return sum;
}

}  // namespace klip::table
