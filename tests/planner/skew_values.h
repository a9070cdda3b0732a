// Values of skewed tables (skew_tables.h, mixed_tables.h): how they are spread, and those that queries ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/random.h"
#include "planner/skew_tables.h"

namespace klip::ops {

// Ranks 0 .. n-1; rank r occurs 1 / (r + 1)^exponent times as often as rank 0.
class Zipf {
 public:
  Zipf(size_t n, double exponent);
  size_t Next(Random* random) const;

 private:
  std::vector<double> sums_;
};

std::string Number(uint64_t n);

// A date of years of 360 days, from 2014 on.
std::string Day(size_t day);

// An id that does not reveal its rank.
uint32_t Scattered(size_t rank);

// Replaces $field.h and similar in the table's queries by values of the field, and $3.field by that of a row:
//
//   .h  the most frequent value     .m  the one in the middle of all rows, counted by falling frequency
//   .r  the rarest of those that make up 98 % of the rows         .40  the value below which 40 % of the rows lie
//   .p  the first half of the most frequent value, for prefixes
//
// REQUIRES: the table has rows.
void FillInAll(SkewTable* table);

}  // namespace klip::ops
