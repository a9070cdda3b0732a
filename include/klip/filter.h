// Filters: conditions that a Get or Scan evaluates beside the data. Names, meaning and oddities are those of HBase 2.6.
//
// A Filter is an immutable description, shared freely between threads. Each scan makes its own state from it, anew in every
// region, so counting filters (PageFilter, WhileMatch) restart per region exactly as in HBase; Scan::limit_rows is global.
//
// Filters that restrict row keys (PrefixFilter, RowFilter, FuzzyRowFilter, MultiRowRangeFilter, InclusiveStopFilter and lists
// of them) make the scan jump over rows that cannot match.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip {

enum class CompareOp : uint8_t { kLess, kLessOrEqual, kEqual, kNotEqual, kGreaterOrEqual, kGreater, kNoOp };

// What a cell's bytes are compared with. Immutable.
class Comparator {
 public:
  virtual ~Comparator() = default;

  // < 0, 0, > 0 as this comparator's value is below, equal to or above `bytes`. Source: HBase ByteArrayComparable.compareTo.
  virtual int CompareTo(std::string_view bytes) const = 0;

  // In the filter language: "binary:abc".
  virtual std::string ToString() const = 0;

  // The bytes compared with, for comparators that order bytes as HBase orders rows (BinaryComparator); else nullptr.
  // This is what lets a RowFilter become a key range.
  virtual const std::string* OrderedBytes() const { return nullptr; }

  // The prefix compared with (BinaryPrefixComparator); else nullptr.
  virtual const std::string* PrefixBytes() const { return nullptr; }
};
using ComparatorPtr = std::shared_ptr<const Comparator>;

ComparatorPtr BinaryComparator(std::string value);
ComparatorPtr BinaryPrefixComparator(std::string prefix);
ComparatorPtr SubstringComparator(std::string text);  // case-insensitive; only kEqual and kNotEqual mean something
ComparatorPtr NullComparator();

namespace filter {
class FilterState;  // src/filter/filter_state.h
class RowSet;       // src/filter/row_set.h
}  // namespace filter

class Filter {
 public:
  virtual ~Filter() = default;

  // HBase's class name, e.g. "FuzzyRowFilter".
  virtual std::string_view name() const = 0;

  // In the filter language where it has a form, else in a like notation.
  virtual std::string ToString() const = 0;

  // Fresh state for one region of one scan. The filter must outlive it.
  virtual std::unique_ptr<filter::FilterState> NewState(bool reversed) const = 0;

  // Rows that can pass in a scan of this direction, as a set that the scan can jump over; nullptr when row keys say nothing.
  // `*exact` is set to true when every row in the set passes untouched, so the filter need not be evaluated at all, else to
  // false.
  virtual std::shared_ptr<const filter::RowSet> Rows(bool reversed, bool* exact) const;
};
using FilterPtr = std::shared_ptr<const Filter>;

// One pattern of a FuzzyRowFilter: mask byte 0 = the key byte must match, 1 = any byte. Lengths must be equal.
struct FuzzyKey {
  std::string key;
  std::string mask;
  bool operator==(const FuzzyKey&) const = default;
};

// "alice?????20140628" with `any` = '?': the mask form of a fuzzy key.
FuzzyKey FuzzyKeyFromPattern(std::string_view pattern, char any = '?');

// --- Filters on row keys ---
// Errors of all factories: kInvalidArgument with HBase's text.

// Rows that match one of the patterns. A row longer than a pattern matches by prefix; a shorter one matches when its bytes
// fit (docs/compatibility.md: HBase answers differently depending on which rows its hints land on).
Expected<FilterPtr> FuzzyRowFilter(std::vector<FuzzyKey> keys);

struct RowRange {
  std::string start;  // empty: from the first row
  bool include_start = true;
  std::string stop;  // empty: to the last row
  bool include_stop = false;

  bool operator==(const RowRange&) const = default;
};

// Rows in any of the ranges; overlapping ranges are merged. Errors: no range, or a range whose start is above its stop.
Expected<FilterPtr> MultiRowRangeFilter(std::vector<RowRange> ranges);

FilterPtr PrefixFilter(std::string prefix);
FilterPtr InclusiveStopFilter(std::string stop_row);
FilterPtr RowFilter(CompareOp op, ComparatorPtr comparator);
Expected<FilterPtr> PageFilter(int64_t page_size);  // rows per region

// --- Filters on cells ---
FilterPtr FirstKeyOnlyFilter();
FilterPtr KeyOnlyFilter(bool length_as_value = false);

struct SingleColumnValue {
  std::string family;
  std::string qualifier;
  CompareOp op = CompareOp::kEqual;
  ComparatorPtr comparator;
  bool filter_if_missing = false;
  bool latest_version_only = true;
};
// Keeps or drops whole rows by the value of one column.
FilterPtr SingleColumnValueFilter(SingleColumnValue condition);

// --- Combinations ---
enum class ListOperator : uint8_t { kMustPassAll = 1, kMustPassOne = 2 };
FilterPtr FilterList(ListOperator op, std::vector<FilterPtr> filters);

}  // namespace klip
