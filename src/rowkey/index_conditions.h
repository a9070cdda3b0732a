// What a scan's filter asks of columns, as far as an index can answer it.
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

// What the newest value of a column is in each row, in the order of bytes: in one of the intervals.
struct ColumnCondition {
  std::string family;
  std::string qualifier;
  Intervals values;
};

// Conditions that hold for all rows which the scan returns, by SingleColumnValueFilters with filterIfMissing, alone or in lists. Of a
// list of which one must pass, they are about columns that each member asks for. None where the filter may see other versions than the
// newest, or must see every row.
std::vector<ColumnCondition> ColumnConditionsOf(const Scan& scan);

// Key bytes of the part for stored values that meet the condition, perhaps more. nullopt: any.
FieldSet KeyBytesOf(const IndexPart& part, const ColumnCondition& condition);

// A filter of SingleColumnValueFilters that order bytes: one of them, or a list.
struct ColumnTest {
  std::optional<SingleColumnValue> column;
  bool exclude = false;  // it takes the column out of the row
  ListOperator op = ListOperator::kMustPassAll;
  std::vector<ColumnTest> members = {};
};

// The scan's filter, if it is one of these; nullopt: it is another.
std::optional<ColumnTest> OnlySingleColumns(const Scan& scan);

struct EntrySet {
  std::shared_ptr<const filter::RowSet> entries;  // null: the index cannot tell
  int fields = 0;                                 // how many at its beginning have a condition
  // Parts of the entries that stand in the order of their rows: those of one value of each field. One, or as many as there are lists of
  // few values; empty: there are more.
  std::vector<std::shared_ptr<const filter::RowSet>> runs;
  std::string why_not;  // it cannot tell
};

// The entries of all rows that meet the conditions and are in the scan's range, and in `rows` if that is not null; perhaps more.
// `only_entries`: of those that have an entry; else an index that not all of them need have cannot tell.
EntrySet EntriesFor(const IndexDefinition& index, const std::vector<ColumnCondition>& conditions, const Scan& scan,
                    const filter::RowSet* rows, bool only_entries = false);

}  // namespace klip::rowkey
