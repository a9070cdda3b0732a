// The options that every iterator over the cells of a family starts from.
#pragma once

#include "rocksdb/options.h"

#include "engine/view/table_view.h"

namespace klip::engine {

// klip writes no range deletions. Unless a read ignores them, RocksDB 7.8 stops between the tables of a level, and where
// the next table cannot be read it drops the error (MergingIterator::SkipNextDeleted): a scan ends there with status OK.
// So reads ignore them, but for families that have some, of a klip from before November 23, 2026.
inline bool HasRangeDeletions(const Family& family) {
  return family.state->has_range_deletions.load(std::memory_order_relaxed);
}

inline rocksdb::ReadOptions CellReads(const Family& family) {
  rocksdb::ReadOptions options;
  options.ignore_range_deletions = !HasRangeDeletions(family);
  return options;
}

}  // namespace klip::engine
