// Tests every filter with a simulated scan: against tables observed in HBase 2.6.4. For filters that know their rows,
// jumping over the others must change nothing.
#include "klip/filter.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "filter/filters/filter_list_state.h"
#include "filter/filters/fuzzy_row_filter.h"
#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/filter_state.h"

namespace klip::filter {
namespace {

using Rows = std::vector<std::string>;

struct TestCell {
  std::string row;
  std::string column;  // "f:q@timestamp"
  std::string value;
};

// A table of one region.
class TestTable {
 public:
  explicit TestTable(std::vector<TestCell> cells) {
    for (TestCell& cell : cells) {
      strings_.push_back(std::move(cell));
      const TestCell& kept = strings_.back();
      size_t colon = kept.column.find(':');
      size_t at = kept.column.find('@');
      std::string_view column = kept.column;
      Cell out{.row = kept.row,
               .family = column.substr(0, colon),
               .qualifier = column.substr(colon + 1, at == std::string::npos ? at : at - colon - 1),
               .timestamp_ms = at == std::string::npos ? 1 : std::stoll(kept.column.substr(at + 1)),
               .value = kept.value};
      rows_[kept.row].push_back(out);
    }
    for (auto& [row, of_row] : rows_) {
      std::stable_sort(of_row.begin(), of_row.end(), [](const Cell& a, const Cell& b) {
        return std::tie(a.family, a.qualifier, b.timestamp_ms) < std::tie(b.family, b.qualifier, a.timestamp_ms);
      });
    }
  }

  static TestTable OfRows(const Rows& rows) {
    std::vector<TestCell> cells;
    for (const std::string& row : rows) {
      cells.push_back({row, "f:q", "v"});
    }
    return TestTable(std::move(cells));
  }

  struct Options {
    bool reversed = false;
    int versions = 1;
    bool follow_hints = true;
    bool use_rows = false;
  };

  // "row/qualifier@timestamp" of every cell returned.
  Rows Scan(const Filter& filter, const Options& options) const {
    std::vector<const std::vector<Cell>*> rows;
    bool exact = false;
    auto set = options.use_rows ? filter.Rows(options.reversed, &exact) : nullptr;
    for (const auto& [row, cells] : rows_) {
      if (set == nullptr || set->Contains(row)) {
        rows.push_back(&cells);
      }
    }
    if (options.reversed) {
      std::reverse(rows.begin(), rows.end());
    }
    bool evaluate = !(set != nullptr && exact);
    auto state = filter.NewState(options.reversed);
    Rows out;
    std::string skip_to;
    for (const std::vector<Cell>* cells : rows) {
      std::string row((*cells)[0].row);
      if (!skip_to.empty() && (options.reversed ? row > skip_to : row < skip_to)) {
        continue;
      }
      skip_to.clear();
      if (!evaluate) {
        Keep(*cells, options.versions, &out);
        continue;
      }
      state->Reset();
      if (state->FilterAllRemaining()) {
        break;
      }
      if (state->FilterRowKey(row)) {
        continue;
      }
      std::vector<Cell> kept = CellsOf(*cells, state.get(), options, &skip_to);
      state->FilterRowCells(&kept);
      if (!kept.empty() && !state->FilterRow()) {
        Keep(kept, std::numeric_limits<int>::max(), &out);
      }
    }
    return out;
  }

  // The distinct rows of the same.
  Rows ScanRows(const Filter& filter, bool reversed = false) const {
    Rows out;
    for (const std::string& cell : Scan(filter, {.reversed = reversed})) {
      std::string row = cell.substr(0, cell.find('/'));
      if (out.empty() || out.back() != row) {
        out.push_back(row);
      }
    }
    return out;
  }

 private:
  static void Keep(const std::vector<Cell>& cells, int versions, Rows* out) {
    std::string last;
    int count = 0;
    for (const Cell& cell : cells) {
      std::string column = std::string(cell.family) + ":" + std::string(cell.qualifier);
      count = column == last ? count + 1 : 1;
      last = column;
      if (count <= versions) {
        out->push_back(std::string(cell.row) + "/" + std::string(cell.qualifier) + "@" +
                       std::to_string(cell.timestamp_ms) + (cell.value.empty() ? "-" : ""));
      }
    }
  }

