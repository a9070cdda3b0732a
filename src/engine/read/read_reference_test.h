// For tests: a family's cells in a map, and HBase's read rules in plain code. The brute-force counterpart of
// RowScanner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "klip/cell.h"
#include "klip/query.h"
#include "model/family_policy.h"

namespace klip::engine {

struct ReferenceCell {
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
  std::string value;
  int64_t ttl_ms = -1;
};

class ReferenceTable {
 public:
  std::map<std::string, model::FamilyPolicy> families;

  void Add(const ReferenceCell& cell) {
    cells_[{cell.row, cell.family, cell.qualifier, -cell.timestamp_ms, -static_cast<int>(cell.type)}] = cell;
  }

  // All visible cells in scan order, one vector per row; rows without visible cells are omitted.
  std::vector<std::vector<ReferenceCell>> Read(const Scan& scan, int64_t now_ms) const {
    std::map<std::string, std::vector<ReferenceCell>> rows;
    for (const auto& [key, cell] : cells_) {
      if (InRange(scan, cell.row)) {
        rows[cell.row].push_back(cell);
      }
    }
    std::vector<std::vector<ReferenceCell>> out;
    for (const auto& [row, cells] : rows) {
      std::vector<ReferenceCell> visible;
      for (const auto& [family, policy] : families) {
        AppendFamily(scan, family, policy, cells, now_ms, &visible);
      }
      if (!visible.empty()) {
        out.push_back(std::move(visible));
      }
    }
    if (scan.reversed) {
      std::reverse(out.begin(), out.end());
    }
    if (scan.limit_rows > 0 && out.size() > static_cast<size_t>(scan.limit_rows)) {
      out.resize(static_cast<size_t>(scan.limit_rows));
    }
    return out;
  }

 private:
  static bool InRange(const Scan& scan, const std::string& row) {
    const std::string& low = scan.reversed ? scan.stop_row : scan.start_row;
    const std::string& high = scan.reversed ? scan.start_row : scan.stop_row;
    const bool include_low = scan.reversed ? scan.include_stop : scan.include_start;
    const bool include_high = scan.reversed ? scan.include_start : scan.include_stop;
    return (low.empty() || row > low || (include_low && row == low)) &&
           (high.empty() || row < high || (include_high && row == high));
  }

  // As in HBase, a family forgets the columns added before it, and a column after its family narrows the request to
  // itself.
  static bool Wanted(const Scan& scan, const ReferenceCell& cell) {
    bool whole = scan.columns.empty();
    bool named = false;
    for (const ColumnSpec& column : scan.columns) {
      if (column.family == cell.family) {
        named = column.qualifier && (named || *column.qualifier == cell.qualifier);
        whole = !column.qualifier;
      }
    }
    return whole || named;
  }

  static bool Masks(const ReferenceCell& marker, const ReferenceCell& put) {
    switch (marker.type) {
      case CellType::kDeleteFamily:
        return put.timestamp_ms <= marker.timestamp_ms;
      case CellType::kDeleteFamilyVersion:
        return put.timestamp_ms == marker.timestamp_ms;
      case CellType::kDeleteColumn:
        return put.qualifier == marker.qualifier && put.timestamp_ms <= marker.timestamp_ms;
      case CellType::kDelete:
        return put.qualifier == marker.qualifier && put.timestamp_ms == marker.timestamp_ms;
      case CellType::kPut:
        break;
    }
    return false;
  }

  static void AppendFamily(const Scan& scan, const std::string& family, const model::FamilyPolicy& policy,
                           const std::vector<ReferenceCell>& cells, int64_t now_ms, std::vector<ReferenceCell>* out) {
    const auto own = scan.family_time_ranges.find(family);
    const TimeRange range = own == scan.family_time_ranges.end() ? scan.time_range : own->second;
    const auto in_range = [&](int64_t timestamp) {
      return timestamp >= range.min_ms && (timestamp < range.max_ms || range.max_ms == kLatestTimestamp);
    };
    const auto marker_counts = [&](const ReferenceCell& cell) {
      return cell.family == family && cell.type != CellType::kPut &&
             (policy.keep_deleted_cells == KeepDeletedCells::kFalse ? cell.timestamp_ms >= range.min_ms
                                                                    : in_range(cell.timestamp_ms));
    };
    std::map<std::string, int32_t> versions;
    int32_t of_family = 0;
    for (const ReferenceCell& cell : cells) {
      if (cell.family != family || !Wanted(scan, cell) || !in_range(cell.timestamp_ms)) {
        continue;
      }
      if (cell.ttl_ms >= 0 && cell.timestamp_ms + cell.ttl_ms < now_ms) {
        continue;
      }
      if (!scan.raw) {
        const bool masked = std::any_of(cells.begin(), cells.end(), [&](const ReferenceCell& marker) {
          return marker_counts(marker) && Masks(marker, cell);
        });
        if (cell.type != CellType::kPut || masked) {
          continue;
        }
      }
      int32_t& count = versions[cell.qualifier];
      count += cell.type == CellType::kPut ? 1 : 0;
      const int32_t most = scan.raw ? scan.max_versions : std::min(scan.max_versions, policy.max_versions);
      const bool expired = !scan.raw && cell.timestamp_ms < policy.OldestUnexpired(now_ms);
      if (count > most || (expired && count > policy.min_versions)) {
        continue;
      }
      ++of_family;
      const int32_t limit = scan.max_results_per_family;
      if (of_family <= scan.row_offset_per_family ||
          (limit > -1 && of_family > std::max(limit, 1) + scan.row_offset_per_family)) {
        continue;
      }
      out->push_back(cell);
    }
  }

  std::map<std::tuple<std::string, std::string, std::string, int64_t, int>, ReferenceCell> cells_;
};

}  // namespace klip::engine
