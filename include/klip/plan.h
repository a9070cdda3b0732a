// Plans: how a scan finds its rows, with estimated and actual costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace klip {

// Figures of a scan so far. Counts only grow.
struct ScanStatistics {
  int64_t rows_returned = 0;
  int64_t rows_read = 0;     // rows looked at, returned or not
  int64_t entries_read = 0;  // entries of indexes
  int64_t cells_read = 0;    // cells visited, including delete markers and hidden versions
  int64_t steps = 0;         // moves to the next cell
  int64_t seeks = 0;         // jumps
  int64_t blocks_read = 0;   // blocks not found in the block cache
  int64_t elapsed_us = 0;    // wall time inside the scan

  ScanStatistics& operator+=(const ScanStatistics& other);
};

// Statistics of a table's keys, collected at flush and compaction; for a cluster's table, an estimate from samples.
struct TableStatistics {
  struct Field {
    std::string name;
    double distinct_prefixes = 0;  // estimated number of distinct values of this and all previous fields
  };
  int64_t rows = 0;
  int64_t cells = 0;
  int64_t bytes_on_disk = 0;
  int64_t bytes_in_memory = 0;  // memtables
  int64_t delete_markers = 0;
  int sorted_runs = 0;        // overlapping sorted files that a seek must search
  std::vector<Field> fields;  // per key field of the row-key schema; empty without one
};

enum class PlanKind : uint8_t { kEmpty, kPointGets, kRange, kSkipScan, kFullWalk };
std::string_view PlanKindName(PlanKind kind);  // "skip scan"

struct PlanCost {
  double seeks = 0;
  double entries_read = 0;  // of the index
  double rows_read = 0;
  double rows_returned = 0;
  double time_us = 0;       // if all blocks of files are in the block cache
  double cold_time_us = 0;  // with the cache as it is; 0: unknown
  double blocks = 0;        // of files; 0: unknown
  double blocks_read = 0;   // those that are not in the cache
};

struct Explain {
  struct Field {
    std::string name;
    std::string condition;  // "= 20140628", "any", "in 3 values", "100..200"
    std::string use;        // "jump", "bound", "check", "-"
    double distinct = 0;    // of this field given those before it; 0: unknown
  };
  struct Candidate {
    PlanKind kind = PlanKind::kFullWalk;
    PlanCost cost;
    std::string why_not;       // empty for the chosen one
    std::string index = {};    // the index that finds the rows; empty: the table's own keys
    std::string Name() const;  // "full walk", "index by_city": what Scan::plan takes
  };
  // What moves of scans cost, in microseconds.
  struct Costs {
    double seek_us = 0;        // right after another one
    double far_seek_us = 0;    // after 256 or more cells
    double step_us = 0;        // to the next cell
    double short_step_us = 0;  // in a walk over a few cells
    double return_us = 0;      // of a row, besides its steps
  };

  std::string table;
  std::string index;        // the index that the scan uses; empty: the table's own keys
  bool index_only = false;  // its entries contain the whole result: the scan reads no row of the table
  PlanKind kind = PlanKind::kFullWalk;
  std::string start_row;  // bounds of the rows touched; empty: open
  std::string stop_row;
  int boxes = 0;  // disjuncts left after normalising
  int threads = 1;
  bool reversed = false;
  bool has_statistics = false;
  std::vector<Field> fields;
  std::vector<Candidate> candidates;  // the chosen one first
  PlanCost estimated;
  std::optional<Costs> costs;            // as measured on the keys that it reads; nullopt: estimates use fixed costs
  std::optional<ScanStatistics> actual;  // after the scan has run
  std::string filter;                    // part of the filter that is evaluated per row; empty: none

  std::string ToText() const;  // several lines of readable text
  std::string ToJson() const;  // one object, for programs; keys are the names above
};

}  // namespace klip
