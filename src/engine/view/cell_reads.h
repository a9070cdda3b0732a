// The options for every iterator over the cells of a family.
#pragma once

#include "rocksdb/options.h"

#include "engine/view/table_view.h"

namespace klip::engine {

// klip writes no range deletions, so reads ignore them. Otherwise RocksDB 7.8 stops between the tables of a level, and if
// the next table is unreadable it drops the error (MergingIterator::SkipNextDeleted): a scan would end there with status
// OK. The exceptions are families with range deletions of a klip from before November 23, 2026.
inline bool HasRangeDeletions(const Family& family) {
  return family.state->has_range_deletions.load(std::memory_order_relaxed);
}

inline rocksdb::ReadOptions CellReads(const Family& family) {
  rocksdb::ReadOptions options;
  options.ignore_range_deletions = !HasRangeDeletions(family);
  return options;
}

}  // namespace klip::engine
