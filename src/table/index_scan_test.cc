// Scans whose filters an index answers: same results as on a table with the same rows and no index.
#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "klip/cancel.h"
#include "klip/filter.h"
#include "klip/index.h"
#include "table/info/table_index.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

FilterPtr ColumnFilter(std::string qualifier, CompareOp op, std::string value, bool prefix = false,
                       bool if_missing = true) {
  return SingleColumnValueFilter({.family = "f",
                                  .qualifier = std::move(qualifier),
                                  .op = op,
                                  .comparator = prefix ? BinaryPrefixComparator(value) : BinaryComparator(value),
                                  .filter_if_missing = if_missing});
}

class IndexScanTest : public TableTest {
 protected:
  // "t" has the indexes, "plain" the same rows.
  void Fill(const std::map<std::string, std::string>& indexes, int rows) {
    std::map<std::string, std::string> attributes = {{"KLIP_ROW_KEY", "k:digits(2) r:text"}};
    Create("plain", {Family("f", 3)}, attributes);
    for (const auto& [name, text] : indexes) {
      attributes["KLIP_INDEX$" + name] = text;
    }
    Create("t", {Family("f", 3)}, attributes);
    plain_ = Handle("plain");
    std::vector<klip::Put> puts;
    for (int i = 0; i < rows; ++i) {
      klip::Put put = {.row = std::to_string(10 + i % 7) + "r" + std::to_string(i)};
      if (Pick(8) != 0) {
        put.Add("f", "text", Text(), 1 + Pick(3));
      }
      if (Pick(4) != 0) {
        put.Add("f", "u", BigEndian<uint16_t>(static_cast<uint16_t>(Pick(60))));
      }
      if (Pick(4) != 0) {
        put.Add("f", "i", BigEndian<int32_t>(Pick(60) - 30));
      }
      put.Add("f", "fixed", std::string(1, static_cast<char>('a' + Pick(20))));
      put.Add("f", "on", std::to_string(Pick(2)));
      puts.push_back(put);
      put.columns.resize(1);
      put.columns[0].timestamp_ms = 2;
      put.columns[0].value = put.columns[0].qualifier == "text" ? Text() : put.columns[0].value;
      puts.push_back(put);  // another version of the first column, or the same
    }
    ASSERT_TRUE(table_->Put(puts).ok());
    ASSERT_TRUE(plain_->Put(puts).ok());
  }

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string Text() {
    std::string text;
    for (int i = Pick(4); i > 0; --i) {
      text += std::string_view("ab\x01\xFF")[static_cast<size_t>(Pick(4))];
    }
    return text;
  }

  FilterPtr RandomColumnFilter() {
    constexpr CompareOp kOps[] = {CompareOp::kEqual,       CompareOp::kEqual,   CompareOp::kLess,
                                  CompareOp::kLessOrEqual, CompareOp::kGreater, CompareOp::kGreaterOrEqual,
                                  CompareOp::kNotEqual};
    const CompareOp op = kOps[Pick(7)];
    const bool prefix = op == CompareOp::kEqual && Pick(3) == 0;
    switch (Pick(5)) {
      case 0:
        return ColumnFilter("u", op, BigEndian<uint16_t>(static_cast<uint16_t>(Pick(70))).substr(0, Pick(3)), prefix);
      case 1:
        return ColumnFilter("i", op, BigEndian<int32_t>(Pick(70) - 35), prefix);
      case 2:
        return ColumnFilter("fixed", op, std::string(static_cast<size_t>(Pick(3)), static_cast<char>('a' + Pick(20))),
                            prefix);
      case 3:
        return ColumnFilter("on", op, "1", prefix);
      default:
        return ColumnFilter("text", op, Pick(5) == 0 ? std::string("a\0b", 3) : Text(), prefix, Pick(4) != 0);
    }
  }
  FilterPtr RandomFilter() {
    std::vector<FilterPtr> filters;
    for (int i = Pick(3); i >= 0; --i) {
      filters.push_back(Pick(4) == 0
                            ? FilterList(ListOperator::kMustPassOne, {RandomColumnFilter(), RandomColumnFilter()})
                            : RandomColumnFilter());
    }
    if (Pick(8) == 0) {
      filters = {ColumnFilter("i", CompareOp::kEqual, BigEndian<int32_t>(Pick(60) - 30)),
                 ColumnFilter("on", CompareOp::kEqual, "1")};
    }
    switch (Pick(8)) {
      case 0:
        filters.push_back(PrefixFilter("12"));
        break;
      case 1:
        filters.push_back(*PageFilter(3));
        break;
      case 2:
        filters.push_back(QualifierFilter(CompareOp::kGreater, BinaryComparator("f")));
        break;
      case 3:
        filters.push_back(*TimestampsFilter({1, 2}));
        break;
      default:
        break;
    }
    if (Pick(2) == 0) {
      std::swap(filters.front(), filters.back());
    }
    return FilterList(Pick(6) == 0 ? ListOperator::kMustPassOne : ListOperator::kMustPassAll, std::move(filters));
  }
  klip::Scan RandomScan() {
    klip::Scan scan = {.filter = RandomFilter()};
    scan.reversed = Pick(4) == 0;
    if (Pick(3) == 0) {
      scan.start_row = scan.reversed ? "15" : "11r2";
      scan.stop_row = scan.reversed ? "11r2" : "15";
      scan.include_stop = Pick(2) == 0;
    }
    scan.limit_rows = Pick(4) == 0 ? 2 : 0;
    scan.batch = Pick(5) == 0 ? 2 : 0;
    scan.max_versions = Pick(4) == 0 ? kAllVersions : 1;
    if (Pick(5) == 0) {
      scan.time_range = {1, 3};
    }
    if (Pick(6) == 0) {
      scan.columns = {{"f", "text"}, {"f", "u"}};
    }
    scan.threads = Pick(4) == 0 ? 2 : 1;
    return scan;
  }

