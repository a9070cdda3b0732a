// Explain runs a scan for a moment. Most look-ups end within it: then their rows and jumps are known, however rare the values. Of a scan
// that does not end, it shows the least that is there.
#pragma once

#include <cstdint>

#include "engine/read/row_scanner.h"
#include "rowkey/planner.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

// In steps.
int64_t WorkOf(const ScanStatistics& read);

inline constexpr int64_t kBriefSteps = 1024;  // TUNING: some 0.2 ms if blocks are in the cache

// An error ends it like the lack of time: the scan will report it.
rowkey::BriefRun RunBriefly(const RowSource& source, const TableInfo& keys, engine::RowScanSpec spec,
                            int64_t most_steps = kBriefSteps);

}  // namespace klip::table
