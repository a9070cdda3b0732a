// What a scan pays for blocks of files that are not in the block cache: how many are not, and what reading one costs.
//
// Example: 64 of the wanted rows are looked for in the cache alone, and 48 are not found: a quarter is cached. Up to four of these rows are
// then read from their files, each with the 256 cells after it. A block there takes 90 us, the next one 12 us.
#pragma once

#include "engine/store/store.h"
#include "engine/view/table_view.h"
#include "filter/rows/row_set.h"

namespace klip::engine {

struct BlockCosts {
  double cached = 1;           // the share of the blocks that are in the cache
  double cells_per_block = 0;  // 0: unknown, and so are the costs
  double near_us = 0;          // of a block right after the previous one, besides the costs of its cells
  double far_us = 0;           // of another one
};

// Of the blocks with wanted rows. Reads up to four rows and the cells after them, for 30 ms at most, if they are not in the cache. All blocks
// are cached if there is no sample of the table's rows, or if FixCosts says so. "From their files" may mean from the system's cache of
// files: that is what reads cost now. REQUIRES: `wanted` is not empty.
BlockCosts MeasureBlocks(const Store& store, const TablePtr& table, const filter::RowSet& wanted);

}  // namespace klip::engine
