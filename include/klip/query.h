// Get and Scan: what to read. Plain structs; fields left alone have HBase's defaults.
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

// A column, or a whole family when there is no qualifier. The empty qualifier is a column like any other.
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

// What an operation tells the server's coprocessors, by name (HBase's OperationWithAttributes). klip's own server and stores have
// none; klip/access.h has those about the safety of cells.
using OperationAttributes = std::map<std::string, std::string>;

// Who may answer a read of a table with region replicas (HBase's REGION_REPLICATION). An embedded store has one copy, and no replicas.
enum class Consistency : uint8_t {
  kStrong,  // the primary alone
  kTimeline,  // the primary first and, when it is slow (ConnectionOptions::primary_get_timeout_ms, primary_scan_timeout_ms) or fails,
  // the replicas too: the first answer counts, and may be older than what was written, see Result::stale()
};

struct Get {
  std::string row;
  std::vector<ColumnSpec> columns = {};  // empty: all
  TimeRange time_range = {};
  std::map<std::string, TimeRange> family_time_ranges = {};  // family -> range, in place of time_range
  int32_t max_versions = 1;                                  // kAllVersions: as many as the family keeps
  int32_t max_results_per_family = -1;                       // cells of each family; -1: all
  int32_t row_offset_per_family = 0;                         // cells of each family to pass over first
  FilterPtr filter = nullptr;
  bool check_existence_only = false;  // answer in Result::exists(), no cells
  bool cache_blocks = true;           // false: blocks read for this call do not stay in the block cache
  Consistency consistency = Consistency::kStrong;
  int32_t replica_id = -1;  // with kTimeline: this replica and no other, 0 is the primary; -1: any
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
  int64_t max_result_bytes = 0;  // with allow_partial_results: a Result is cut once it holds this many; 0: never
  bool allow_partial_results = false;
  bool raw = false;  // delete markers and masked cells too; columns may not be named
  FilterPtr filter = nullptr;
  // Conditions on key fields and columns, as Table::ParseQuery makes them. Those on columns see the newest value in `time_range`, but
  // not what `filter` hides, as FirstKeyOnlyFilter does; `columns` need not name them. Not with `raw`, `batch` or limits per family.
  std::optional<KeyQuery> where = std::nullopt;
  // Rows wanted, as bytes: RowKeySchema::Compile makes such sets. With `where`, both must hold. Null: all.
  std::shared_ptr<const filter::RowSet> rows = nullptr;
  int32_t threads = 1;  // workers of one scan; results still come in key order. 0: one per core
  bool cache_blocks = true;
  Consistency consistency = Consistency::kStrong;
  int32_t replica_id = -1;  // as Get's
  OperationAttributes attributes = {};
  // How the rows are found, by a plan's name (Explain::Candidate::Name): "full walk", "index by_city". The results are the same. Empty:
  // the cheapest. Errors of the scan: kInvalidArgument, naming the plans that it has; kUnsupported on a cluster.
  std::string plan = {};
  // The order of this index in place of that of the rows, and only rows that have an entry. Reversed: from its end. start_row and
  // stop_row are rows, as ever. Errors of the scan: kInvalidArgument: there is no such index, or it cannot; kUnsupported on a cluster.
  std::string order_by_index = {};

  // The rows that start with `prefix`.
  static Scan Prefix(std::string prefix);
};

}  // namespace klip
