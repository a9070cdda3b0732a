// Conflicts: which rows were written since a transaction began.
//
// For each of 2^20 hashes of rows it keeps an upper bound of RocksDB's sequence number of the last write. Rows with the
// same hash share it, so a transaction may get a false conflict, but never misses a real one. Nothing is stored on disk:
// after a crash, no transaction is open.
//
// Example: a transaction begins at sequence 100 and writes "a". Another write notes "a" at 103. At its commit, the
// transaction finds 103 > 100 for "a" and fails. If instead "q" was written, and has the same hash, it fails as well, and
// succeeds when retried.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "engine/store/lock_table.h"

namespace klip::table {

// Thread-safe.
class Conflicts {
 public:
  // After it returns, writers note their rows, permanently. The first call waits for running writers and takes 8 MB.
  // REQUIRES: the thread holds no row's lock.
  void Watch(engine::LockTable* locks);
  // REQUIRES, also for the next two: the caller holds the lock of the row to be written.
  bool watched() const { return rows_.load(std::memory_order_acquire) != nullptr; }
  // Notes a write of the row, not later than `sequence`. REQUIRES: watched().
  void Note(std::string_view table, std::string_view row, uint64_t sequence) {
    Raise(&RowOf(table, row), sequence);  // writers of rows with the same hash may do so at once
  }
  bool Written(std::string_view table, std::string_view row, uint64_t since) const {
    return RowOf(table, row).load(std::memory_order_relaxed) > since || TableWritten(table, since);
  }
  bool TableWritten(std::string_view table, uint64_t since) const { return TableOf(table).load() > since; }

  // Notes that any of the table's rows may have been written by then. A transaction that commits before this call
  // precedes those writes.
  void NoteTable(std::string_view table, uint64_t sequence);

 private:
  static constexpr size_t kRows = size_t{1} << 20;
  static constexpr size_t kTables = 256;

  // Sets it to `sequence` if that is newer.
  static void Raise(std::atomic<uint64_t>* noted, uint64_t sequence);
  std::atomic<uint64_t>& RowOf(std::string_view table, std::string_view row) const {
    return rows_.load(std::memory_order_relaxed)[engine::RowHash(table, row) % kRows];
  }
  const std::atomic<uint64_t>& TableOf(std::string_view table) const {
    return tables_[std::hash<std::string_view>()(table) % kTables];
  }

  std::mutex mutex_;                                // for the first Watch
  std::unique_ptr<std::atomic<uint64_t>[]> owned_;  // guarded by mutex_
  std::atomic<std::atomic<uint64_t>*> rows_{nullptr};
  std::atomic<bool> all_note_{false};  // every writer that has not seen rows_ is done
  std::array<std::atomic<uint64_t>, kTables> tables_ = {};
};

}  // namespace klip::table
