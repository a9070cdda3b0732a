// What a row set means field by field, and how many jumps and rows it takes to read it by its first fields. The model:
// each field has the same number of values below every value of the fields before it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/row_key.h"
#include "rowkey/field_set.h"

namespace klip::rowkey {

// A part of the key as the planner sees it: a field of the schema, or without a schema a run of bytes.
struct KeySlot {
  std::string name;                 // empty: a literal
  const KeyField* field = nullptr;  // null without a schema
  int width_bytes = 0;              // 0: variable
  std::optional<char> delimiter;
};
// `schema` may be null: slots are then cut where the boxes of `rows` have segments.
std::vector<KeySlot> SlotsOf(const RowKeySchema* schema, const filter::RowSet* rows);

// What a box asks of one slot.
struct SlotCondition {
  bool restricted = false;
  Intervals
      intervals;  // restricted: the values that fit; with a mask a superset of them, empty if nothing better is known
  std::string mask;  // not empty: known bytes, printable, and '?' for the others
  struct MaskedPiece {
    size_t from = 0;  // in the slot
    Intervals intervals;
  };
  std::vector<MaskedPiece> masked;  // with a mask: what it asks of the slot's bytes

  // Of a value without its delimiter.
  bool FitsValue(std::string_view value) const;
  bool IsOnePoint() const { return restricted && mask.empty() && intervals.size() == 1 && IsPoint(intervals[0]); }
};

// One line per way to be in the set: each box, for each of its ranges.
std::vector<std::vector<SlotCondition>> ConditionsOf(const std::vector<KeySlot>& slots, const filter::RowSet& rows);
std::vector<SlotCondition> ConditionsOf(const std::vector<KeySlot>& slots, const RowRange& range);

// Of the table: rows, and different values of slots 0..i.
struct KeyCounts {
  double rows = 0;
  std::vector<double> distinct_prefixes;

  // Values of a slot below each value of those before it.
  double DistinctOf(size_t slot) const;
};
KeyCounts CountsOf(const std::vector<KeySlot>& slots, const RowKeySchema& schema, const TableStatistics& statistics);

// What is read when the conditions on slots 0..i are used to jump.
struct DepthEstimate {
  double seeks = 1;  // runs of neighbouring rows
  double rows = 0;   // rows in them
};
// [i]: using slots 0..i-1; [0]: everything in one run.
std::vector<DepthEstimate> EstimateDepths(const std::vector<KeySlot>& slots,
                                          const std::vector<SlotCondition>& conditions, const KeyCounts& counts);

// The leading slots that make up one run of neighbouring rows: points, and at most one interval at the end.
size_t BoundSlots(const std::vector<SlotCondition>& conditions);

// "= 20140628", "al*", "in 3 values", "100..200", "any".
std::string ConditionText(const KeySlot& slot, const SlotCondition& condition);
std::string ConditionText(const FieldMatch& match);

}  // namespace klip::rowkey
