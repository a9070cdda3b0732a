// Cursors over the sorted runs of a view: memtables and tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rocksdb/status.h"

#include "engine/blocks/block_cache.h"
#include "engine/blocks/family_tables.h"
#include "engine/rocks/key_tree.h"

namespace rocksdb {
class Statistics;
}

namespace klip::engine {

// What a reader's cursors have in common.
struct BlockReads {
  const BlockCache* cache = nullptr;
  rocksdb::Statistics* statistics = nullptr;
  uint64_t sequence = 0;     // of the last visible write
  bool fill_cache = true;    // with blocks that were read
  bool cached_only = false;  // a block that is not in the cache ends the reading with status Incomplete
  // Null: no bound. A cursor need not see what lies beyond, so that it does not read the block.
  const std::string_view* lower = nullptr;
  const std::string_view* upper = nullptr;
  rocksdb::Status status;  // of the first error

  // Null: there was an error.
  Pinned<BlockIndex> Index(const TableFile& table);
  Pinned<DecodedBlock> Block(const TableFile& table, const BlockIndex& index, size_t number);

 private:
  template <typename T, typename Read>
  Pinned<T> FindOrRead(const BlockKey& key, rocksdb::Cache::Priority priority, bool keep, Read read);
};

class TableCursor;

// Stands at the newest visible entry of a key, which may be a deletion.
class RunCursor {
 public:
  explicit RunCursor(BlockReads* reads) : reads_(reads) {}
  virtual ~RunCursor() = default;

  bool valid() const { return valid_; }
  // valid():
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  uint64_t sequence() const { return sequence_; }
  bool deleted() const { return deleted_; }

  virtual TableCursor* table() { return nullptr; }  // this; null: it is another kind of cursor

  virtual void Seek(std::string_view key) = 0;       // to the first key at or above it
  virtual void SeekBelow(std::string_view key) = 0;  // to the last key below it
  virtual void SeekToLast() = 0;
  virtual void Next() = 0;  // valid()
  virtual void Prev() = 0;  // valid()

 protected:
  BlockReads* const reads_;
  bool valid_ = false;
  bool deleted_ = false;
  uint64_t sequence_ = 0;
  std::string_view key_;
  std::string_view value_;
};

class MemtableCursor final : public RunCursor {
 public:
  MemtableCursor(const KeyTree* tree, BlockReads* reads) : RunCursor(reads), at_(tree) {}

  void Seek(std::string_view key) override;
  void SeekBelow(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  void Prev() override;

 private:
  std::string_view Target(std::string_view key, uint64_t sequence);
  std::string_view UserKey() const;
  uint64_t Tag() const;
  void SettleForward();
  void SettleBackward();
  void Show();

  KeyTree::Cursor at_;
  std::string target_;
};

class TableCursor final : public RunCursor {
 public:
  TableCursor(const SortedRun* run, BlockReads* reads) : RunCursor(reads), run_(run) {}

  TableCursor* table() override { return this; }
  void Seek(std::string_view key) override;
  void SeekBelow(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  void Prev() override;

  // --- valid() ---
  const DecodedBlock& block() const { return *block_; }
  uint32_t at() const { return i_; }
  bool all_visible() const { return all_visible_; }  // each entry of the block
  // Moves within the block, to an entry that is not special. REQUIRES: all_visible().
  void MoveTo(uint32_t i) {
    i_ = i;
    Show();
  }

 private:
  bool Open(size_t table);
  bool OpenBlock(size_t number);
  bool OpenNextBlock();
  bool OpenPreviousBlock();
  bool HasWithin(std::string_view key) const;
  void SettleForward();
  void SettleBackward();
  uint32_t GroupStart(uint32_t i) const;
  void Show();

  const SortedRun* const run_;
  size_t table_ = 0;
  Pinned<BlockIndex> index_;  // of table_
  size_t number_ = 0;
  Pinned<DecodedBlock> block_;  // of that number
  bool all_visible_ = false;
  uint32_t i_ = 0;
};

}  // namespace klip::engine
