#include "engine/blocks/run_cursor.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"

#include "engine/layout/little_endian.h"

namespace klip::engine {
namespace {

constexpr size_t kTagBytes = 8;
constexpr int kTypeBits = 8;
constexpr uint64_t kTypeMask = 0xFF;
constexpr uint64_t kHighestSequence = std::numeric_limits<uint64_t>::max() >> kTypeBits;

// RocksDB's kinds of entries.
constexpr uint64_t kDeletion = 0;
constexpr uint64_t kValue = 1;
constexpr uint64_t kSingleDeletion = 7;

}  // namespace

// --- Blocks ---

template <typename T, typename Read>
Pinned<T> BlockReads::FindOrRead(const BlockKey& key, rocksdb::Cache::Priority priority, bool keep, Read read) {
  Pinned<T> found = cache->Find<T>(key);
  if (found) [[likely]] {
    return found;
  }
  if (cached_only) {
    status = rocksdb::Status::Incomplete("a block is not in the cache");
    return found;
  }
  std::unique_ptr<const T> object;
  if (rocksdb::Status read_status = read(&object); !read_status.ok()) {
    status = std::move(read_status);
    return found;
  }
  return keep ? cache->Add<T>(key, std::move(object), priority) : Pinned<T>(std::move(object));
}

// Not counted: RocksDB reads indexes when it opens a table.
Pinned<BlockIndex> BlockReads::Index(const TableFile& table) {
  return FindOrRead<BlockIndex>({table.id(), BlockKey::kIndex}, rocksdb::Cache::Priority::HIGH, /*keep=*/true,
                                [&](std::unique_ptr<const BlockIndex>* out) { return table.ReadIndex(out); });
}

Pinned<DecodedBlock> BlockReads::Block(const TableFile& table, const BlockIndex& index, size_t number) {
  rocksdb::Tickers ticker = rocksdb::BLOCK_CACHE_HIT;
  const auto read = [&](std::unique_ptr<const DecodedBlock>* out) {
    ticker = rocksdb::BLOCK_CACHE_MISS;
    ++rocksdb::get_perf_context()->block_read_count;
    return table.ReadBlock(index, number, out);
  };
  Pinned<DecodedBlock> block =
      FindOrRead<DecodedBlock>({table.id(), number}, rocksdb::Cache::Priority::LOW, fill_cache, read);
  if (block) {
    statistics->recordTick(ticker, 1);
  }
  return block;
}

// --- Memtables ---

std::string_view MemtableCursor::Target(std::string_view key, uint64_t sequence) {
  const uint64_t tag = sequence << kTypeBits;
  target_.assign(key);
  target_.append(reinterpret_cast<const char*>(&tag), sizeof(tag));
  return target_;
}

std::string_view MemtableCursor::UserKey() const {
  std::string_view key = KeyTree::InternalKeyOf(at_.entry());
  key.remove_suffix(kTagBytes);
  return key;
}

uint64_t MemtableCursor::Tag() const {
  const std::string_view key = KeyTree::InternalKeyOf(at_.entry());
  return ReadLittleEndian<uint64_t>(key.data() + key.size() - kTagBytes);
}

void MemtableCursor::Show() {
  const uint64_t tag = Tag();
  const uint64_t type = tag & kTypeMask;
  valid_ = type == kValue || type == kDeletion || type == kSingleDeletion;
  if (!valid_) {
    reads_->status = rocksdb::Status::NotSupported("an entry of kind " + std::to_string(type) + " in memory");
    return;
  }
  key_ = UserKey();
  value_ = KeyTree::ValueOf(at_.entry());
  sequence_ = tag >> kTypeBits;
  deleted_ = type != kValue;
}

void MemtableCursor::Seek(std::string_view key) {
  at_.Seek(Target(key, reads_->sequence));
  SettleForward();
}

void MemtableCursor::SeekBelow(std::string_view key) {
  at_.SeekForPrev(Target(key, kHighestSequence));
  SettleBackward();
}

void MemtableCursor::SeekToLast() {
  at_.SeekToLast();
  SettleBackward();
}

void MemtableCursor::Next() {
  constexpr int kMostSteps = 8;  // TUNING: as RocksDB, which then seeks past the older writes of a key
  const std::string_view key = key_;
  for (int steps = 0; at_.Valid() && UserKey() == key; ++steps) {
    if (steps < kMostSteps) {
      at_.Next();
    } else {
      at_.Seek(Target(std::string(key) + '\0', kHighestSequence));
    }
  }
  SettleForward();
}

void MemtableCursor::Prev() { SeekBelow(key_); }

// At the newest entry of a key, or at a later one.
void MemtableCursor::SettleForward() {
  while (at_.Valid() && (Tag() >> kTypeBits) > reads_->sequence) {
    at_.Seek(Target(UserKey(), reads_->sequence));
  }
  valid_ = at_.Valid();
  if (valid_) {
    Show();
  }
}

// At the oldest entry of a key.
void MemtableCursor::SettleBackward() {
  while (at_.Valid()) {
    const std::string_view key = UserKey();
    at_.Seek(Target(key, reads_->sequence));
    if (at_.Valid() && UserKey() == key) {
      Show();
      return;
    }
    at_.SeekForPrev(Target(key, kHighestSequence));
  }
  valid_ = false;
}

// --- Tables ---

bool TableCursor::Open(size_t table) {
  if (index_ && table_ == table) {
    return true;
  }
  block_.Reset();
  index_.Reset();
  table_ = table;
  index_ = reads_->Index(*run_->tables[table].file);
  return static_cast<bool>(index_);
}

bool TableCursor::OpenBlock(size_t number) {
  if (block_ && number_ == number) {
    return true;
  }
  block_.Reset();
  number_ = number;
  block_ = reads_->Block(*run_->tables[table_].file, *index_, number);
  all_visible_ = block_ && block_->max_sequence() <= reads_->sequence;
  return static_cast<bool>(block_);
}

bool TableCursor::OpenNextBlock() {
  if (number_ + 1 < index_->size()) {
    const bool beyond = reads_->upper != nullptr && index_->Separator(number_) >= *reads_->upper;
    i_ = 0;
    return !beyond && OpenBlock(number_ + 1);
  }
  const size_t next = table_ + 1;
  if (next == run_->tables.size() || (reads_->upper != nullptr && run_->tables[next].smallest >= *reads_->upper)) {
    return false;
  }
  i_ = 0;
  return Open(next) && OpenBlock(0);
}

bool TableCursor::OpenPreviousBlock() {
  if (number_ > 0) {
    const bool beyond = reads_->lower != nullptr && index_->Separator(number_ - 1) < *reads_->lower;
    if (beyond || !OpenBlock(number_ - 1)) {
      return false;
    }
  } else {
    if (table_ == 0 || (reads_->lower != nullptr && run_->tables[table_ - 1].largest < *reads_->lower)) {
      return false;
    }
    if (!Open(table_ - 1) || !OpenBlock(index_->size() - 1)) {
      return false;
    }
  }
  i_ = block_->size() - 1;
  return true;
}

bool TableCursor::HasWithin(std::string_view key) const {
  return block_ && block_->Key(0) <= key && key <= block_->Key(block_->size() - 1);
}

void TableCursor::Show() {
  valid_ = true;
  key_ = block_->Key(i_);
  value_ = block_->Value(i_);
  sequence_ = block_->Sequence(i_);
  deleted_ = block_->Deleted(i_);
}

void TableCursor::Seek(std::string_view key) {
  if (HasWithin(key)) {
    const bool ahead = valid_ && key_ < key;
    i_ = ahead ? block_->Gallop(key, i_) : block_->LowerBound(key, 0, block_->size());
    SettleForward();
    return;
  }
  valid_ = false;
  const auto table =
      std::ranges::lower_bound(run_->tables, key, {}, [](const auto& one) { return std::string_view(one.largest); });
  if (table == run_->tables.end() || (reads_->upper != nullptr && table->smallest >= *reads_->upper) ||
      !Open(static_cast<size_t>(table - run_->tables.begin()))) {
    return;
  }
  const size_t number = std::min(index_->Find(key), index_->size() - 1);
  if (OpenBlock(number)) {
    i_ = block_->LowerBound(key, 0, block_->size());
    SettleForward();
  }
}

void TableCursor::SeekBelow(std::string_view key) {
  if (!HasWithin(key)) {
    valid_ = false;
    const auto after =
        std::ranges::lower_bound(run_->tables, key, {}, [](const auto& one) { return std::string_view(one.smallest); });
    if (after == run_->tables.begin()) {
      return;
    }
    const auto table = std::prev(after);
    if ((reads_->lower != nullptr && table->largest < *reads_->lower) ||
        !Open(static_cast<size_t>(table - run_->tables.begin())) ||
        !OpenBlock(std::min(index_->Find(key), index_->size() - 1))) {
      return;
    }
  }
  i_ = block_->LowerBound(key, 0, block_->size());
  if (i_ > 0) {
    --i_;
  } else if (!OpenPreviousBlock()) {
    valid_ = false;
    return;
  }
  SettleBackward();
}

void TableCursor::SeekToLast() {
  valid_ = false;
  if (Open(run_->tables.size() - 1) && OpenBlock(index_->size() - 1)) {
    i_ = block_->size() - 1;
    SettleBackward();
  }
}

void TableCursor::Next() {
  ++i_;
  if (block_->has_specials()) {
    while (i_ < block_->size() && block_->Key(i_) == key_) {
      ++i_;
    }
  }
  SettleForward();
}

void TableCursor::Prev() {
  i_ = GroupStart(i_);
  if (i_ > 0) {
    --i_;
  } else if (!OpenPreviousBlock()) {
    valid_ = false;
    return;
  }
  SettleBackward();
}

// The first entry of the same key.
uint32_t TableCursor::GroupStart(uint32_t i) const {
  if (block_->has_specials()) {
    while (i > 0 && block_->Key(i - 1) == block_->Key(i)) {
      --i;
    }
  }
  return i;
}

// At the first entry of a key, or at the end of the block.
void TableCursor::SettleForward() {
  while (true) {
    while (i_ < block_->size() && !all_visible_ && block_->Sequence(i_) > reads_->sequence) {
      ++i_;
    }
    if (i_ < block_->size()) {
      Show();
      return;
    }
    if (!OpenNextBlock()) {
      valid_ = false;
      return;
    }
  }
}

// At the last entry of a key.
void TableCursor::SettleBackward() {
  while (true) {
    const uint32_t start = GroupStart(i_);
    uint32_t i = start;
    while (i <= i_ && !all_visible_ && block_->Sequence(i) > reads_->sequence) {
      ++i;
    }
    if (i <= i_) {
      i_ = i;
      Show();
      return;
    }
    if (start > 0) {
      i_ = start - 1;
    } else if (!OpenPreviousBlock()) {
      valid_ = false;
      return;
    }
  }
}

}  // namespace klip::engine
