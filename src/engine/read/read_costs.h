// What reads of a table cost on this machine, measured by reading a little of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/read/block_costs.h"
#include "engine/store/store.h"
#include "engine/view/table_view.h"
#include "filter/rows/row_stretches.h"

namespace klip::engine {

// In microseconds, with the blocks in the cache.
struct ReadCosts {
  double seek_us = 0;        // few cells after the previous seek
  double far_seek_us = 0;    // kFarCells or more after it: what a seek needs has left the processor's caches
  double step_us = 0;        // to the next cell
  double short_step_us = 0;  // of a walk over two cells, which jumps over few cells make
  double return_us = 0;      // handing out a row, besides the steps over its cells
};
inline constexpr int kFarCells = 256;

// What they were when the table had so many rows in so many sorted runs.
struct MeasuredCosts {
  ReadCosts costs;
  std::optional<BlockCosts> fixed_blocks;  // by FixCosts
  double step_ticks = 0;                   // of short walks
  double seek_ticks = 0;                   // of near ones
  int64_t rows = 0;
  int sorted_runs = 0;
};

// The costs of reading this table, if they were measured when it had the same sorted runs, and at least half and at most twice as many
// rows.
// Reads nothing. `statistics`: of the table. Null: not known.
std::shared_ptr<const MeasuredCosts> KnownCosts(Storage* storage, const TableView& table,
                                                const TableStatistics& statistics);

// The rows that were read to measure them. Null: they are not kept, or not known.
std::shared_ptr<const filter::RowStretches> KnownStretches(Storage* storage, const TableView& table);

// Reads so many rows from each place on, up to four cells per row on average, and 128 kB. Their blocks may come from the disk. Null: the table has no rows in
// files.
std::shared_ptr<const filter::RowStretches> ReadStretchesAt(const Store& store, const TablePtr& table,
                                                            const std::vector<std::string>& places, int rows);

// Measures them unless they are known; scans of the table then start with them. Keeps the rows that it reads (Storage::stretches), and
// reads them again if they are not kept any more. Called to explain a scan, not to run one.
// Takes some 10 ms in memory. From a disk it stops visiting the 64 sampled rows after 30 ms, but not before four of them. Reads up to
// 256 rows, 1,024 cells and 128 kB after each, and a quarter of these cells twice more, in the family with the most rows. The costs stay unknown if the table is small, its
// files have no sample, or reading fails.
void MeasureCosts(const Store& store, const TablePtr& table);

// Lets reads of the table cost this while it has the same sorted runs, so that nothing is measured. For tests, whose estimates are then
// the same each time; with JumpCosts::Freeze, so are their scans.
void FixCosts(const Store& store, const TablePtr& table, const ReadCosts& costs, const BlockCosts& blocks = {});

}  // namespace klip::engine
