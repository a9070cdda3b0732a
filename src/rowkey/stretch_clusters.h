// How alike the rows of a stretch are: whether so many rows side by side show as much as if each had been drawn on its own.
//
// Example: with the key user and day, stretches of 256 rows contain three users with some 85 rows each, and each day about once. For
// a condition on the user, a stretch shows three users: 85 rows count as one. For one on the day, each row counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "filter/rows/row_stretches.h"
#include "rowkey/key_estimate.h"

namespace klip::rowkey {

// What rows of a kind have in a slot.
class ClusterSlot {
 public:
  // Values that a range takes together are of one kind: so many kinds, each with as many of these values. Borrows them.
  void SetBuckets(std::vector<std::string_view> values, double buckets);
  uint64_t KindOf(std::string_view value) const;

  bool asked = false;  // false: nothing

 private:
  bool in_buckets_ = false;  // false: each value is a kind
  std::vector<std::string_view> bounds_;
};

// Rows that count as one for conditions on the slots of `asked`; at least 1. It is measured on rare values if there are some,
// as what is asked for is rare where it matters.
double ClusteringOf(const filter::RowStretches& stretches, const std::vector<KeySlot>& slots,
                    const std::vector<ClusterSlot>& asked);

// The same, for what is asked for itself: its rows in each stretch, of all rows there. 1 if there are none.
double ClusteringOf(const std::vector<double>& wanted, const std::vector<double>& all);

}  // namespace klip::rowkey
