// BlockIterator: merges the sorted runs of a view, as RocksDB's iterator does.
//
// Where only one run has keys, it moves inside that run's block, without comparing keys: in a window of entries of which each is the only
// one of its key.
//
// Example: a block with the keys a, b, c, d, and a memtable with c. The first window is a and b. At c, the newer write is chosen; the last
// window is d.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/iterator.h"
#include "rocksdb/options.h"

#include "engine/blocks/block_view.h"
#include "engine/blocks/run_cursor.h"

namespace klip::engine {

// Like an iterator of RocksDB over the same moment, with total_order_seek. It cannot Refresh.
class BlockIterator final : public rocksdb::Iterator {
 public:
  // Uses of `options` the bounds, which must outlive the iterator, fill_cache, and the read tiers kReadAllTier and kBlockCacheTier.
  // `cache` and `statistics` outlive it.
  BlockIterator(BlockView view, const rocksdb::ReadOptions& options, const BlockCache* cache,
                rocksdb::Statistics* statistics);
  BlockIterator(const BlockIterator&) = delete;
  BlockIterator& operator=(const BlockIterator&) = delete;

  bool Valid() const override { return valid_; }
  rocksdb::Slice key() const override { return {key_.data(), key_.size()}; }
  rocksdb::Slice value() const override { return {value_.data(), value_.size()}; }
  rocksdb::Status status() const override { return reads_.status; }
  void SeekToFirst() override { Seek(rocksdb::Slice()); }
  void SeekToLast() override;
  void Seek(const rocksdb::Slice& target) override;
  void SeekForPrev(const rocksdb::Slice& target) override;
  void Next() override {
    if (++i_ < end_) [[likely]] {
      ShowInWindow();
    } else {
      NextOutside();
    }
  }
  void Prev() override {
    if (i_ > begin_) [[likely]] {
      --i_;
      ShowInWindow();
    } else {
      PrevOutside();
    }
  }

 private:
  // The runs at the least key (forward) or the greatest one, and the next key after it.
  struct Choice {
    RunCursor* best = nullptr;  // with the newest entry of this key; null: no run has a key
    bool tied = false;          // several runs have the key
    bool others = false;
    std::string_view next = {};  // of the other runs; if `others`
  };

  void ShowInWindow() {
    key_ = block_->Key(i_);
    value_ = block_->Value(i_);
  }
  void NextOutside();
  void PrevOutside();
  // Before cursors move: the current one goes to where the window is.
  void LeaveWindow();
  void SeekForward(std::string_view target);
  void SeekBackward(std::string_view target);  // to keys below it
  template <bool kForward>
  Choice Choose() const;
  template <bool kForward>
  void Pass(const Choice& choice);
  template <bool kForward>
  void Settle();
  void OpenForwardWindow(TableCursor* table, const Choice& choice);
  void OpenBackwardWindow(TableCursor* table, const Choice& choice);
  void End();

  const BlockView view_;  // first: what cursors read lives as long
  BlockReads reads_;
  std::string_view lower_;
  std::string_view upper_;
  std::vector<MemtableCursor> memtables_;
  std::vector<TableCursor> tables_;
  std::vector<RunCursor*> runs_;
  bool valid_ = false;
  bool forward_ = true;
  Choice current_;
  TableCursor* window_of_ = nullptr;  // null: the window is one entry, not in a block
  const DecodedBlock* block_ = nullptr;
  uint32_t i_ = 0;  // in [begin_, end_), the window
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  std::string_view key_;
  std::string_view value_;
  std::string target_;
};

}  // namespace klip::engine
