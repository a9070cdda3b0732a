// The part of a plan that a region server can execute: bounds, and stock filters that jump. Pure.
#pragma once

#include "filter/rows/row_set.h"
#include "klip/filter.h"

namespace klip::client {

// A filter that passes every row of the set, and jumps over others: MultiRowRangeFilter if the rows lie in a few ranges,
// FuzzyRowFilter if parts of them may be anything. Null: none helps. *exact: it passes no other row.
//
// Example: "user:text(5) date:date" and "date=20140628": the FuzzyRowFilter ?????20140628. "user=alice,carol": the ranges
// [alice, alicf) and [carol, carom).
//
// Reversed scans only use ranges: in them, HBase 2.6.4 loops forever with a FuzzyRowFilter that has a fixed byte after a
// wildcard (HBASE-30226).
FilterPtr PushDown(const filter::RowSet& rows, bool reversed, bool* exact);

}  // namespace klip::client
