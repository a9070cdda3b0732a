// Which puts of a row are masked by the delete markers seen so far. Cells come in HBase's order. Qualifiers may have any
// form that is equal exactly if the qualifiers are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"

namespace klip::model {

// The parts of a cell that the rules use.
struct CellRef {
  std::string_view qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
  int64_t ttl_ms = -1;    // the cell's own; -1: none
  uint64_t sequence = 0;  // order of writes; only with NEW_VERSION_BEHAVIOR
};

enum class Masked : uint8_t {
  kNo,
  kVersion,  // this cell only
  kColumn,   // this cell and all older ones of the column
};

// HBase's rule: a marker masks puts up to (or at) its timestamp, written before or after it.
class DeleteTracker {
 public:
  void Reset() {
    any_ = false;
    has_family_ = false;
    has_column_ = false;
    family_versions_.clear();
  }

  // REQUIRES: `marker` follows all markers added and all puts checked, in the order of cells.
  void Add(const CellRef& marker);

  Masked Check(const CellRef& put) { return any_ ? CheckSlow(put) : Masked::kNo; }

 private:
  Masked CheckSlow(const CellRef& put);

  bool any_ = false;
  bool has_family_ = false;
  int64_t family_timestamp_ = 0;
  std::vector<int64_t> family_versions_;
  bool has_column_ = false;  // a marker of one column, the latest seen
  std::string column_;
  CellType column_type_ = CellType::kDelete;
  int64_t column_timestamp_ = 0;
};

// The rule of NEW_VERSION_BEHAVIOR: a marker masks only what was written before it, and a masked version still counts as
// a version for those written before the marker.
//
// Example, max_versions 2, writes numbered by sequence: put@10 (#1), put@20 (#2), delete@20 (#3), put@15 (#4). Cells
// arrive by time: delete@20, put@20, put@15, put@10. Put@20 is older than the delete (#2 < #3): masked, but it counts as
// a version for writes before #3. Put@15 (#4) is newer than the delete: visible. Put@10 (#1): as of the delete, only
// put@20 came before it, and as of now, only put@15: visible as the second version. With max_versions 1, both lists would
// be full: masked.
class NewVersionTracker {
 public:
  explicit NewVersionTracker(int32_t max_versions) : max_versions_(static_cast<size_t>(std::max(max_versions, 1))) {
    Reset();
  }

  void Reset();
  void Add(const CellRef& marker);
  Masked Check(const CellRef& put);

 private:
  // Puts written before `sequence` that were visible then.
  struct Segment {
    uint64_t sequence = UINT64_MAX;
    std::vector<uint64_t> puts;
  };
  struct VersionDelete {
    int64_t timestamp_ms;
    uint64_t sequence;
  };
  // A marker of all versions up to `timestamp_ms`, and what happened between the previous such marker and it. The last
  // node, of sequence UINT64_MAX, stands for no marker.
  struct Node {
    int64_t timestamp_ms = INT64_MIN;
    uint64_t sequence = UINT64_MAX;
    std::vector<VersionDelete> deletes;
    std::vector<Segment> segments = {Segment()};  // by sequence
  };

  void EnterColumn(std::string_view qualifier);
  static void AddNode(std::vector<Node>* nodes, const CellRef& marker);
  static void AddVersionDelete(std::vector<Node>* nodes, const CellRef& marker);

  size_t max_versions_;
  std::vector<Node> family_nodes_;  // by sequence
  std::vector<Node> column_nodes_;  // those of the family and of the current column
  bool in_column_ = false;
  std::string column_;
};

}  // namespace klip::model
