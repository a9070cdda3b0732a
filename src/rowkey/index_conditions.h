// The conditions of a scan's filter on columns, as far as an index can answer them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "rowkey/field_set.h"
#include "rowkey/index_definition.h"

namespace klip::rowkey {

// Which of a column's versions a condition is about.
enum class OfVersions : uint8_t {
  kNewest,         // the one that a Get shows
  kNewestInRange,  // the newest in the scan's time range: any stored one, but the same for all conditions on the column
  kAny,            // any stored one
};

// A condition on a column: its value, or the value in this case, is in one of the intervals, in byte order.
struct ColumnCondition {
  std::string family;
  std::string qualifier;
  Intervals values;
  IndexFunction function = IndexFunction::kNone;  // or kUpper, kLower
  OfVersions of = OfVersions::kNewest;            // others are answered by indexes with HISTORY

  bool IsOn(const ColumnCondition& other) const {
    return family == other.family && qualifier == other.qualifier && function == other.function;
  }
};

// Conditions that hold for all rows that the scan returns, from SingleColumnValueFilters with filterIfMissing, alone or
// in lists. For a MUST_PASS_ONE list, they concern columns that each member tests. Empty if the scan is raw, or the filter
// must see every row.
std::vector<ColumnCondition> StoredConditionsOf(const Scan& scan);
// Those on the newest versions.
std::vector<ColumnCondition> ColumnConditionsOf(const Scan& scan);

// Key bytes of the part for stored values that meet the condition, perhaps more. nullopt: any. For a part with a function,
// those of single values are known: after f:name = Berlin, upper(f:name) can only be BERLIN.
FieldSet KeyBytesOf(const IndexPart& part, const ColumnCondition& condition);

// A filter of SingleColumnValueFilters that compare bytes: one of them, or a list.
struct ColumnTest {
  std::optional<SingleColumnValue> column;
  bool exclude = false;  // it removes the column from the row
  ListOperator op = ListOperator::kMustPassAll;
  std::vector<ColumnTest> members = {};
};

// The scan's filter as a ColumnTest; nullopt: it is another filter.
std::optional<ColumnTest> OnlySingleColumns(const Scan& scan);

struct EntrySet {
  std::shared_ptr<const filter::RowSet> entries;  // null: the index cannot answer
  int fields = 0;                                 // the number of leading fields with a condition
  std::vector<std::string> columns;  // names of those with a condition that the order of the index supports
  // Parts of the entries that are in the order of their rows: those with one value per field. One, or several for short
  // lists of values; empty: too many.
  std::vector<std::shared_ptr<const filter::RowSet>> runs;
  bool with_skipped = false;  // rows of which it has no or not all entries may meet the conditions, too
  std::string why_not;        // why it cannot answer
};

// The entries of all rows that meet the conditions `all` and are in the scan's range, and in `rows` unless that is null; maybe
// more. An index without HISTORY answers only conditions on the newest versions. `only_entries`: only rows with an entry
// are wanted; otherwise an index in which rows may be missing cannot answer.
EntrySet EntriesFor(const IndexDefinition& index, const std::vector<ColumnCondition>& all, const Scan& scan,
                    const filter::RowSet* rows, bool only_entries = false);

}  // namespace klip::rowkey
