// Conditions on one field as sets of encoded bytes: what a query is compiled from, field by field.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// Sorted, disjoint, in the bytes of the key. Of a fixed-width field both ends have its width.
using Intervals = std::vector<filter::ByteInterval>;

// nullopt: any value; an empty list: none.
using FieldSet = std::optional<Intervals>;

// The bytes that satisfy `match`. Errors: kInvalidArgument naming the field: a value it cannot hold, a kind of
// condition it does not take. REQUIRES: `match` is no ByteMask.
Expected<FieldSet> SetOf(const KeyField& field, const FieldMatch& match);

// A byte each; nullopt: any.
using BytePattern = std::vector<std::optional<char>>;
Expected<BytePattern> PatternOf(const KeyField& field, const ByteMask& mask);

// Ok when the field can have this condition.
Status CheckMatch(const KeyField& field, const FieldMatch& match);

FieldSet Intersect(const FieldSet& a, const FieldSet& b);
// Sorted and disjoint, of intervals in any order.
Intervals Unite(Intervals intervals);
// Stored integers have another sign bit than those in keys: the intervals of one as those of the other. REQUIRES: fixed width.
Intervals WithSignFlipped(const Intervals& intervals);

// The bytes next above or below, of the same width; false when there are none.
bool Increment(std::string* bytes);
bool Decrement(std::string* bytes);

bool IsPoint(const filter::ByteInterval& interval);
bool AllPoints(const Intervals& intervals);
bool Fits(const filter::ByteInterval& interval, std::string_view bytes);
bool Fits(const Intervals& intervals, std::string_view bytes);
bool Fits(const BytePattern& pattern, std::string_view bytes);

}  // namespace klip::rowkey