  std::vector<Cell> CellsOf(const std::vector<Cell>& cells, FilterState* state, const Options& options,
                            std::string* skip_to) const {
    std::vector<Cell> kept;
    std::string done_family = "\xff";
    std::string done_column = "\xff";
    std::map<std::string, int> versions;
    for (const Cell& cell : cells) {
      std::string column = std::string(cell.family) + ":" + std::string(cell.qualifier);
      if (cell.family == done_family || column == done_column) {
        continue;
      }
      ReturnCode code = state->FilterCell(cell);
      if (IsInclude(code) && ++versions[column] <= options.versions) {
        Cell copy = cell;
        state->TransformCell(&copy, &storage_);
        kept.push_back(copy);
      }
      if (code == ReturnCode::kNextRow || code == ReturnCode::kIncludeAndSeekNextRow) {
        done_family = cell.family;
      } else if (code == ReturnCode::kNextCol || code == ReturnCode::kIncludeAndNextCol) {
        done_column = column;
      } else if (code == ReturnCode::kSeekNextUsingHint) {
        CellHint hint;
        bool ahead = state->NextHint(cell, &hint) && !hint.has_column &&
                     (options.reversed ? hint.row < cell.row : hint.row > cell.row);
        if (ahead && options.follow_hints) {
          *skip_to = hint.row;
          break;
        }
      }
    }
    return kept;
  }

  std::deque<TestCell> strings_;
  std::map<std::string, std::vector<Cell>> rows_;
  mutable Result storage_;
};

FilterPtr All(std::vector<FilterPtr> members) { return FilterList(ListOperator::kMustPassAll, std::move(members)); }
FilterPtr One(std::vector<FilterPtr> members) { return FilterList(ListOperator::kMustPassOne, std::move(members)); }
FilterPtr Page(int64_t size) { return PageFilter(size).value(); }
FilterPtr RowIs(CompareOp op, const std::string& row) { return RowFilter(op, BinaryComparator(row)); }
FilterPtr Fuzzy(std::vector<std::string> patterns) {
  std::vector<FuzzyKey> keys;
  for (const std::string& pattern : patterns) {
    keys.push_back(FuzzyKeyFromPattern(pattern));
  }
  return FuzzyRowFilter(std::move(keys)).value();
}
FilterPtr Ranges(std::vector<RowRange> ranges) { return MultiRowRangeFilter(std::move(ranges)).value(); }

Rows AToI() { return {"a", "b", "c", "d", "e", "f", "g", "h", "i"}; }

std::string ErrorOf(const Expected<FilterPtr>& filter) {
  EXPECT_EQ(filter.status().code(), Code::kInvalidArgument);
  return filter.status().message();
}

TEST(Comparators, Order) {
  EXPECT_EQ(BinaryComparator("b")->CompareTo("b"), 0);
  EXPECT_GT(BinaryComparator("b\xff")->CompareTo("b\x01"), 0);
  EXPECT_EQ(BinaryPrefixComparator("va")->CompareTo("vaaa"), 0);
  EXPECT_GT(BinaryPrefixComparator("vaaa")->CompareTo("va"), 0);
  EXPECT_LT(BinaryPrefixComparator("vaaa")->CompareTo("wa"), 0);
  EXPECT_EQ(SubstringComparator("AbC")->CompareTo("xxaBcx"), 0);
  EXPECT_EQ(SubstringComparator("AbC")->CompareTo("ab"), 1);
  EXPECT_EQ(SubstringComparator("")->CompareTo(""), 0);
  EXPECT_EQ(NullComparator()->CompareTo(""), 1);
}

TEST(PrefixFilter, RowsInBothDirections) {
  TestTable table = TestTable::OfRows({"a", "b", "ba", "bb\xff", "c", "d"});
  EXPECT_EQ(table.ScanRows(*PrefixFilter("b")), (Rows{"b", "ba", "bb\xff"}));
  EXPECT_EQ(table.ScanRows(*PrefixFilter("b"), true), (Rows{"bb\xff", "ba", "b"}));
  EXPECT_EQ(table.ScanRows(*PrefixFilter("")).size(), 6u);
  EXPECT_TRUE(table.ScanRows(*PrefixFilter("bbb")).empty());
  EXPECT_EQ(PrefixFilter("it's")->ToString(), "PrefixFilter('it''s')");
}

TEST(InclusiveStopFilter, StopsAfterTheRow) {
  TestTable table = TestTable::OfRows({"a", "b", "c", "d"});
  EXPECT_EQ(table.ScanRows(*InclusiveStopFilter("b")), (Rows{"a", "b"}));
  EXPECT_EQ(table.ScanRows(*InclusiveStopFilter("bb")), (Rows{"a", "b"}));
  EXPECT_EQ(table.ScanRows(*InclusiveStopFilter("c"), true), (Rows{"d", "c"}));
  EXPECT_TRUE(table.ScanRows(*InclusiveStopFilter("")).empty());
}

TEST(RowFilter, EveryOperator) {
  TestTable table = TestTable::OfRows({"a", "b", "bb", "c"});
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kLess, "b")), (Rows{"a"}));
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kLessOrEqual, "b")), (Rows{"a", "b"}));
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kEqual, "b")), (Rows{"b"}));
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kNotEqual, "b")), (Rows{"a", "bb", "c"}));
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kGreaterOrEqual, "b")), (Rows{"b", "bb", "c"}));
  EXPECT_EQ(table.ScanRows(*RowIs(CompareOp::kGreater, "b")), (Rows{"bb", "c"}));
  EXPECT_TRUE(table.ScanRows(*RowIs(CompareOp::kNoOp, "b")).empty());
  EXPECT_EQ(table.ScanRows(*RowFilter(CompareOp::kGreater, BinaryPrefixComparator("b"))), (Rows{"c"}));
  EXPECT_EQ(table.ScanRows(*RowFilter(CompareOp::kEqual, SubstringComparator("B"))), (Rows{"b", "bb"}));
  EXPECT_TRUE(table.ScanRows(*RowFilter(CompareOp::kEqual, NullComparator())).empty());
  EXPECT_EQ(table.ScanRows(*RowFilter(CompareOp::kNotEqual, NullComparator())).size(), 4u);
  EXPECT_EQ(RowIs(CompareOp::kLessOrEqual, "abc")->ToString(), "RowFilter(<=,'binary:abc')");
}

