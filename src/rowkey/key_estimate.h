// Converts a row set to conditions per field, and estimates how many jumps and rows it takes to read it by its first
// fields. The model: below every value of the leading fields, a field has equally many values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/row_key.h"
#include "rowkey/field_set.h"

namespace klip::rowkey {

// A part of the key as the planner sees it: a field of the schema, or without a schema a range of bytes.
struct KeySlot {
  std::string name;                 // empty: a literal
  const KeyField* field = nullptr;  // null without a schema
  int width_bytes = 0;              // 0: variable
  std::optional<char> delimiter;
};
// `schema` may be null: slots then follow the segments of the boxes of `rows`.
std::vector<KeySlot> SlotsOf(const RowKeySchema* schema, const filter::RowSet* rows);

// The condition of a box on one slot.
struct SlotCondition {
  bool restricted = false;
  Intervals intervals;  // restricted: the matching values; with a mask a superset of them, empty if unknown
  std::string mask;     // not empty: known bytes, printable, and '?' for the others
  struct MaskedPiece {
    size_t from = 0;  // offset in the slot
    Intervals intervals;
    bool operator==(const MaskedPiece&) const = default;
  };
  std::vector<MaskedPiece> masked;  // with a mask: the conditions on the slot's bytes

  // Checks a value without its delimiter.
  bool FitsValue(std::string_view value) const;
  bool operator==(const SlotCondition&) const = default;
  bool IsOnePoint() const { return restricted && mask.empty() && intervals.size() == 1 && IsPoint(intervals[0]); }
};

// One line per alternative: each box, for each of its ranges.
std::vector<std::vector<SlotCondition>> ConditionsOf(const std::vector<KeySlot>& slots, const filter::RowSet& rows);
std::vector<SlotCondition> ConditionsOf(const std::vector<KeySlot>& slots, const RowRange& range);

// Alternatives that differ in one slot are one with more values: what a sample shows about them counts once.
std::vector<std::vector<SlotCondition>> JoinedLines(const std::vector<std::vector<SlotCondition>>& lines);

// For the table: rows, and distinct values of slots 0..i.
struct KeyCounts {
  double rows = 0;
  std::vector<double> distinct_prefixes;

  // Values of a slot below each value of the previous ones.
  double DistinctOf(size_t slot) const;
};
KeyCounts CountsOf(const std::vector<KeySlot>& slots, const RowKeySchema& schema, const TableStatistics& statistics);

// What is read if the conditions on slots 0..i are used to jump.
struct DepthEstimate {
  double seeks = 1;  // runs of neighbouring rows
  double rows = 0;   // rows in them
};
// [i]: using slots 0..i-1; [0]: everything in one run.
std::vector<DepthEstimate> EstimateDepths(const std::vector<KeySlot>& slots,
                                          const std::vector<SlotCondition>& conditions, const KeyCounts& counts);

// The number of leading slots whose conditions select one run of adjacent rows: points, and at most one interval at the
// end.
size_t BoundSlots(const std::vector<SlotCondition>& conditions);

// "= 20140628", "al*", "in 3 values", "100..200", "any".
std::string ConditionText(const KeySlot& slot, const SlotCondition& condition);
std::string ConditionText(const FieldMatch& match);

}  // namespace klip::rowkey
