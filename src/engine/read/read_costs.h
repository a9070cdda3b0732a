// What reads of a table cost on this machine, measured by reading a little of it.
#pragma once

#include <optional>

#include "engine/store/store.h"
#include "engine/view/table_view.h"

namespace klip::engine {

// In microseconds, with the blocks in the cache, except for block_us.
struct ReadCosts {
  double seek_us = 0;      // few cells after the previous seek
  double far_seek_us = 0;  // kFarCells or more after it: what a seek needs has left the processor's caches
  double step_us = 0;      // to the next cell
  double return_us = 0;    // handing out a row, besides its steps
  double block_us = 0;     // reading a block that is not in the cache; 0: all were
};
inline constexpr int kFarCells = 256;

// What they were when the table had so many rows in so many sorted runs.
struct MeasuredCosts {
  ReadCosts costs;
  double step_ticks = 0;
  double seek_ticks = 0;  // of near ones
  int64_t rows = 0;
  int sorted_runs = 0;
};

// The costs of reading this table, measured by the first call and again when it has other sorted runs or twice as many rows.
// To measure takes some 5 ms in memory: it reads about 10,000 cells around sampled rows, in the family with the most bytes.
// Blocks that are not cached take longer, and stay cached. nullopt: the table is small, its files have no sample, or reading failed.
std::optional<ReadCosts> CostsOf(const Store& store, const TablePtr& table);

// Whether they have been measured, so that scans of the table know them from the start.
bool KnowsCosts(const TableView& table);

}  // namespace klip::engine
