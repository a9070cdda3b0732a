#include "table/info/conflicts.h"

namespace klip::table {

void Conflicts::Watch(engine::LockTable* locks) {
  if (all_note_.load(std::memory_order_acquire)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (owned_ == nullptr) {
    owned_ = std::make_unique<std::atomic<uint64_t>[]>(kRows);
    rows_.store(owned_.get(), std::memory_order_release);
    // A writer that read rows_ earlier still holds its locks, or is done.
    locks->WithAllRows([] {});
    all_note_.store(true, std::memory_order_release);
  }
}

void Conflicts::Raise(std::atomic<uint64_t>* noted, uint64_t sequence) {
  for (uint64_t before = noted->load(std::memory_order_relaxed);
       before < sequence && !noted->compare_exchange_weak(before, sequence);) {
  }
}

void Conflicts::NoteTable(std::string_view table, uint64_t sequence) {
  Raise(&tables_[std::hash<std::string_view>()(table) % kTables], sequence);
}

}  // namespace klip::table
