// Walks one family in row order. The iterator below is RocksDB's; this file decides how it moves.
//
// Forward, every move is "go to the first key at or above a bound". Stepping is cheaper for near targets, seeking for
// far ones. So Jump steps up to the number of times that JumpPolicy allows, and then seeks. It reports the outcome to
// the policy. It times one jump in JumpCosts::kTimedOnceIn, to learn what a seek costs in steps; timing each jump would cost as
// much as a step.
//
// Example: rows r1 to r9 with one cell each, the cursor at r1, JumpTo("r4") and a policy that allows 4 steps. Three
// steps arrive: Arrived(3), no seek. JumpTo("r9") from r4 makes 4 steps, to r8, then seeks: Sought(4). The policy has
// learnt that such a distance exceeds 4.
//
// Reversed, rows come in descending order but the cells of a row in ascending order, as in HBase. RocksDB steps
// backwards only cell by cell. So EnterReversed reads a row backwards into memory, and the cursor then presents it
// forwards. For row r5 with cells a, b, c the iterator meets c, b, a; the cursor shows a, b, c, while the iterator
// already stands at r4. A row of more than kMaxBufferedCells or kMaxBufferedBytes is not buffered: the cursor seeks to
// its first cell, reads it forward, and seeks again to leave it.
#include "engine/read/family_cursor.h"

#include <utility>

#include "engine/layout/cell_key.h"

namespace klip::engine {
namespace {

// A reversed scan buffers rows up to this size. It seeks to the start of a larger row and reads it forward.
constexpr size_t kMaxBufferedCells = 256;
constexpr size_t kMaxBufferedBytes = 64 << 10;

rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

}  // namespace

FamilyCursor::FamilyCursor(std::unique_ptr<rocksdb::Iterator> iterator, bool reversed, const Knowledge& known,
                           ScanStatistics* statistics)
    : iterator_(std::move(iterator)), reversed_(reversed), statistics_(statistics), known_(known) {}

FamilyCursor::Learnt::Learnt(const Knowledge& known)
    : costs(known.costs), levels(known.expected_gap), rest_of_row(known.cells_per_row), columns(known.cells_per_row) {}

void FamilyCursor::SeekToStart(std::string_view bound) {
  if (!bound.empty()) {
    SeekOnce(bound);
    return;
  }
  ++statistics_->seeks;
  if (reversed_) {
    iterator_->SeekToLast();
  } else {
    iterator_->SeekToFirst();
  }
  Refresh();
}

void FamilyCursor::StepOnce() {
  if (reversed_) {
    iterator_->Prev();
    ++statistics_->steps;
    Refresh();
  } else {
    Step();
  }
}

void FamilyCursor::SeekOnce(std::string_view bound) {
  ++statistics_->seeks;
  if (reversed_) {
    iterator_->SeekForPrev(SliceOf(bound));  // no cell's key equals a bound
  } else {
    iterator_->Seek(SliceOf(bound));
  }
  Refresh();
}

void FamilyCursor::JumpTo(std::string_view bound, int level) {
  last_jump_steps_ = 0;
  if (!Reached(bound)) {
    Jump(bound, &learnt().levels[level], true);
  }
}

void FamilyCursor::Jump(std::string_view bound, JumpPolicy* policy, bool count_rows) {
  const uint32_t cap = policy->WalkCap(learnt_->costs.ratio());
  const bool timed = ++learnt_->jumps % JumpCosts::kTimedOnceIn == 0;
  uint64_t before = timed ? Ticks() : 0;
  if (count_rows && cap > 0 && LocateRow()) {
    walked_row_.assign(escaped_row());
  }
  uint32_t steps = 0;
  int64_t rows = 0;
  while (steps < cap) {
    StepOnce();
    ++steps;
    if (Reached(bound)) {
      policy->Arrived(steps);
      last_jump_steps_ = steps;
      statistics_->rows_read += rows;
      if (timed) {
        learnt_->costs.ObserveStep(static_cast<double>(Ticks() - before) / steps);
      }
      return;
    }
    if (count_rows && key_.substr(0, walked_row_.size()) != walked_row_ && LocateRow()) {
      walked_row_.assign(escaped_row());
      ++rows;
    }
  }
  statistics_->rows_read += rows;
  if (timed) {
    const uint64_t now = Ticks();
    if (steps > 0) {
      learnt_->costs.ObserveStep(static_cast<double>(now - before) / steps);
    }
    before = now;
  }
  SeekOnce(bound);
  policy->Sought(steps);
  last_jump_steps_ = UINT32_MAX;
  if (timed) {
    learnt_->costs.ObserveSeek(static_cast<double>(Ticks() - before));
  }
}

bool FamilyCursor::LocateEscapedRow(size_t first_zero) {
  row_bytes_ = EscapedRowLength(key_, first_zero);
  plain_row_ = false;
  return row_bytes_ > 0;
}

void FamilyCursor::EnterRow(std::string_view prefix) {
  prefix_ = prefix;
  entered_ = true;
  in_row_ = true;
  if (reversed_) {
    EnterReversed();
  }
}

void FamilyCursor::EnterReversed() {
  buffer_.clear();
  cells_.clear();
  while (InPrefix()) {
    if (cells_.size() == kMaxBufferedCells || buffer_.size() > kMaxBufferedBytes) {
      iterator_->Seek(SliceOf(prefix_));
      ++statistics_->seeks;
      Refresh();
      in_row_ = InPrefix();
      return;
    }
    cells_.push_back({buffer_.size(), key_.size(), value_.size()});
    buffer_.append(key_).append(value_);
    StepOnce();
  }
  buffered_ = true;
  left_ = cells_.size();
  ShowBuffered();
}

void FamilyCursor::ShowBuffered() {
  in_row_ = left_ > 0;
  if (in_row_) {
    const BufferedCell& cell = cells_[left_ - 1];
    key_ = std::string_view(buffer_).substr(cell.offset, cell.key_bytes);
    value_ = std::string_view(buffer_).substr(cell.offset + cell.key_bytes, cell.value_bytes);
  }
}

void FamilyCursor::NextBuffered() {
  --left_;
  ShowBuffered();
}

void FamilyCursor::SkipTo(std::string_view target) {
  if (buffered_) {
    while (in_row_ && key_ < target) {
      NextBuffered();
    }
    return;
  }
  if (!reversed_) {
    Jump(target, &learnt().columns, false);
  } else if (key_ < target) {
    iterator_->Seek(SliceOf(target));
    ++statistics_->seeks;
    Refresh();
  }
  in_row_ = InPrefix();
}

void FamilyCursor::LeaveRow() {
  if (!std::exchange(entered_, false)) {
    return;
  }
  if (reversed_) {
    if (buffered_) {
      buffered_ = false;
      Refresh();
    } else {
      SeekOnce(prefix_);
    }
  } else if (in_row_) {
    SkipRow(prefix_);
  }
  in_row_ = false;
}

void FamilyCursor::LeaveRowTo(std::string_view bound, int level) {
  if (reversed_) {
    LeaveRow();
  }
  entered_ = false;
  in_row_ = false;
  JumpTo(bound, level);
}

void FamilyCursor::SkipRow(std::string_view escaped_row) {
  bound_.assign(escaped_row);
  if (!reversed_) {
    bound_.back() = '\x02';  // above the row's terminator
  }
  if (!Reached(bound_)) {
    Jump(bound_, &learnt().rest_of_row, false);
  }
}

}  // namespace klip::engine