TEST(PageFilter, CountsRowsThatReachItsEnd) {
  TestTable table = TestTable::OfRows(AToI());
  EXPECT_EQ(table.ScanRows(*Page(2)), (Rows{"a", "b"}));
  EXPECT_EQ(table.ScanRows(*Page(2), true), (Rows{"i", "h"}));
  EXPECT_TRUE(table.ScanRows(*Page(0)).empty());
  EXPECT_EQ(ErrorOf(PageFilter(-1)), "must be positive -1");
  // d is dropped by its row key and not counted. HBase returns e and g from the regions a-c, d-f and g-i.
  EXPECT_EQ(TestTable::OfRows({"d", "e", "f"}).ScanRows(*All({Page(1), RowIs(CompareOp::kGreaterOrEqual, "e")})),
            (Rows{"e"}));
  EXPECT_EQ(TestTable::OfRows({"g", "h", "i"}).ScanRows(*All({Page(1), RowIs(CompareOp::kGreaterOrEqual, "e")})),
            (Rows{"g"}));
  EXPECT_EQ(table.ScanRows(*One({Page(1), PrefixFilter("b")})), (Rows{"a", "b"}));
}

TEST(KeyFilters, FirstKeyAndKeyOnly) {
  TestTable table({{"r", "f:a@2", "new"}, {"r", "f:a@1", "old"}, {"r", "f:b", "x"}, {"s", "f:c", "y"}});
  EXPECT_EQ(table.Scan(*FirstKeyOnlyFilter(), {.versions = 5}), (Rows{"r/a@2", "s/c@1"}));
  EXPECT_EQ(table.Scan(*KeyOnlyFilter(), {}), (Rows{"r/a@2-", "r/b@1-", "s/c@1-"}));
  Cell cell{.value = "12345", .tags = "t"};
  Result storage;
  KeyOnlyFilter(true)->NewState(false)->TransformCell(&cell, &storage);
  EXPECT_EQ(cell.value, BigEndian<uint32_t>(5));
  EXPECT_TRUE(cell.tags.empty());
}

