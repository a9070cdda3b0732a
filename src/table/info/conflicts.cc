#include "table/info/conflicts.h"

#include <numeric>
#include <vector>

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
    std::vector<engine::RowStripe> all(engine::kRowStripes);
    std::iota(all.begin(), all.end(), engine::RowStripe{0});
    locks->LockRows(std::move(all));
    all_note_.store(true, std::memory_order_release);
  }
}

void Conflicts::NoteTable(std::string_view table, uint64_t sequence) {
  std::atomic<uint64_t>& noted = tables_[std::hash<std::string_view>()(table) % kTables];
  for (uint64_t before = noted.load(); before < sequence && !noted.compare_exchange_weak(before, sequence);) {
  }
}

}  // namespace klip::table
