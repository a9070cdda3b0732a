// FamilyCursor: walks the cells of one column family, row by row in scan order, and cell by cell in HBase's order
// within a row. JumpPolicy decides whether it steps or seeks. It wraps one RocksDB iterator, and does not know
// visibility or filters.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/iterator.h"

#include "base/short_bytes.h"
#include "filter/rows/jump_policy.h"
#include "klip/plan.h"

namespace klip::engine {

using filter::JumpCosts;
using filter::JumpPolicy;

// The time stamp counter if the processor has one: two readings cost less than a hundredth of a seek.
inline uint64_t Ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Whether the key starts with the row and is longer. Neighbouring rows mostly differ at the end, so that is compared
// first.
inline bool StartsWithRow(std::string_view key, std::string_view escaped_row) {
  const size_t bytes = escaped_row.size();
  if (key.size() <= bytes) {
    return false;
  }
  if (uint64_t a = 0, b = 0; bytes >= sizeof(a)) {
    std::memcpy(&a, key.data() + bytes - sizeof(a), sizeof(a));
    std::memcpy(&b, escaped_row.data() + bytes - sizeof(b), sizeof(b));
    if (a != b) {
      return false;
    }
  }
  return SameBytes(key.substr(0, bytes), escaped_row);
}

// A cursor is between rows (key() is some cell of the next row) or, after EnterRow, inside one.
class FamilyCursor {
 public:
  static constexpr int kHintLevel = filter::JumpLevels::kHint;

  // What is known before it moves.
  struct Knowledge {
    double expected_gap = 0;   // steps of a jump to a row; 0: unknown
    double cells_per_row = 0;  // and so, steps of a jump within a row; 0: unknown
    JumpCosts costs = {};
  };
  // `statistics` outlives the cursor.
  FamilyCursor(std::unique_ptr<rocksdb::Iterator> iterator, bool reversed, const Knowledge& known,
               ScanStatistics* statistics);

  bool at_end() const { return !valid_; }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  rocksdb::Status status() const { return iterator_->status(); }

  // --- Between rows ---
  // Empty bound: the first row in scan order. Reversed: to the rows below `bound`.
  void SeekToStart(std::string_view bound);

  // Moves to the first row at or above `bound` (reversed: the last row below it), which must lie ahead.
  void JumpTo(std::string_view bound, int level);

  // The steps that the last JumpTo made; UINT32_MAX: it sought.
  uint32_t last_jump_steps() const { return last_jump_steps_; }

  // Finds the row's part of key(). False: the key is damaged.
  bool LocateRow() {
    // Most rows contain no zero byte, so the first one found starts the terminator.
    const size_t at = FindZero(key_.data(), key_.size());
    if (at + 1 < key_.size() && key_[at + 1] == '\x01') [[likely]] {
      row_bytes_ = at + 2;
      plain_row_ = true;
      return true;
    }
    return LocateEscapedRow(at);
  }
  std::string_view escaped_row() const { return key_.substr(0, row_bytes_); }
  bool plain_row() const { return plain_row_; }  // no byte of it is escaped

  // Moves to the first cell of the current row. Its keys start with `prefix`, which must stay valid until LeaveRow.
  void EnterRow(std::string_view prefix);

  // Between rows: moves to the next cell. True: it belongs to the same row, whose keys start with `escaped_row`.
  bool StepWithin(std::string_view escaped_row) {
    Step();
    return valid_ && StartsWithRow(key_, escaped_row);
  }

  // --- Inside a row ---
  bool entered() const { return entered_; }
  bool in_row() const { return in_row_; }

  void NextCell() {
    if (buffered_) [[unlikely]] {
      NextBuffered();
      return;
    }
    Step();
    in_row_ = InPrefix();
  }

  // Moves to the first cell at or above `target` within the row.
  void SkipTo(std::string_view target);

  // Moves to the next row in scan order, or to the row that JumpTo(bound) would find. Does nothing outside a row.
  void LeaveRow();
  void LeaveRowTo(std::string_view bound, int level);

  // Between rows: skips the current row.
  void SkipRow(std::string_view escaped_row);

 private:
  struct BufferedCell {
    size_t offset;
    size_t key_bytes;
    size_t value_bytes;
  };

  void Refresh() {
    valid_ = iterator_->Valid();
    if (valid_) {
      const rocksdb::Slice key = iterator_->key();
      const rocksdb::Slice value = iterator_->value();
      key_ = {key.data(), key.size()};
      value_ = {value.data(), value.size()};
    }
  }
  void Step() {
    iterator_->Next();
    ++statistics_->steps;
    Refresh();
  }
  bool InPrefix() const {
    return valid_ && key_.size() > prefix_.size() && std::memcmp(key_.data(), prefix_.data(), prefix_.size()) == 0;
  }

  bool LocateEscapedRow(size_t first_zero);
  void Jump(std::string_view bound, JumpPolicy* policy, bool count_rows);
  bool Reached(std::string_view bound) const { return !valid_ || (reversed_ ? key_ < bound : key_ >= bound); }
  void StepOnce();
  void SeekOnce(std::string_view bound);
  void EnterReversed();
  void NextBuffered();
  void ShowBuffered();

  std::unique_ptr<rocksdb::Iterator> iterator_;
  const bool reversed_;
  ScanStatistics* const statistics_;
  bool valid_ = false;
  bool entered_ = false;
  bool in_row_ = false;
  bool plain_row_ = false;
  bool buffered_ = false;  // inside a row of a reversed scan, which was read backwards
  size_t row_bytes_ = 0;
  std::string_view key_;
  std::string_view value_;
  std::string_view prefix_;

  std::string walked_row_;
  std::string bound_;
  std::string buffer_;
  std::vector<BufferedCell> cells_;  // in descending order
  size_t left_ = 0;                  // buffered cells from the current one to the last of the row

  // What jumps have taught. Allocated by the first jump, as most gets and short scans make none.
  struct Learnt {
    explicit Learnt(const Knowledge& known);

    JumpCosts costs;
    uint32_t jumps = 0;
    filter::JumpLevels levels;
    JumpPolicy rest_of_row;
    JumpPolicy columns;
  };
  Learnt& learnt() {
    if (learnt_ == nullptr) {
      learnt_ = std::make_unique<Learnt>(known_);
    }
    return *learnt_;
  }

  const Knowledge known_;
  std::unique_ptr<Learnt> learnt_;
  uint32_t last_jump_steps_ = 0;
};

}  // namespace klip::engine
