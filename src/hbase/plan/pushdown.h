// What a region server can do of a plan: bounds, and stock filters that jump. Pure.
#pragma once

#include "filter/rows/row_set.h"
#include "klip/filter.h"

namespace klip::client {

// A filter that lets every row of the set pass, and jumps over others: MultiRowRangeFilter where the rows lie in a few ranges,
// FuzzyRowFilter where parts of them may be anything. Null: none helps. *exact: it lets no other row pass.
//
// Reversed there are ranges only: reversed, HBase 2.6.4 loops for ever on a FuzzyRowFilter with a fixed byte behind one that
// may be anything (HBASE-30226).
FilterPtr PushDown(const filter::RowSet& rows, bool reversed, bool* exact);

}  // namespace klip::client