  static std::string TagsOf(Table& table, const Scan& scan) {
    const auto scanner = *table.Scan(scan);
    std::string tags;
    Result row;
    while (*scanner->Next(&row)) {
      for (const Cell& cell : row) {
        tags += " " + ToStringBinary(cell.tags);
      }
    }
    return tags;
  }

  std::mt19937_64 random_{7};
  std::unique_ptr<Table> plain_;
};

TEST_F(IndexScanTest, ResultsAreThoseOfATableWithoutIndexes) {
  Fill({{"text", "f:text text"},
        {"u", "f:u u16 desc, f:i i32"},
        {"fixed", "f:fixed text(2)"},
        {"key", "f:u u16, key.k"},
        {"part", "f:i i32 WHERE f:on = 1"}},
       300);
  std::map<std::string, int> used;
  for (int i = 0; i < 3000; ++i) {
    const klip::Scan scan = RandomScan();
    ASSERT_EQ(ScanText(*table_, scan), ScanText(*plain_, scan)) << ToStringBinary(scan.filter->ToString());
    ++used[table_->Explain(scan)->index];
    if (i % 100 == 0) {  // rows come and go, and change their values
      klip::Put put = {.row = "12r" + std::to_string(Pick(300))};
      put.Add("f", "text", Text());
      const klip::Delete del = {.row = "13r" + std::to_string(Pick(300))};
      for (Table* const table : {table_.get(), plain_.get()}) {
        ASSERT_TRUE(table->Put(put).ok());
        ASSERT_TRUE(table->Delete(del).ok());
      }
    }
  }
  for (const char* index : {"", "text", "u", "fixed", "key", "part"}) {
    EXPECT_GT(used[index], 5) << index;
  }
}

// More than those whose reading is planned.
TEST_F(IndexScanTest, ManyFoundRowsAreThoseOfATableWithoutIndexes) {
  Fill({{"text", "f:text text"}, {"u", "f:u u16 desc, f:i i32"}, {"fixed", "f:fixed text(2)"}}, 3000);
  int many = 0;
  for (int i = 0; i < 500; ++i) {
    klip::Scan scan = RandomScan();
    const std::string rows = ScanText(*plain_, scan);
    for (const std::string index : {"index text", "index u", "index fixed"}) {
      scan.plan = index;
      if (const auto scanner = table_->Scan(scan); scanner.ok()) {  // otherwise no condition fits the index
        many += (*scanner)->statistics().entries_read > 256 ? 1 : 0;
        ASSERT_EQ(ScanText(*table_, scan), rows) << index << ": " << ToStringBinary(scan.filter->ToString());
      }
    }
  }
  EXPECT_GT(many, 10);
}

