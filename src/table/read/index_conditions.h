// What a scan's filter asks of columns, as far as an index can answer it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "table/info/table_index.h"

namespace klip::table {

// A column's newest value that each row must have: in the order of bytes, not below and not above these.
struct ColumnCondition {
  std::string family;
  std::string qualifier;
  std::string low;
  std::string high;
  bool has_high = false;   // else any above `low`
  bool is_prefix = false;  // the value starts with `low`; else it equals it if both are the same

  bool is_equal() const { return has_high && !is_prefix && low == high; }
};

// Conditions that hold for all rows which the scan returns, by SingleColumnValueFilters with filterIfMissing, alone or in lists that
// all must pass. None where the filter may see other versions than the newest, or must see every row.
std::vector<ColumnCondition> ConditionsOf(const Scan& scan);

// The members of the scan's filter, if it is SingleColumnValueFilters that order bytes, alone or in lists that all must pass; nullopt:
// it is another.
std::optional<std::vector<SingleColumnValue>> OnlySingleColumns(const Scan& scan);

struct EntrySet {
  std::shared_ptr<const filter::RowSet> entries;  // null: the index cannot tell
  int fields = 0;                                 // how many at its beginning have a condition
  bool in_row_order = false;                      // all of one value: they stand in the order of their rows
  std::string why_not;                            // it cannot tell
};

// The entries of all rows that meet the conditions and are in the scan's range; perhaps more.
EntrySet EntriesFor(const TableIndex& index, const std::vector<ColumnCondition>& conditions, const Scan& scan);

}  // namespace klip::table
