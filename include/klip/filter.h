// Filters: conditions that a Get or Scan evaluates next to the data. Names, meaning and oddities are those of HBase 2.6.
//
// A Filter is an immutable description that threads may share. Each scan creates its own state from it, a new one in every
// region, so counting filters (PageFilter, WhileMatchFilter) restart per region exactly as in HBase; Scan::limit_rows is global.
//
// Filters that restrict row keys (PrefixFilter, RowFilter, FuzzyRowFilter, MultiRowRangeFilter, InclusiveStopFilter and lists
// of them) make the scan jump over rows that cannot match; those that restrict columns, over columns of wide rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/comparator.h"
#include "klip/status.h"

namespace klip {

namespace filter {
class FilterState;    // klip/filter_state.h
class FilterVisitor;  // src/filter/common/visitors.h
class RowSet;         // src/filter/rows/row_set.h
}  // namespace filter

// kNothing: the filter decides on each cell or row by itself (or, as PageFilter, counts what is returned). kEveryCell: the decision
// depends on other cells of the row. kEveryRow: also on other rows.
enum class FilterNeeds : uint8_t { kNothing, kEveryCell, kEveryRow };

// Users may derive their own filters: name, ToString and NewState are enough.
class Filter {
 public:
  virtual ~Filter() = default;

  // HBase's class name, e.g. "FuzzyRowFilter".
  virtual std::string_view name() const = 0;

  // The text that ParseFilter reads (with FilterNames::kAll, for filters that HBase's language lacks). Bytes are not escaped:
  // use ToStringBinary(filter.ToString()) for logs.
  virtual std::string ToString() const = 0;

  // Fresh state for one region of one scan. The filter must outlive it.
  virtual std::unique_ptr<filter::FilterState> NewState(bool reversed) const = 0;

  // Does the decision on a row depend on the rows before it? Then a scan is not divided between threads.
  virtual bool RemembersRows() const { return true; }

  // Cells that the filter must see although another member of a list rules them out, if HBase shows them.
  virtual FilterNeeds Needs() const { return FilterNeeds::kEveryRow; }

  // Rows that can pass in a scan of this direction, as a set through which the scan can jump; nullptr if row keys do not matter.
  // `*exact` becomes true if every row in the set passes unchanged, so the scan need not evaluate the filter at all, else
  // false.
  virtual std::shared_ptr<const filter::RowSet> Rows(bool reversed, bool* exact) const;

