// Stores a memtable's entries in a KeyTree instead of RocksDB's skip list.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "engine/rocks/key_tree.h"

namespace rocksdb {
class MemTableRepFactory;
}  // namespace rocksdb

namespace klip::engine {

// The entries of a memtable.
struct MemtableEntries {
  // The allocation is that of KeyTree.
  explicit MemtableEntries(KeyTree::AllocateBytes allocate) : tree(std::move(allocate)) {}

  KeyTree tree;
  std::atomic<bool> flushed{false};  // they are in a table of RocksDB's current list of files
};

// While it exists, notes the memtables over which its thread opens RocksDB's iterators. An iterator over the memtables of a
// column family keeps exactly these in memory. One at a time in a thread.
class MemtableWatch {
 public:
  MemtableWatch();
  ~MemtableWatch();
  MemtableWatch(const MemtableWatch&) = delete;
  MemtableWatch& operator=(const MemtableWatch&) = delete;

  // False: there were too many to note.
  bool complete() const { return count_ <= seen_.size(); }
  // REQUIRES: complete().
  std::span<const MemtableEntries* const> seen() const { return {seen_.data(), count_}; }
  void Note(const MemtableEntries* memtable);
  void Forget() { count_ = 0; }

 private:
  std::array<const MemtableEntries*, 16> seen_;  // RocksDB stops writes before there are so many
  size_t count_ = 0;
};

// For databases with allow_concurrent_memtable_write off and column families with RocksDB's bytewise comparator.
std::shared_ptr<rocksdb::MemTableRepFactory> NewMemTableRepFactory();

}  // namespace klip::engine