TEST(SingleColumnValueFilter, ObservedTable) {
  TestTable table({{"r1", "f:a@2", "new"},
                   {"r1", "f:a@1", "old"},
                   {"r1", "f:b@1", "x"},
                   {"r2", "f:a@1", "new"},
                   {"r2", "g:c@1", "x"},
                   {"r3", "f:b@1", "x"},
                   {"r4", "f:a@3", "old"},
                   {"r4", "f:a@1", "new"},
                   {"r4", "f:z@1", "x"}});
  auto rows = [&](bool missing, bool latest) {
    return table.Scan(*SingleColumnValueFilter({"f", "a", CompareOp::kEqual, BinaryComparator("new"), missing, latest}),
                      {});
  };
  EXPECT_EQ(rows(false, true), (Rows{"r1/a@2", "r1/b@1", "r2/a@1", "r2/c@1", "r3/b@1"}));
  EXPECT_EQ(rows(false, false), (Rows{"r1/a@2", "r1/b@1", "r2/a@1", "r2/c@1", "r3/b@1", "r4/a@3", "r4/z@1"}));
  EXPECT_EQ(rows(true, true), (Rows{"r1/a@2", "r1/b@1", "r2/a@1", "r2/c@1"}));
  EXPECT_EQ(rows(true, false), (Rows{"r1/a@2", "r1/b@1", "r2/a@1", "r2/c@1", "r4/a@3", "r4/z@1"}));
  FilterPtr if_missing =
      SingleColumnValueFilter({.family = "f", .comparator = NullComparator(), .filter_if_missing = true});
  auto state = if_missing->NewState(false);
  EXPECT_TRUE(state->IsFamilyEssential("f"));
  EXPECT_FALSE(state->IsFamilyEssential("g"));
  EXPECT_EQ(SingleColumnValueFilter({"f", "q", CompareOp::kEqual, BinaryComparator("v"), true, false})->ToString(),
            "SingleColumnValueFilter('f','q',=,'binary:v',true,false)");
}

TEST(MultiRowRangeFilter, MergesAsHBaseDoes) {
  auto text = [](std::vector<RowRange> ranges) { return Ranges(std::move(ranges))->ToString(); };
  EXPECT_EQ(text({{"b", true, "c", false}, {"a", true, "b", false}}), "MultiRowRangeFilter('a',true,'c',false)");
  EXPECT_EQ(text({{"a", true, "b", false}, {"b", false, "c", false}}),
            "MultiRowRangeFilter('a',true,'b',false,'b',false,'c',false)");
  EXPECT_EQ(text({{"a", true, "z", false}, {"b", true, "c", true}}), "MultiRowRangeFilter('a',true,'z',false)");
  EXPECT_EQ(text({{"a", true, "c", false}, {"b", true, "c", true}}), "MultiRowRangeFilter('a',true,'c',true)");
  EXPECT_EQ(text({{"a", true, "", false}, {"b", true, "c", true}}), "MultiRowRangeFilter('a',true,'',false)");
  EXPECT_EQ(text({{"a", false, "b", true}, {"a", true, "c", false}}), "MultiRowRangeFilter('a',false,'c',false)");
  TestTable table = TestTable::OfRows(AToI());
  EXPECT_TRUE(table.ScanRows(*Ranges({{"b", false, "b", true}})).empty());
  FilterPtr two = Ranges({{"b", false, "d", true}, {"g", true, "h", false}});
  EXPECT_EQ(table.ScanRows(*two), (Rows{"c", "d", "g"}));
  EXPECT_EQ(table.ScanRows(*two, true), (Rows{"g", "d", "c"}));
  EXPECT_EQ(ErrorOf(MultiRowRangeFilter({})), "No ranges found.");
  EXPECT_EQ(ErrorOf(MultiRowRangeFilter({{"b", true, "a", false}, {"c", true, "c", false}})),
            "2 invaild ranges.\nInvalid range: start row => b, stop row => a\nInvalid range: start row => c, stop row "
            "=> c\n");
}

