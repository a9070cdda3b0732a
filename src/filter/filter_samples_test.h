// At least one of every filter and comparator, for tests of their formats.
#pragma once

#include <vector>

#include "filter/common/decimal.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::filter {

inline std::vector<ComparatorPtr> ComparatorSamples() {
  using namespace std::string_literals;
  return {
      BinaryComparator("a'b\0"s),
      BinaryPrefixComparator("pre:fix"),
      BinaryComponentComparator("it's", 3),
      BitComparator("\x01\xff", BitwiseOp::kAnd),
      BitComparator("", BitwiseOp::kOr),
      BitComparator("x", BitwiseOp::kXor),
      LongComparator(-5),
      *BigDecimalComparator(DecimalToBytes(*ParseDecimal("-12.50"))),
      *BigDecimalComparator(DecimalToBytes(*ParseDecimal("1E+400"))),
      NullComparator(),
      SubstringComparator("AbC"),
      SubstringComparator("\xC3\x84rger"),
      *RegexStringComparator({.pattern = "a.*'b"}),
      *RegexStringComparator({.pattern = "A", .flags = kRegexDotAll | kRegexCaseInsensitive}),
      *RegexStringComparator({.pattern = "x:y", .flags = kRegexMultiline, .charset = "ISO-8859-1", .engine = "JONI"}),
  };
}

inline std::vector<FilterPtr> FilterSamples() {
  using enum CompareOp;
  std::vector<FilterPtr> out = {
      *FuzzyRowFilter({FuzzyKeyFromPattern("a?c"), FuzzyKeyFromPattern("??")}),
      *FuzzyRowFilter({{"?'x", std::string("\0\1\0", 3)}}),
      *MultiRowRangeFilter({{"a", true, "b", false}, {"c", false, "", true}}),
      *MultiRowPrefixFilter({"ab", "\xff"}),
      PrefixFilter("p\x80"),
      InclusiveStopFilter("stop"),
      *PageFilter(int64_t{1} << 40),
      RandomRowFilter(0.25F),
      RandomRowFilter(-1),
      ColumnPrefixFilter("q"),
      *MultipleColumnPrefixFilter({"b", "a"}),
      ColumnRangeFilter({.min = "a", .include_min = false, .max = "z", .include_max = true}),
      ColumnRangeFilter({}),
      *ColumnCountGetFilter(7),
      *ColumnPaginationFilter(3, 4),
      *ColumnPaginationFilter(3, std::string("q2")),
      FirstKeyOnlyFilter(),
      FirstKeyValueMatchingQualifiersFilter({"y", "x", "x"}),
      KeyOnlyFilter(),
      KeyOnlyFilter(true),
      *TimestampsFilter({5, 1, 5}),
      *TimestampsFilter({9}, true),
      DependentColumnFilter({.family = "f", .qualifier = "q"}),
      DependentColumnFilter({"f", "q", true, kGreater, BinaryComparator("v")}),
      *SparkSQLPushDownFilter({"( a == 0 AND k startsWith 1 )", {"it's", "p"}, {{"f", "q'", "a"}, {"", "key", "k"}}}),
      *SparkSQLPushDownFilter({"dummy Pass -1", {}, {}}),
      FilterAllFilter(),
      SkipFilter(FirstKeyOnlyFilter()),
      WhileMatchFilter(PrefixFilter("w")),
      FilterList(ListOperator::kMustPassAll, {}),
      FilterList(ListOperator::kMustPassOne, {}),
      RowFilter(kNoOp, NullComparator()),
  };
  for (const ComparatorPtr& comparator : ComparatorSamples()) {
    for (const CompareOp op : {kEqual, kNotEqual}) {
      out.push_back(RowFilter(op, comparator));
      out.push_back(FamilyFilter(op, comparator));
      out.push_back(QualifierFilter(op, comparator));
      out.push_back(ValueFilter(op, comparator));
      out.push_back(ColumnValueFilter("f", "q'", op, comparator));
      out.push_back(SingleColumnValueFilter({"f", "q", op, comparator}));
      out.push_back(SingleColumnValueFilter({"f", "q", op, comparator, true, false}));
      out.push_back(SingleColumnValueExcludeFilter({"f", "", op, comparator, true, true}));
    }
  }
  const std::vector<FilterPtr> leaves = out;
  for (size_t i = 0; i + 2 < leaves.size(); i += 3) {
    const FilterPtr all = FilterList(ListOperator::kMustPassAll, {leaves[i], SkipFilter(leaves[i + 1])});
    out.push_back(
        FilterList(ListOperator::kMustPassOne, {all, WhileMatchFilter(SkipFilter(leaves[i + 2])), leaves[i]}));
  }
  return out;
}

}  // namespace klip::filter
