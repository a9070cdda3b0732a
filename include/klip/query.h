// Get and Scan: what to read. Plain structs; fields that you do not set have HBase's defaults.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/row_key.h"

namespace klip {

// A column, or a whole family without a qualifier. The empty qualifier is a column like any other.
struct ColumnSpec {
  std::string family;
  std::optional<std::string> qualifier = std::nullopt;

  bool operator==(const ColumnSpec&) const = default;
};

// Timestamps in [min_ms, max_ms). Errors where it is used: kInvalidArgument for a negative bound or min_ms > max_ms.
struct TimeRange {
  int64_t min_ms = 0;
  int64_t max_ms = kLatestTimestamp;

  static TimeRange At(int64_t timestamp_ms) {
    return {timestamp_ms, timestamp_ms == kLatestTimestamp ? timestamp_ms : timestamp_ms + 1};
  }
  bool operator==(const TimeRange&) const = default;
};

// Attributes for the server's coprocessors, by name (HBase's OperationWithAttributes). klip's own server and stores use
// none; klip/access.h has those for permissions and labels of cells.
using OperationAttributes = std::map<std::string, std::string>;

// Which replicas may answer a read, if the table has region replicas (HBase's REGION_REPLICATION). An embedded store has none.
enum class Consistency : uint8_t {
  kStrong,  // only the primary
  kTimeline,  // the primary first; if it is slow (ConnectionOptions::primary_get_timeout_ms, primary_scan_timeout_ms) or fails,
  // also the replicas: the first answer counts, and may be stale, see Result::stale()
};

struct Get {
  std::string row;
  std::vector<ColumnSpec> columns = {};  // empty: all
  TimeRange time_range = {};
  std::map<std::string, TimeRange> family_time_ranges = {};  // family -> range, replaces time_range
  int32_t max_versions = 1;                                  // kAllVersions: as many as the family keeps
  int32_t max_results_per_family = -1;                       // cells of each family; -1: all
  int32_t row_offset_per_family = 0;                         // number of cells of each family to skip
  FilterPtr filter = nullptr;
  bool check_existence_only = false;  // answer in Result::exists(), no cells
  bool cache_blocks = true;           // false: blocks read for this call do not stay in the block cache
  Consistency consistency = Consistency::kStrong;
  int32_t replica_id = -1;  // with kTimeline: read only this replica; 0 is the primary; -1: any
  OperationAttributes attributes = {};
};

struct Scan {
  std::string start_row = {};  // empty: the first row (reversed: the last)
  std::string stop_row = {};   // empty: to the end
  bool include_start = true;
  bool include_stop = false;
  bool reversed = false;   // from start_row down to stop_row
  int64_t limit_rows = 0;  // 0: no limit
  std::vector<ColumnSpec> columns = {};
  TimeRange time_range = {};
  std::map<std::string, TimeRange> family_time_ranges = {};
  int32_t max_versions = 1;
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
  int32_t batch = 0;             // at most this many cells in a Result; 0: whole rows
  int64_t max_result_bytes = 0;  // with allow_partial_results: a Result is split at this size; 0: never
  bool allow_partial_results = false;
  bool raw = false;  // include delete markers and masked cells; no columns may be named
  FilterPtr filter = nullptr;
  // Conditions on key fields and columns, from Table::ParseQuery. Those on columns see the newest value in `time_range`, but
  // not cells that `filter` hides, as FirstKeyOnlyFilter does; `columns` need not name them. Not with `raw`, `batch` or limits per family.
  std::optional<KeyQuery> where = std::nullopt;
  // The wanted rows, as bytes, e.g. from RowKeySchema::Compile. With `where`, both must match. Null: all.
  std::shared_ptr<const filter::RowSet> rows = nullptr;
  int32_t threads = 1;  // workers of one scan; results still come in key order. 0: one per core
  bool cache_blocks = true;
  Consistency consistency = Consistency::kStrong;
  int32_t replica_id = -1;  // as in Get
  OperationAttributes attributes = {};
  // How the rows are found, by a plan's name (Explain::Candidate::Name): "full walk", "index by_city". The results are the same. Empty:
  // the cheapest. Errors of the scan: kInvalidArgument, naming the plans that it has; kUnsupported on a cluster.
  std::string plan = {};
  // Returns rows in the order of this index, not of their keys, and only rows that have an entry. Reversed: from the index's end.
  // start_row and stop_row are row keys, as always. Errors of the scan: kInvalidArgument: no such index exists, or it cannot give an order;
  // kUnsupported on a cluster.
  std::string order_by_index = {};

  // The rows that start with `prefix`.
  static Scan Prefix(std::string prefix);
};

}  // namespace klip