  // For klip's own filters: passes the parameters to the visitor.
  virtual void Accept(filter::FilterVisitor* visitor) const;
};
using FilterPtr = std::shared_ptr<const Filter>;

// --- HBase's filter language ---

// The filter names that ParseFilter accepts.
enum class FilterNames : uint8_t {
  kHBase,  // those of HBase 2.6
  kAll,    // also those that ToString prints for filters that HBase's language lacks (docs/filters.md)
};

// "PrefixFilter('a') AND (PageFilter(5) OR SKIP ValueFilter(!=,'binary:0'))". Bytes are not escaped; write a quote
// twice. Errors: kInvalidArgument with HBase's text, followed by the position.
Expected<FilterPtr> ParseFilter(std::string_view text, FilterNames names = FilterNames::kHBase);

// The limit of nested lists, SKIPs and WHILEs, in texts and protobufs.
inline constexpr int kMaxFilterDepth = 100;

// --- Filters on row keys ---
// Errors of all factories: kInvalidArgument with HBase's text.

// One pattern of a FuzzyRowFilter: mask byte 0 = the key byte must match, 1 = any byte. Lengths must be equal.
struct FuzzyKey {
  std::string key;
  std::string mask;
  bool operator==(const FuzzyKey&) const = default;
};

// "alice?????20140628" with `any` = '?': the mask form of a fuzzy key.
FuzzyKey FuzzyKeyFromPattern(std::string_view pattern, char any = '?');

// Rows that match one of the patterns. A row longer than a pattern matches by prefix; a shorter one matches if its bytes
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
// Rows that start with one of the prefixes.
Expected<FilterPtr> MultiRowPrefixFilter(const std::vector<std::string>& prefixes);

FilterPtr PrefixFilter(std::string prefix);
FilterPtr InclusiveStopFilter(std::string stop_row);
FilterPtr RowFilter(CompareOp op, ComparatorPtr comparator);
Expected<FilterPtr> PageFilter(int64_t page_size);  // rows per region

// Each row with this probability: 0 keeps none, 1 all.
FilterPtr RandomRowFilter(float chance);

// --- Filters on columns ---

FilterPtr FamilyFilter(CompareOp op, ComparatorPtr comparator);
FilterPtr QualifierFilter(CompareOp op, ComparatorPtr comparator);
FilterPtr ColumnPrefixFilter(std::string prefix);

// Columns that start with one of the prefixes; without prefixes, all columns. As in HBase, a column is compared only with the largest
// prefix that is not above it: with 'a' and 'ab', the column 'ac' does not pass. Errors: a duplicate prefix.
Expected<FilterPtr> MultipleColumnPrefixFilter(std::vector<std::string> prefixes);

struct ColumnRange {
  std::optional<std::string> min;  // none: from the first column
  bool include_min = true;
  std::optional<std::string> max;  // none: to the last column
  bool include_max = false;
};
FilterPtr ColumnRangeFilter(ColumnRange range);

// The first `limit` columns of each row, with the newest version of each. Errors: limit < 0.
Expected<FilterPtr> ColumnCountGetFilter(int32_t limit);

// For each row, `limit` columns with the newest version of each, after skipping `offset` columns or, in the second form, the
// columns below `first_column`. Errors: a negative number.
Expected<FilterPtr> ColumnPaginationFilter(int32_t limit, int32_t offset);
Expected<FilterPtr> ColumnPaginationFilter(int32_t limit, std::string first_column);

// --- Filters on cells ---

// The first cell of each row: for counting.
FilterPtr FirstKeyOnlyFilter();

// The cells of each row up to and including the first whose qualifier is one of these.
FilterPtr FirstKeyValueMatchingQualifiersFilter(std::vector<std::string> qualifiers);

// Cells without their values, or with the value's length (4 bytes, big-endian) as value.
FilterPtr KeyOnlyFilter(bool length_as_value = false);

// Cells with exactly these timestamps. `can_hint`: the scan may skip versions between them. Errors: a negative timestamp.
Expected<FilterPtr> TimestampsFilter(std::vector<int64_t> timestamps_ms, bool can_hint = false);

FilterPtr ValueFilter(CompareOp op, ComparatorPtr comparator);

// --- Filters on one column's value ---

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
// The same, and omits the column from the result.
FilterPtr SingleColumnValueExcludeFilter(SingleColumnValue condition);

// Only the cells of this column whose value passes.
FilterPtr ColumnValueFilter(std::string family, std::string qualifier, CompareOp op, ComparatorPtr comparator);

struct DependentColumn {
  std::string family;
  std::string qualifier;
  bool drop_column = false;  // omit the column itself
  CompareOp op = CompareOp::kNoOp;
  ComparatorPtr comparator = nullptr;  // null: any value
};
// The cells of a row that have the timestamp of a cell of this column whose value passes.
FilterPtr DependentColumnFilter(DependentColumn condition);

// --- Spark ---

// A column of a table of Spark SQL, as a cell.
struct SparkSqlColumn {
  std::string family;  // empty, with the qualifier "key": the row
  std::string qualifier;
  std::string name;
};

struct SparkSqlCondition {
  // Words separated by single spaces, with values by their number: "( city == 0 AND ( visits > 1 OR visits isNull ) )". The operators
  // are == != startsWith isNull isNotNull < <= > >=; "dummy Pass -1" is true.
  std::string expression;
  // ==, != and startsWith compare bytes. For the other operators, a value starts with a byte that names its type: 1 short, 2 int, 3 and 8
  // long, 4 float, 5 double, all big-endian; any other type is compared by bytes.
  std::vector<std::string> values;
  std::vector<SparkSqlColumn> columns;
  std::string encoder = "org.apache.hadoop.hbase.spark.datasources.NaiveEncoder";
};

// Rows for which the condition holds: Spark's connector (hbase-spark) sends this for a WHERE. A comparison with a column that the row
// lacks is false. Errors: an invalid condition, naming the byte; another encoder.
Expected<FilterPtr> SparkSQLPushDownFilter(SparkSqlCondition condition);

// --- Combinations ---

enum class ListOperator : uint8_t { kMustPassAll = 1, kMustPassOne = 2 };
FilterPtr FilterList(ListOperator op, std::vector<FilterPtr> filters);

// Drops the whole row unless the filter plainly includes each of its cells. Does not test row keys.
FilterPtr SkipFilter(FilterPtr filter);

// Ends the region at the first row or cell that the filter does not pass.
FilterPtr WhileMatchFilter(FilterPtr filter);

// Nothing.
FilterPtr FilterAllFilter();

}  // namespace klip
