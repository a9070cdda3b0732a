// Conditions on one field as sets of encoded bytes, from which a query is compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// Sorted, disjoint, in the bytes of the key. For a fixed-width field both ends have its width.
using Intervals = std::vector<filter::ByteInterval>;

// nullopt: any value; an empty list: none.
using FieldSet = std::optional<Intervals>;

// The bytes that satisfy `match`. Errors: kInvalidArgument naming the field: a value that it cannot hold, a kind of
// condition that it does not support. REQUIRES: `match` is not a ByteMask.
Expected<FieldSet> SetOf(const KeyField& field, const FieldMatch& match);

// A byte each; nullopt: any.
using BytePattern = std::vector<std::optional<char>>;
Expected<BytePattern> PatternOf(const KeyField& field, const ByteMask& mask);

// Ok if the field supports this condition.
Status CheckMatch(const KeyField& field, const FieldMatch& match);

FieldSet Intersect(const FieldSet& a, const FieldSet& b);
// Sorts and merges intervals in any order.
Intervals Unite(Intervals intervals);
// Integers in cells and in keys differ in the sign bit: converts the intervals of one to those of the other. REQUIRES:
// fixed width.
Intervals WithSignFlipped(const Intervals& intervals);

// The next higher or lower bytes of the same width; false if there are none.
bool Increment(std::string* bytes);
bool Decrement(std::string* bytes);

bool IsPoint(const filter::ByteInterval& interval);
bool AllPoints(const Intervals& intervals);
bool Fits(const filter::ByteInterval& interval, std::string_view bytes);
bool Fits(const Intervals& intervals, std::string_view bytes);
bool Fits(const BytePattern& pattern, std::string_view bytes);

}  // namespace klip::rowkey
