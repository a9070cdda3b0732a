// How alike the rows of a stretch are: whether so many rows side by side show as much as if each had been drawn on its own.
//
// Example: with the key user and day, stretches of 256 rows contain three users with some 85 rows each, and each day about once. For
// a condition on the user, a stretch shows three users: 85 rows count as one. For one on the day, each row counts.
#pragma once

#include <vector>

#include "filter/rows/row_stretches.h"
#include "rowkey/key_estimate.h"

namespace klip::rowkey {

// Rows that count as one for conditions on the slots of `asked`; at least 1. It is measured on rare values if there are some,
// as what is asked for is rare where it matters.
double ClusteringOf(const filter::RowStretches& stretches, const std::vector<KeySlot>& slots,
                    const std::vector<bool>& asked);

// The same, for what is asked for itself: its rows in each stretch, of all rows there. 1 if there are none.
double ClusteringOf(const std::vector<double>& wanted, const std::vector<double>& all);

}  // namespace klip::rowkey