// Masks as sent over the wire for the key "a?x" or its processed form, with the rows "a", "a2x", "b2x" and "a?x".
TEST(FuzzyRowFilter, MasksOfTheWire) {
  auto rows = [](const std::string& key, const std::string& mask, bool v2) {
    return TestTable::OfRows({"a", "a2x", "a?x", "b2x"}).ScanRows(*FuzzyRowFilterFromWire({{key, mask}}, v2).value());
  };
  const std::string processed("a\0x", 3);
  const std::string raw("\0\x01\0", 3);
  const Rows matching = {"a", "a2x", "a?x"};
  const Rows all = {"a", "a2x", "a?x", "b2x"};
  EXPECT_EQ(rows("a?x", raw, false), matching);
  EXPECT_EQ(rows("a?x", raw, true), matching);
  EXPECT_EQ(rows(processed, std::string("\xff\0\xff", 3), false), matching);
  EXPECT_EQ(rows(processed, "\xff\x02\xff", false), matching);
  EXPECT_EQ(rows(processed, "\xff\x02\xff", true), matching);
  EXPECT_EQ(rows(processed, std::string("\xff\0\xff", 3), true), (Rows{"a"}));  // read as all fixed
  EXPECT_EQ(rows("a?x", std::string(3, '\0'), false), all);                     // HBASE-15676
  EXPECT_EQ(rows("a?x", std::string(3, '\0'), true), (Rows{"a", "a?x"}));
  EXPECT_EQ(rows("", "", true), all);
  EXPECT_NE(ErrorOf(FuzzyRowFilterFromWire({{"a", "\x07"}}, true)).find("\\x07"), std::string::npos);
}

TEST(FuzzyRowFilter, RowsOfEveryLength) {
  TestTable table = TestTable::OfRows({"a", "a2", "a2x", "a2xx", "a2y", "b2x", "c\xff\xff", "\xff"});
  EXPECT_EQ(table.ScanRows(*Fuzzy({"a?x"})), (Rows{"a", "a2", "a2x", "a2xx"}));
  EXPECT_EQ(table.ScanRows(*Fuzzy({"a?x"}), true), (Rows{"a2xx", "a2x", "a2", "a"}));
  EXPECT_EQ(table.ScanRows(*Fuzzy({"?2x"})), (Rows{"a", "a2", "a2x", "a2xx", "b2x", "\xff"}));
  EXPECT_EQ(table.ScanRows(*Fuzzy({"?2x", "c\xff"})), (Rows{"a", "a2", "a2x", "a2xx", "b2x", "c\xff\xff", "\xff"}));
  EXPECT_EQ(Fuzzy({"a?x", "b"})->ToString(), "FuzzyRowFilter('a?x','b')");
  EXPECT_EQ(ErrorOf(FuzzyRowFilter({{"ab", "c"}})), "Fuzzy pair lengths do not match: {ab,c}");
  EXPECT_EQ(ErrorOf(FuzzyRowFilter({})), "No fuzzy keys found.");
}

TEST(FilterList, MergesCodes) {
  using enum ReturnCode;
  const std::vector<ReturnCode> codes = {kInclude, kIncludeAndNextCol, kIncludeAndSeekNextRow, kSkip,
                                         kNextCol, kNextRow,           kSeekNextUsingHint};
  const ReturnCode all[7][7] = {
      {kInclude, kIncludeAndNextCol, kIncludeAndSeekNextRow, kSkip, kNextCol, kNextRow, kSeekNextUsingHint},
      {kIncludeAndNextCol, kIncludeAndNextCol, kIncludeAndSeekNextRow, kNextCol, kNextCol, kNextRow,
       kSeekNextUsingHint},
      {kIncludeAndSeekNextRow, kIncludeAndSeekNextRow, kIncludeAndSeekNextRow, kNextRow, kNextRow, kNextRow,
       kSeekNextUsingHint},
      {kSkip, kNextCol, kNextRow, kSkip, kNextCol, kNextRow, kSeekNextUsingHint},
      {kNextCol, kNextCol, kNextRow, kNextCol, kNextCol, kNextRow, kSeekNextUsingHint},
      {kNextRow, kNextRow, kNextRow, kNextRow, kNextRow, kNextRow, kSeekNextUsingHint},
      {kSeekNextUsingHint, kSeekNextUsingHint, kSeekNextUsingHint, kSeekNextUsingHint, kSeekNextUsingHint,
       kSeekNextUsingHint, kSeekNextUsingHint}};
  const ReturnCode one[7][7] = {
      {kInclude, kInclude, kInclude, kInclude, kInclude, kInclude, kInclude},
      {kInclude, kIncludeAndNextCol, kIncludeAndNextCol, kInclude, kIncludeAndNextCol, kIncludeAndNextCol, kInclude},
      {kInclude, kIncludeAndNextCol, kIncludeAndSeekNextRow, kInclude, kIncludeAndNextCol, kIncludeAndSeekNextRow,
       kInclude},
      {kInclude, kInclude, kInclude, kSkip, kSkip, kSkip, kSkip},
      {kInclude, kIncludeAndNextCol, kIncludeAndNextCol, kSkip, kNextCol, kNextCol, kSkip},
      {kInclude, kIncludeAndNextCol, kIncludeAndSeekNextRow, kSkip, kNextCol, kNextRow, kSkip},
      {kInclude, kInclude, kInclude, kSkip, kSkip, kSkip, kSeekNextUsingHint}};
  for (size_t i = 0; i < codes.size(); ++i) {
    for (size_t j = 0; j < codes.size(); ++j) {
      EXPECT_EQ(MergeAll(codes[i], codes[j]), all[i][j]) << i << " " << j;
      EXPECT_EQ(MergeOne(codes[i], codes[j]), one[i][j]) << i << " " << j;
    }
  }
}

