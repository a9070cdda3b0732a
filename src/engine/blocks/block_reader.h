// BlockReader: opens iterators over the cells of column families, which read decoded blocks where they can, and RocksDB's otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "rocksdb/db.h"

#include "engine/blocks/block_cache.h"
#include "engine/blocks/family_tables.h"

namespace klip::engine {

// Thread-safe. Outlives the database, and its iterators.
class BlockReader {
 public:
  // Reads blocks if the environment variable KLIP_READER is "blocks"; otherwise, RocksDB reads everything.
  BlockReader(std::shared_ptr<rocksdb::FileSystem> files, std::shared_ptr<rocksdb::Cache> cache,
              std::shared_ptr<rocksdb::Statistics> statistics);

  // As rocksdb::DB::NewIterator. `filters`: whether RocksDB's filters of rows would help; only RocksDB uses them. Memtables must be those of
  // NewMemTableRepFactory.
  std::unique_ptr<rocksdb::Iterator> NewIterator(rocksdb::DB* db, const rocksdb::ReadOptions& options,
                                                 rocksdb::ColumnFamilyHandle* family, bool filters);

  // Closes tables of a family, by RocksDB's number, that are, or will be, deleted.
  void Forget(uint32_t family, std::span<const std::string> paths);
  void ForgetAll(uint32_t family);

  // Iterators since the database was opened.
  uint64_t by_blocks() const { return by_blocks_.load(std::memory_order_relaxed); }
  // Those that RocksDB had to provide although blocks were wanted: a table is not understood, or changed all the time.
  uint64_t fallbacks() const { return fallbacks_.load(std::memory_order_relaxed); }

 private:
  FamilyTables* TablesOf(uint32_t family);

  const std::shared_ptr<rocksdb::FileSystem> files_;
  const BlockCache cache_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
  const bool on_;
  std::atomic<uint64_t> by_blocks_{0};
  std::atomic<uint64_t> fallbacks_{0};
  std::mutex mutex_;
  std::map<uint32_t, FamilyTables> families_;  // guarded by mutex_; none is removed
};

}  // namespace klip::engine
