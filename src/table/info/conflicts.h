// Conflicts: which rows were written since a transaction began.
//
// For each of 2^20 hashes of rows it has RocksDB's sequence number of the last write, as an upper bound. Rows that share a hash
// share it, so a transaction may be told of a conflict that is none; it is never not told. Nothing of it is on disk: after a crash
// no transaction is open.
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
  // From its return on, and for good, writers note their rows. Waits for those that are writing at the first call, which takes
  // 8 MB. REQUIRES: the thread holds no row's lock.
  void Watch(engine::LockTable* locks);
  // REQUIRES, as for the next two: the lock of the row that is to be written is held.
  bool watched() const { return rows_.load(std::memory_order_acquire) != nullptr; }
  // The row was written, not later than `sequence`. REQUIRES: watched().
  void Note(std::string_view table, std::string_view row, uint64_t sequence) {
    RowOf(table, row).store(sequence, std::memory_order_relaxed);
  }
  bool Written(std::string_view table, std::string_view row, uint64_t since) const {
    return RowOf(table, row).load(std::memory_order_relaxed) > since || TableWritten(table, since);
  }
  bool TableWritten(std::string_view table, uint64_t since) const { return TableOf(table).load() > since; }

  // Any of its rows may have been written by then. A transaction that commits before the call comes before the writes.
  void NoteTable(std::string_view table, uint64_t sequence);

 private:
  static constexpr size_t kRows = size_t{1} << 20;  // a multiple of kRowStripes: one lock guards each
  static constexpr size_t kTables = 256;

  std::atomic<uint64_t>& RowOf(std::string_view table, std::string_view row) const {
    return rows_.load(std::memory_order_relaxed)[engine::RowHash(table, row) % kRows];
  }
  const std::atomic<uint64_t>& TableOf(std::string_view table) const {
    return tables_[std::hash<std::string_view>()(table) % kTables];
  }

  std::mutex mutex_;                                // of the first Watch
  std::unique_ptr<std::atomic<uint64_t>[]> owned_;  // guarded by mutex_
  std::atomic<std::atomic<uint64_t>*> rows_{nullptr};
  std::atomic<bool> all_note_{false};  // no writer is left that has seen no rows_
  std::array<std::atomic<uint64_t>, kTables> tables_ = {};
};

}  // namespace klip::table