TEST(FilterList, RowsAndTransforms) {
  TestTable table = TestTable::OfRows(AToI());
  EXPECT_EQ(table.ScanRows(*All({})), AToI());
  EXPECT_EQ(table.ScanRows(*One({})), AToI());
  EXPECT_EQ(table.ScanRows(*All({RowIs(CompareOp::kGreater, "b"), RowIs(CompareOp::kLess, "e")})), (Rows{"c", "d"}));
  EXPECT_EQ(table.ScanRows(*One({PrefixFilter("b"), Fuzzy({"h"})})), (Rows{"b", "h"}));
  EXPECT_EQ(table.ScanRows(*One({PrefixFilter("b"), Fuzzy({"h"})}), true), (Rows{"h", "b"}));
  EXPECT_EQ(table.ScanRows(*All({One({PrefixFilter("b"), PrefixFilter("c")}), Page(1)})), (Rows{"b"}));
  EXPECT_EQ(table.Scan(*One({KeyOnlyFilter(), RowIs(CompareOp::kEqual, "a")}), {}).front(), "a/q@1-");
  EXPECT_EQ(table.Scan(*One({RowIs(CompareOp::kEqual, "a"), PrefixFilter("b")}), {}), (Rows{"a/q@1", "b/q@1"}));
  EXPECT_EQ(All({PrefixFilter("a"), One({Page(1), FirstKeyOnlyFilter()})})->ToString(),
            "(PrefixFilter('a') AND (PageFilter(1) OR FirstKeyOnlyFilter()))");
}

// MUST_PASS_ALL takes the furthest hint, MUST_PASS_ONE the nearest.
TEST(FilterList, Hints) {
  Cell cell{.row = "a", .family = "f", .qualifier = "q"};
  auto hint_of = [&cell](const FilterPtr& filter, bool reversed) {
    auto state = filter->NewState(reversed);
    CellHint hint;
    state->Reset();
    EXPECT_FALSE(state->FilterRowKey(cell.row));
    EXPECT_EQ(state->FilterCell(cell), ReturnCode::kSeekNextUsingHint);
    EXPECT_TRUE(state->NextHint(cell, &hint));
    return hint.row;
  };
  EXPECT_EQ(hint_of(All({PrefixFilter("c"), Ranges({{"e", true, "f", true}})}), false), "e");
  EXPECT_EQ(hint_of(One({PrefixFilter("c"), Ranges({{"e", true, "f", true}})}), false), "c");
  // A row filter before the fuzzy filter drops the row, but the hint is used.
  EXPECT_EQ(hint_of(All({RowIs(CompareOp::kNotEqual, "a"), Fuzzy({"d?"})}), false), "d");
  cell.row = "x";
  EXPECT_EQ(hint_of(All({PrefixFilter("c"), Ranges({{"e", true, "f", false}})}), true), "d");
  EXPECT_EQ(hint_of(One({PrefixFilter("c"), Ranges({{"e", true, "f", false}})}), true), "f");
}

// A member that returned "next column" does not see the rest of the column if another member makes the scan read it.
TEST(FilterList, SkippedCellsDoNotReachAMemberOfOne) {
  TestTable table({{"r", "f:a@2", "new"}, {"r", "f:a@1", "old"}, {"r", "f:b", "x"}});
  EXPECT_EQ(table.Scan(*One({FirstKeyOnlyFilter(), RowIs(CompareOp::kEqual, "zzz")}), {.versions = 5}),
            (Rows{"r/a@2"}));
}