// Rows that lack an optional column have entries, so that conditions on some of the columns suffice.
TEST_F(IndexScanTest, OptionalColumnsNeedNoCondition) {
  Fill({{"text_u", "f:text text, f:u u16 desc optional"},
        {"i_fixed", "f:i i32 optional, f:fixed text(2) optional INCLUDE f:i, f:u"},
        {"key_u", "key.k, f:u u16 optional, f:text text optional"},
        {"part", "f:i i32 optional, f:u u16 optional WHERE f:on = 1"}},
       300);
  std::map<std::string, int> used;
  for (int i = 0; i < 3000; ++i) {
    klip::Scan scan = RandomScan();
    const std::string expected = ScanText(*plain_, scan);
    const std::vector<Explain::Candidate> plans = table_->Explain(scan)->candidates;
    for (const Explain::Candidate& plan : plans) {
      scan.plan = plan.Name();
      const std::string found = plan.index.empty() ? expected : ScanText(*table_, scan);
      if (!found.starts_with("InvalidArgument: no plan")) {
        ASSERT_EQ(found, expected) << scan.plan << ToStringBinary(scan.filter->ToString());
        ++used[plan.index];
      }
    }
    if (Pick(4) == 0) {
      scan = {.filter = ColumnFilter(Pick(2) == 0 ? "i" : "u", CompareOp::kGreater, BigEndian<uint16_t>(58)),
              .order_by_index = "i_fixed"};
      const std::string ordered = ScanText(*table_, scan);
      scan.order_by_index.clear();
      ASSERT_EQ(std::ranges::count(ordered, '\n'), std::ranges::count(ScanText(*plain_, scan), '\n'));
    }
    if (i % 100 == 0) {
      klip::Put put = {.row = "12r" + std::to_string(Pick(300))};
      put.Add("f", "text", Text());
      const klip::Delete del = klip::Delete{.row = "13r" + std::to_string(Pick(300))}.AddColumns("f", "u");
      for (Table* const table : {table_.get(), plain_.get()}) {
        ASSERT_TRUE(table->Put(put).ok());
        ASSERT_TRUE(table->Delete(del).ok());
      }
    }
  }
  for (const char* index : {"", "text_u", "i_fixed", "key_u", "part"}) {
    EXPECT_GT(used[index], 5) << index;
  }
}

TEST_F(IndexScanTest, ExplainNamesTheIndex) {
  Fill({{"text", "f:text text"}}, 100);
  EXPECT_TRUE(table_->Put(klip::Put{.row = "10x"}.Add("f", "text", "rare")).ok());
  const klip::Scan scan = {.filter = ColumnFilter("text", CompareOp::kEqual, "rare")};
  EXPECT_EQ(table_->Explain(scan)->index, "text");
  EXPECT_TRUE(table_->Explain(scan)->ToText().starts_with("range of 't' by 'text'\n"));
  const Expected<std::unique_ptr<ResultScanner>> rows = table_->Scan(scan);
  Result row;
  ASSERT_TRUE((*rows)->Next(&row).ok());
  EXPECT_EQ(row.row(), "10x");
  EXPECT_FALSE(*(*rows)->Next(&row));
  EXPECT_LE((*rows)->statistics().rows_read, 2);
  EXPECT_EQ(table_->Explain({.filter = ColumnFilter("text", CompareOp::kEqual, "rare", false, false)})->index, "");
  EXPECT_EQ(table_->Explain({.filter = ColumnFilter("fixed", CompareOp::kEqual, "a")})->index, "");
}

TEST_F(IndexScanTest, ExplainNamesHistoryForScansOfThePast) {
  Fill({{"now", "f:text text"}, {"past", "f:text text HISTORY"}}, 100);
  EXPECT_TRUE(table_->Put(klip::Put{.row = "10x"}.Add("f", "text", "rare", 5)).ok());
  EXPECT_TRUE(table_->Put(klip::Put{.row = "10x"}.Add("f", "text", "other", 6)).ok());
  klip::Scan scan = {.time_range = {0, 6}, .filter = ColumnFilter("text", CompareOp::kEqual, "rare")};
  EXPECT_EQ(table_->Explain(scan)->index, "past");
  EXPECT_EQ(RowsText(*table_, scan), "10x");
  const std::string text = table_->Explain(scan)->ToText();
  EXPECT_NE(text.find("not index now  the scan sees older versions, of which only an index with HISTORY has entries"),
            std::string::npos)
      << text;
  scan.time_range = {};
  EXPECT_EQ(RowsText(*table_, scan), "");
}