TEST(FilterRows, TellWhatIsExact) {
  auto describe = [](const FilterPtr& filter, bool reversed = false) {
    bool exact = true;
    auto rows = filter->Rows(reversed, &exact);
    return (rows == nullptr ? "unknown" : rows->ToString()) + (exact ? " exact" : "");
  };
  EXPECT_EQ(describe(PrefixFilter("ab")), "[ab,ac) exact");
  EXPECT_EQ(describe(PrefixFilter("")), "all exact");
  EXPECT_EQ(describe(InclusiveStopFilter("b")), "[,b] exact");
  EXPECT_EQ(describe(InclusiveStopFilter("b"), true), "[b,) exact");
  EXPECT_EQ(describe(RowIs(CompareOp::kNotEqual, "b")), "[,b)+[b\\x00,) exact");
  EXPECT_EQ(describe(RowFilter(CompareOp::kEqual, SubstringComparator("b"))), "unknown");
  EXPECT_EQ(describe(Fuzzy({"a?c"})), "a?c exact");
  EXPECT_EQ(describe(Page(1)), "unknown");
  EXPECT_EQ(describe(KeyOnlyFilter()), "unknown");
  EXPECT_EQ(describe(All({PrefixFilter("a"), Page(1)})), "[a,b)");
  EXPECT_EQ(describe(All({PrefixFilter("a"), Fuzzy({"??c"})})), "[a,b) & ??c exact");
  EXPECT_EQ(describe(All({})), "all exact");
  EXPECT_EQ(describe(One({PrefixFilter("a"), PrefixFilter("c")})), "[a,b)+[c,d) exact");
  EXPECT_EQ(describe(One({PrefixFilter("a"), Page(1)})), "unknown");
  EXPECT_EQ(describe(One({PrefixFilter("a"), All({PrefixFilter("c"), KeyOnlyFilter()})})), "[a,b)+[c,d)");
}

// Jumping by the filter's rows, by its hints, or not at all: the same cells.
TEST(FilterRows, JumpingChangesNothing) {
  Rows rows;
  const std::string letters("a\0b\xff", 4);
  for (char x : letters) {
    rows.push_back(std::string(1, x));
    for (char y : letters) {
      rows.push_back(std::string{x, y});
      for (char z : letters) {
        rows.push_back(std::string{x, y, z});
      }
    }
  }
  TestTable table = TestTable::OfRows(rows);
  std::vector<FilterPtr> leaves = {PrefixFilter("a"),
                                   PrefixFilter("\xff"),
                                   PrefixFilter(std::string("b\0", 2)),
                                   InclusiveStopFilter("ab"),
                                   RowIs(CompareOp::kLess, "b"),
                                   RowIs(CompareOp::kNotEqual, "ab"),
                                   RowIs(CompareOp::kGreaterOrEqual, std::string("a\0", 2)),
                                   RowFilter(CompareOp::kLessOrEqual, BinaryPrefixComparator("\xff")),
                                   RowFilter(CompareOp::kNotEqual, BinaryPrefixComparator("b")),
                                   Fuzzy({"?b"}),
                                   Fuzzy({"a?b"}),
                                   Fuzzy({"\xff?", "??b"}),
                                   Fuzzy({std::string("?\0a", 3), "b"}),
                                   Ranges({{"a", false, "ab", true}, {"b", true, "ba", false}}),
                                   Page(3),
                                   FirstKeyOnlyFilter(),
                                   RowFilter(CompareOp::kEqual, SubstringComparator("ab"))};
  std::vector<FilterPtr> filters = leaves;
  for (const FilterPtr& a : leaves) {
    for (const FilterPtr& b : leaves) {
      filters.push_back(All({a, b}));
      filters.push_back(One({a, b}));
      filters.push_back(All({One({a, b}), leaves[9]}));
      filters.push_back(One({All({a, b}), leaves[0]}));
    }
  }
  int checked = 0;
  for (const FilterPtr& filter : filters) {
    for (bool reversed : {false, true}) {
      Rows plain = table.Scan(*filter, {.reversed = reversed, .follow_hints = false});
      ASSERT_EQ(table.Scan(*filter, {.reversed = reversed}), plain)
          << filter->ToString() << " by hints, reversed " << reversed;
      ASSERT_EQ(table.Scan(*filter, {.reversed = reversed, .use_rows = true}), plain)
          << filter->ToString() << " by rows, reversed " << reversed;
      ++checked;
    }
  }
  printf("[  cases   ] %d filters\n", checked);
}

}  // namespace
}  // namespace klip::filter