// A condition on the second field jumps to it under each value of the first one, if statistics show that these are few.
TEST_F(IndexScanTest, LeadingFieldsWithoutConditionsAreJumpedOver) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$kind", "f:kind text(1) optional, f:size u32 optional"}});
  std::vector<klip::Put> puts;
  for (uint32_t i = 0; i < 20'000; ++i) {
    klip::Put put = klip::Put{.row = "r" + std::to_string(i)}.Add("f", "size", BigEndian<uint32_t>(i * 7919 % 20'000));
    puts.push_back(i % 4 == 0 ? put : std::move(put).Add("f", "kind", std::string(1, static_cast<char>('a' + i % 4))));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  const klip::Scan scan = {.filter = ColumnFilter("size", CompareOp::kEqual, BigEndian<uint32_t>(77))};
  EXPECT_EQ(table_->Explain(scan)->index, "") << "no statistics";
  ASSERT_TRUE(admin().Flush("t").ok());
  const Explain explain = *table_->Explain(scan);
  EXPECT_EQ(explain.index, "kind") << explain.ToText();
  EXPECT_EQ(explain.kind, PlanKind::kSkipScan) << explain.ToText();
  const auto scanner = *table_->Scan(scan);
  Result row;
  ASSERT_TRUE(*scanner->Next(&row));
  EXPECT_EQ(row.Value("f", "size"), BigEndian<uint32_t>(77));
  EXPECT_FALSE(*scanner->Next(&row));
  EXPECT_LT(scanner->statistics().entries_read, 20);
}

// The entries of a value are in the order of their rows.
TEST_F(IndexScanTest, RangesOfRowsBoundTheEntries) {
  Create("t", {Family("f")}, {{"KLIP_ROW_KEY", "user:digits(4) day:u8"}, {"KLIP_INDEX$city", "f:city text"}});
  std::vector<klip::Put> puts;
  for (int i = 0; i < 20'000; ++i) {
    const std::string city = i % 20 == 0 ? "ulm" : i % 20 == 1 ? "bonn" : std::to_string(i % 40);
    puts.push_back(klip::Put{.row = std::to_string(1000 + i / 4) + static_cast<char>(i % 4)}.Add("f", "city", city));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  ASSERT_TRUE(admin().Flush("t").ok());
  klip::Scan scan = {.start_row = "1100", .stop_row = "1200", .filter = ColumnFilter("city", CompareOp::kEqual, "ulm")};
  const auto explain = [&](const std::string& plan) {
    scan.plan = plan;
    EXPECT_EQ(*table_->CountRows(scan), scan.filter->ToString().find("bonn") == std::string::npos ? 20 : 40);
    return *table_->Explain(scan);
  };
  const Explain one = explain("index city");
  EXPECT_NE(one.ToText().find("entries from 'ulm\\x001100' up to 'ulm\\x001200'"), std::string::npos) << one.ToText();
  EXPECT_LT(one.estimated.entries_read, 60);  // of 1,000
  scan.filter = FilterList(ListOperator::kMustPassOne, {scan.filter, ColumnFilter("city", CompareOp::kEqual, "bonn")});
  const Explain two = explain("index city");
  EXPECT_NE(two.ToText().find("entries from 'bonn\\x001100' up to 'ulm\\x001200'"), std::string::npos) << two.ToText();
  EXPECT_LT(two.estimated.entries_read, 120);
  const auto scanner = *table_->Scan(scan);
  Result row;
  while (*scanner->Next(&row)) {
  }
  EXPECT_LT(scanner->statistics().entries_read, 50);
}

TEST_F(IndexScanTest, AValueThatMostRowsHaveIsNotFetched) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$on", "f:on text"}});
  std::vector<klip::Put> puts;
  for (int i = 0; i < 1000; ++i) {
    puts.push_back(klip::Put{.row = "r" + std::to_string(i)}.Add("f", "on", i % 100 == 0 ? "0" : "1"));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  EXPECT_EQ(table_->Explain({.filter = ColumnFilter("on", CompareOp::kEqual, "0")})->index, "on");
  const Expected<klip::Explain> explain = table_->Explain({.filter = ColumnFilter("on", CompareOp::kEqual, "1")});
  EXPECT_EQ(explain->index, "");
  EXPECT_NE(explain->ToText().find("not index on    has more than 256 rows: reading all is faster"), std::string::npos)
      << explain->ToText();
}

// By default costs, the index would beat a walk over all cells of these rows. But nearly all rows have the value, and reading each of
// them by a seek costs more than walking over all, whatever the costs are.
TEST_F(IndexScanTest, TheFirstExplainChoosesByMeasuredCosts) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$on", "f:on text"}});
  for (int i = 0; i < 1000; ++i) {
    klip::Put put = {.row = "r" + std::to_string(i)};
    put.Add("f", "on", i % 100 == 0 ? "0" : "1");
    for (int cell = 0; cell < 200; ++cell) {
      put.Add("f", std::to_string(cell), "v");
    }
    ASSERT_TRUE(table_->Put(put).ok());
  }
  ASSERT_TRUE(admin().Flush("t").ok());
  const klip::Scan scan = {.filter = ColumnFilter("on", CompareOp::kEqual, "1")};
  const auto by_default = (*table_->Scan(scan))->explain();
  EXPECT_EQ(by_default.index, "on");
  EXPECT_NE(by_default.ToText().find("the scan took its plan by quicker estimates"), std::string::npos)
      << by_default.ToText();
  Open();
  Use("t");
  const Explain first = *table_->Explain(scan);
  EXPECT_EQ(first.index, "") << first.ToText();
  EXPECT_EQ(first.ToText().find("quicker estimates"), std::string::npos) << first.ToText();
}

TEST_F(IndexScanTest, ExplainSaysWhyOthersLost) {
  Fill({{"both", "f:u u16, f:i i32"},
        {"first", "f:u u16"},
        {"twin", "f:u u16 desc"},
        {"part", "f:u u16 WHERE f:on = 1"},
        {"padded", "f:fixed text(2)"},
        {"signed", "f:i i32"}},
       10);
  const FilterPtr u = ColumnFilter("u", CompareOp::kEqual, BigEndian<uint16_t>(7));
  const std::string text = table_->Explain({.filter = u})->ToText();
  for (const char* const why : {"not index both    no condition on f:i, which is not optional",
                                "not index twin    reads ", "its rows have f:on = '1', the scan's need not"}) {
    EXPECT_NE(text.find(why), std::string::npos) << why << "\n" << text;
  }
  EXPECT_EQ(table_->Explain({.filter = u})->index, "first");
  const FilterPtr padded = ColumnFilter("fixed", CompareOp::kGreater, "b");
  EXPECT_NE(
      table_->Explain({.filter = padded})->ToText().find("none of its fields has a condition that its order supports"),
      std::string::npos);
  EXPECT_EQ(table_->Explain({.filter = ColumnFilter("i", CompareOp::kGreater, BigEndian<int32_t>(7))})->index,
            "signed");
  const FilterPtr equal = ColumnFilter("i", CompareOp::kEqual, BigEndian<int32_t>(7));
  const klip::Scan all = {.filter = FilterList(ListOperator::kMustPassAll, {u, equal})};
  EXPECT_EQ(table_->Explain(all)->index, "both");
}

// Bytes of any length are compared, so rows that an index skips match some conditions.
TEST_F(IndexScanTest, RowsThatAnIndexSkipsAreFound) {
  std::map<std::string, std::string> attributes = {{"KLIP_ROW_KEY", "k:digits(2) r:text"}};
  Create("plain", {Family("f", 3)}, attributes);
  attributes["KLIP_INDEX$n"] = "f:n u16 INCLUDE f:n SKIP INVALID";
  attributes["KLIP_INDEX$two"] = "f:n u16 desc, f:text text(2) SKIP INVALID";
  attributes["KLIP_INDEX$upper"] = "upper(f:text) text(2), key.k SKIP INVALID";
  attributes["KLIP_INDEX$part"] = "f:n u16 INCLUDE f:n, f:on WHERE f:on = 1 SKIP INVALID";
  Create("t", {Family("f", 3)}, attributes);
  plain_ = Handle("plain");
  const auto bytes = [&](std::string_view of) {
    std::string out;
    for (int i = Pick(3) == 0 ? Pick(4) : 2; i > 0; --i) {
      out += of[static_cast<size_t>(Pick(static_cast<int>(of.size())))];
    }
    return out;
  };
  std::map<std::string, int> used;
  for (int i = 0; i < 1500; ++i) {
    ++now_ms_;
    klip::Put put = {.row = Pick(9) == 0 ? "1" : std::to_string(10 + Pick(4)) + "r" + std::to_string(Pick(10))};
    put.Add("f", "n", bytes(std::string_view("\0\1\xFF", 3)));
    put.Add("f", Pick(2) == 0 ? "text" : "on", Pick(2) == 0 ? "1" : bytes(std::string_view("ab\0A", 4)));
    const klip::Delete del = klip::Delete{.row = put.row}.AddColumn("f", Pick(2) == 0 ? "n" : "text");
    for (Table* const table : {table_.get(), plain_.get()}) {
      ASSERT_TRUE(table->Put(put).ok());
      ASSERT_TRUE(i % 4 != 0 || table->Delete(del).ok());
    }
    constexpr CompareOp kOps[] = {CompareOp::kEqual, CompareOp::kLess, CompareOp::kGreaterOrEqual};
    std::vector<FilterPtr> filters = {
        ColumnFilter("n", kOps[Pick(3)], bytes(std::string_view("\0\1\xFF", 3)), Pick(4) == 0)};
    if (Pick(4) == 0) {
      const auto one = [&] { return ColumnFilter("n", CompareOp::kEqual, bytes(std::string_view("\0\1\xFF", 3))); };
      filters = {FilterList(ListOperator::kMustPassOne, {one(), one()})};
    }
    if (Pick(2) == 0) {
      filters.push_back(ColumnFilter("text", kOps[Pick(3)], bytes("abA")));
    }
    if (Pick(3) == 0) {
      filters.push_back(ColumnFilter("on", CompareOp::kEqual, "1"));
    }
    klip::Scan scan = {.limit_rows = Pick(3) == 0 ? 1 + Pick(4) : 0,
                       .filter = FilterList(ListOperator::kMustPassAll, filters)};
    scan.reversed = Pick(3) == 0;
    if (filters.size() == 1 && Pick(2) == 0) {
      scan.columns = {{"f", "n"}};
    }
    const std::string rows = ScanText(*plain_, scan);
    ASSERT_EQ(ScanText(*table_, scan), rows) << i << ": " << scan.filter->ToString();
    const Explain explain = *table_->Explain(scan);
    for (const Explain::Candidate& candidate : explain.candidates) {
      scan.plan = candidate.Name();
      if (const std::string forced = ScanText(*table_, scan); !forced.starts_with("InvalidArgument: no plan")) {
        ASSERT_EQ(forced, rows) << i << " by " << scan.plan << ": " << scan.filter->ToString();
        ++used[scan.plan];
      }
    }
  }
  for (const char* const index : {"n", "two", "upper", "part"}) {
    EXPECT_GT(used[std::string("index ") + index], 20) << index;
    const Expected<IndexCheck> check = (*admin().indexes())->VerifyIndex("t", index);
    EXPECT_TRUE(check.ok() && check->ok() && check->stale == 0) << index;
    EXPECT_GT(check->skipped, 0) << index;
  }
}

TEST_F(IndexScanTest, MoreSkippedRowsThanAnIndexMayReadAreFound) {
  Create("t", {Family("f")},
         {{"KLIP_INDEX$n", "f:n u16 SKIP INVALID"}, {"KLIP_INDEX$covers", "f:n u16 INCLUDE f:n SKIP INVALID"}});
  constexpr int kSkippedRows = 3000;  // more than any plan reads for so few entries
  std::vector<klip::Put> puts;
  for (int i = 0; i < kSkippedRows; ++i) {
    puts.push_back(klip::Put{.row = std::to_string(10'000 + i)}.Add("f", "n", i % 100 == 0 ? "ab" : "abc"));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  ASSERT_TRUE(admin().Flush("t").ok());
  klip::Scan scan = {.filter = ColumnFilter("n", CompareOp::kGreaterOrEqual, "ab")};
  for (const bool covered : {false, true}) {
    if (covered) {
      scan.columns = {{"f", "n"}};
    }
    for (const std::string plan : {"", "index n", "index covers"}) {
      scan.plan = plan;
      EXPECT_EQ(*table_->CountRows(scan), kSkippedRows) << plan;
      EXPECT_EQ(1 + std::ranges::count(RowsText(*table_, scan), ' '), kSkippedRows) << plan;
    }
  }
}

// It counts the rows that reach it, including those that a later condition drops.
TEST_F(IndexScanTest, APageIsOfAllRowsThatReachIt) {
  Fill({{"text", "f:text text"}}, 0);
  for (Table* const table : {table_.get(), plain_.get()}) {
    for (const char* const row : {"10a", "10b", "10c", "10d"}) {
      const std::string text = row[2] == 'b' ? "no" : "yes";
      ASSERT_TRUE(table->Put(klip::Put{.row = row}.Add("f", "a", "met before").Add("f", "text", text)).ok());
    }
  }
  const FilterPtr yes = ColumnFilter("text", CompareOp::kEqual, "yes");
  const klip::Scan before = {.filter = FilterList(ListOperator::kMustPassAll, {*PageFilter(2), yes})};
  EXPECT_EQ(RowsText(*plain_, before), "10a");
  EXPECT_EQ(RowsText(*table_, before), "10a");
  const klip::Scan behind = {.filter = FilterList(ListOperator::kMustPassAll, {yes, *PageFilter(2)})};
  EXPECT_EQ(RowsText(*table_, behind), RowsText(*plain_, behind));
}

TEST_F(IndexScanTest, CoveredResultsAreThoseOfATableWithoutIndexes) {
  FamilyDescriptor mortal = Family("g");
  mortal.ttl_s = 3;
  const std::map<std::string, std::string> indexes = {{"KLIP_INDEX$text", "f:text text INCLUDE g:c, f:text, f:u"},
                                                      {"KLIP_INDEX$u", "f:u u16, f:i i32 INCLUDE f:u, f:i, g:c, f:on"},
                                                      {"KLIP_INDEX$part", "f:u u16 INCLUDE f:u, f:on WHERE f:on = 1"}};
  Create("plain", {Family("f", 3), mortal});
  plain_ = Handle("plain");
  Create("t", {Family("f", 3), mortal}, indexes);
  const auto value = [&](const std::string& column) {
    return column == "u"   ? BigEndian<uint16_t>(static_cast<uint16_t>(Pick(6)))
           : column == "i" ? BigEndian<int32_t>(Pick(6) - 3)
                           : std::to_string(Pick(3));
  };
  const std::vector<klip::ColumnSpec> columns = {{"f", "text"}, {"g", "c"}, {"f", "u"}, {"f", "i"}, {"f", "on"}};
  int covered = 0;
  std::map<std::string, int> used;
  for (int i = 0; i < 4000; ++i) {
    klip::Put put = {.row = "r" + std::to_string(10 + Pick(40))};
    put.ttl_ms = Pick(8) == 0 ? 2000 : 0;
    for (int j = Pick(4); j >= 0; --j) {
      const klip::ColumnSpec& column = columns[static_cast<size_t>(Pick(5))];
      put.Add(column.family, *column.qualifier, value(*column.qualifier), now_ms_ - Pick(3) * 500);
    }
    klip::Delete del = {.row = "r" + std::to_string(10 + Pick(40))};
    del.AddColumn("f", Pick(2) == 0 ? "text" : "u", now_ms_ - Pick(3) * 500);
    for (Table* const table : {table_.get(), plain_.get()}) {
      ASSERT_TRUE(table->Put(put).ok() && (i % 5 != 0 || table->Delete(del).ok()));
    }
    now_ms_ += Pick(4) * 50;
    if (i % 500 == 499) {  // both, since a version comes back only where no flush has dropped it
      for (const char* const table : {"t", "plain"}) {
        ASSERT_TRUE(admin().Flush(table).ok() && (i % 1000 == 499 || admin().MajorCompact(table).ok()));
      }
    }
    klip::Scan scan;
    std::vector<FilterPtr> filters;
    const auto add_condition = [&](const std::string& column) {
      constexpr CompareOp kOps[] = {CompareOp::kEqual, CompareOp::kEqual, CompareOp::kLess, CompareOp::kNotEqual,
                                    CompareOp::kGreater};
      filters.push_back(ColumnFilter(column, kOps[Pick(5)], value(column), false, Pick(8) != 0));
    };
    switch (Pick(4)) {
      case 0:
        scan.columns = {{"f", "u"}, {"f", "text"}, {"g", "c"}};
        add_condition("text");
        break;
      case 1:
        scan.columns = {{"g", "c"}, {"f", "on"}, {"f", "i"}, {"f", "u"}};
        add_condition("u");
        add_condition("i");
        break;
      case 2:
        scan.columns = {{"f", "u"}, {"f", "on"}};
        add_condition("u");
        filters.push_back(ColumnFilter("on", CompareOp::kEqual, "1"));
        break;
      default:
        std::ranges::copy_if(columns, std::back_inserter(scan.columns), [&](const auto&) { return Pick(4) != 0; });
        add_condition("u");
        break;
    }
    if (Pick(4) == 0) {
      add_condition("on");
    }
    scan.filter = FilterList(ListOperator::kMustPassAll, filters);
    scan.limit_rows = Pick(4) == 0 ? 2 : 0;
    scan.reversed = Pick(4) == 0;
    if (Pick(3) == 0) {
      scan.start_row = scan.reversed ? "r40" : "r20";
      scan.stop_row = scan.reversed ? "r20" : "r40";
      scan.include_start = Pick(2) == 0;
      scan.include_stop = Pick(2) == 0;
    }
    ASSERT_EQ(ScanText(*table_, scan) + TagsOf(*table_, scan), ScanText(*plain_, scan) + TagsOf(*plain_, scan))
        << "step " << i << ": " << ToStringBinary(scan.filter->ToString());
    const klip::Explain explain = *table_->Explain(scan);
    covered += explain.index_only ? 1 : 0;
    used[explain.index_only ? explain.index : ""] += 1;
  }
  EXPECT_GT(covered, 200);
  for (const char* const index : {"text", "u", "part"}) {
    EXPECT_GT(used[index], 5) << index;
  }
}

TEST_F(IndexScanTest, ACoveredScanReadsNoRow) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$i", "f:a text INCLUDE f:a, f:b"}});
  std::vector<klip::Put> puts;
  for (int i = 0; i < 1000; ++i) {
    puts.push_back(klip::Put{.row = "r" + std::to_string(1000 + i)}.Add("f", "a", i % 100 == 0 ? "x" : "y"));
    puts.back().Add("f", "b", std::to_string(i)).Add("f", "c", "not covered");
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  klip::Scan scan = {.columns = {{"f", "a"}, {"f", "b"}}};
  scan.filter = ColumnFilter("a", CompareOp::kEqual, "x");
  scan.limit_rows = 2;
  EXPECT_EQ(ScanText(scan), "r1000{f:a@1000000=x f:b@1000000=0} r1100{f:a@1000000=x f:b@1000000=100}");
  EXPECT_NE(table_->Explain(scan)->ToText().find(" by 'i' alone\n"), std::string::npos);
  auto rows = *table_->Scan(scan);
  Result row;
  ASSERT_TRUE(*rows->Next(&row));
  EXPECT_EQ(rows->statistics().entries_read, 2);  // no more than the limit
  EXPECT_EQ(rows->statistics().rows_read, 0);
  scan.columns.push_back({"f", "c"});
  EXPECT_FALSE(table_->Explain(scan)->index_only);
  scan.columns = {{"f", "b"}};  // HBase's filter sees no column that the scan does not name
  EXPECT_EQ(ScanText(scan), "");
  scan.columns = {{"f", "a"}};
  scan.max_versions = 2;
  EXPECT_FALSE(table_->Explain(scan)->index_only);
}

// A row with too many versions is read before the entries, wherever it is.
TEST_F(IndexScanTest, ALimitedCoveredScanStartsWithItsFirstRow) {
  Create("t", {Family("f", 300)}, {{"KLIP_INDEX$i", "f:a text INCLUDE f:a HISTORY"}});
  for (int i = 0; i <= static_cast<int>(kMostCombinations); ++i) {
    ASSERT_TRUE(table_->Put(klip::Put{.row = "z"}.Add("f", "a", std::to_string(i), 1 + i)).ok());
  }
  for (const char* const row : {"z", "a", "b"}) {
    ASSERT_TRUE(table_->Put(klip::Put{.row = row}.Add("f", "a", "x")).ok());
  }
  ASSERT_EQ((*admin().indexes())->ListIndexes("t")->at(0).skipped, 1);
  klip::Scan scan = {.columns = {{"f", "a"}}};
  scan.filter = SingleColumnValueFilter({.family = "f",
                                         .qualifier = "a",
                                         .comparator = BinaryComparator("x"),
                                         .filter_if_missing = true,
                                         .latest_version_only = false});
  scan.plan = "index i";
  EXPECT_TRUE(table_->Explain(scan)->index_only);
  for (const auto& [limit, rows] :
       {std::pair(0, "a b z"), std::pair(1, "a"), std::pair(2, "a b"), std::pair(3, "a b z")}) {
    scan.limit_rows = limit;
    EXPECT_EQ(RowsText(scan), rows) << limit;
  }
}

// Opening a scan reads its entries, and there may be many.
TEST_F(IndexScanTest, ReadingEntriesCanBeCancelled) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$i", "f:a text INCLUDE f:a"}});
  std::vector<klip::Put> puts;
  for (int i = 0; i < 200; ++i) {
    puts.push_back(klip::Put{.row = "r" + std::to_string(i)}.Add("f", "a", "x"));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  klip::Scan scan;
  scan.filter = ColumnFilter("a", CompareOp::kEqual, "x");
  for (const bool covered : {false, true}) {
    scan.columns = covered ? std::vector<klip::ColumnSpec>{{"f", "a"}} : std::vector<klip::ColumnSpec>();
    const CancelScope scope(CancelToken::Asking([asked = 0]() mutable { return ++asked > 100; }));
    EXPECT_EQ(table_->Scan(scan).status().code(), Code::kCancelled) << covered;
  }
}

TEST_F(IndexScanTest, AnOrderIsThatOfTheEntries) {
  Fill({{"num", "f:i i32, f:u u16 desc"}, {"part", "f:text text WHERE f:on = 1"}}, 300);
  const auto rows_of = [&](klip::Scan scan) {
    std::vector<std::string> rows;
    const auto scanner = *table_->Scan(scan);
    Result row;
    while (*scanner->Next(&row)) {
      rows.push_back(std::string(row.row()));
    }
    return rows;
  };
  const auto value = [&](const std::string& row, const char* column) {
    return std::string(table_->Get({.row = row})->Value("f", column).value_or("none"));
  };
  for (int i = 0; i < 200; ++i) {
    klip::Scan scan = {.filter = Pick(3) == 0 ? nullptr : RandomColumnFilter()};
    if (Pick(3) == 0) {
      scan.start_row = "11r2";
      scan.stop_row = "15";
    }
    std::vector<std::tuple<int32_t, int, std::string>> wanted;
    for (const std::string& row : rows_of(scan)) {
      const std::string of_i = value(row, "i");
      const std::string of_u = value(row, "u");
      if (of_i != "none" && of_u != "none") {
        wanted.emplace_back(static_cast<int32_t>(ReadBigEndian<uint32_t>(of_i.data())),
                            -static_cast<int>(ReadBigEndian<uint16_t>(of_u.data())), row);
      }
    }
    std::ranges::sort(wanted);
    scan.reversed = Pick(2) == 0;
    if (scan.reversed) {
      std::ranges::reverse(wanted);
      std::swap(scan.start_row, scan.stop_row);
      std::swap(scan.include_start, scan.include_stop);
    }
    scan.limit_rows = Pick(2) == 0 ? Pick(40) + 1 : 0;
    if (scan.limit_rows > 0 && wanted.size() > static_cast<size_t>(scan.limit_rows)) {
      wanted.resize(static_cast<size_t>(scan.limit_rows));
    }
    std::vector<std::string> in_order;
    for (const auto& one : wanted) {
      in_order.push_back(std::get<2>(one));
    }
    scan.order_by_index = "num";
    ASSERT_EQ(rows_of(scan), in_order) << i;
  }
  klip::Scan part = {.order_by_index = "part"};
  for (const std::string& row : rows_of(part)) {
    EXPECT_EQ(value(row, "on"), "1");
  }
  part.limit_rows = 3;
  const auto few = *table_->Scan(part);
  Result row;
  while (*few->Next(&row)) {
  }
  EXPECT_LE(few->statistics().entries_read, 17);
  for (const klip::Scan& bad : {klip::Scan{.order_by_index = "none"}, klip::Scan{.raw = true, .order_by_index = "num"},
                                klip::Scan{.filter = *PageFilter(3), .order_by_index = "num"}}) {
    EXPECT_EQ(table_->Scan(bad).status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace klip::table
