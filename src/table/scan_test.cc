// Scans: ranges, directions, limits, pieces of rows; scans by key field and filter; explain.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "klip/filter.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class ScanTest : public TableTest {
 protected:
  ScanTest() {
    Create("t", {Family("f", 3), Family("g", 3)});
    for (const char* row : {"a", "b", "c", "d"}) {
      EXPECT_TRUE(
          table_->Put(Put{.row = row, .timestamp_ms = 1}.Add("f", "x", "1").Add("f", "y", "2").Add("g", "z", "3"))
              .ok());
    }
  }
};

TEST_F(ScanTest, Ranges) {
  EXPECT_EQ(RowsText({}), "a b c d");
  EXPECT_EQ(RowsText({.start_row = "b"}), "b c d");
  EXPECT_EQ(RowsText({.start_row = "b", .include_start = false}), "c d");
  EXPECT_EQ(RowsText({.start_row = "b", .stop_row = "d"}), "b c");
  EXPECT_EQ(RowsText({.start_row = "b", .stop_row = "d", .include_stop = true}), "b c d");
  EXPECT_EQ(RowsText({.start_row = "b", .stop_row = "b"}), "");
  EXPECT_EQ(RowsText({.start_row = "b", .stop_row = "b", .include_stop = true}), "b");
  EXPECT_EQ(RowsText({.start_row = "c", .stop_row = "b"}), "");
  EXPECT_EQ(RowsText(Scan::Prefix("b")), "b");
  EXPECT_EQ(RowsText(Scan::Prefix("")), "a b c d");
}

TEST_F(ScanTest, Reversed) {
  EXPECT_EQ(RowsText({.reversed = true}), "d c b a");
  EXPECT_EQ(RowsText({.start_row = "c", .stop_row = "a", .reversed = true}), "c b");
  EXPECT_EQ(RowsText({.start_row = "bb", .reversed = true}), "b a");
  EXPECT_EQ(
      RowsText({.start_row = "c", .stop_row = "a", .include_start = false, .include_stop = true, .reversed = true}),
      "b a");
}

TEST_F(ScanTest, LimitsAndPieces) {
  EXPECT_EQ(RowsText({.limit_rows = 2}), "a b");
  EXPECT_EQ(RowsText({.limit_rows = -1}), "a b c d");
  EXPECT_EQ(ScanText({.limit_rows = 1, .batch = 2}), "a{f:x@1=1 f:y@1=2}+ a{g:z@1=3}");
  EXPECT_EQ(ScanText({.limit_rows = 1, .max_results_per_family = 1, .row_offset_per_family = 1}), "a{f:y@1=2}");
  EXPECT_EQ(ScanText({.limit_rows = 1, .columns = {{"g"}, {"f", "y"}}}), "a{f:y@1=2 g:z@1=3}");
}

// As in HBase, a row may be split despite Spark's filter: its decision at the row's end drops the last piece only.
TEST_F(ScanTest, PiecesOfARowThatAFilterDropsAtItsEnd) {
  const FilterPtr filter = *SparkSQLPushDownFilter({"z != 0", {"3"}, {{"g", "z", "z"}}});
  EXPECT_EQ(ScanText({.limit_rows = 1, .batch = 2, .filter = filter}), "a{f:x@1=1 f:y@1=2}+");
  EXPECT_EQ(ScanText({.stop_row = "b", .filter = filter}), "");
  const FilterPtr other = *SparkSQLPushDownFilter({"z == 0", {"3"}, {{"g", "z", "z"}}});
  EXPECT_EQ(ScanText({.limit_rows = 1, .batch = 2, .filter = other}), "a{f:x@1=1 f:y@1=2}+ a{g:z@1=3}");
}

TEST_F(ScanTest, TimeRanges) {
  PutOne("a", "f:x", "new", 5);
  EXPECT_EQ(ScanText({.limit_rows = 1, .time_range = {2, 9}}), "a{f:x@5=new}");
  EXPECT_EQ(ScanText({.limit_rows = 1, .time_range = {2, 9}, .family_time_ranges = {{"g", {0, 2}}}}),
            "a{f:x@5=new g:z@1=3}");
  EXPECT_EQ(RowsText({.time_range = {5, 2}}).substr(0, 16), "InvalidArgument:");
  EXPECT_EQ(RowsText({.time_range = {-5, 2}}).substr(0, 16), "InvalidArgument:");
}

TEST_F(ScanTest, UnknownFamilyAndTable) {
  const std::string text = RowsText({.columns = {{"nof", "q"}}});
  EXPECT_EQ(text.substr(0, 72), "NoSuchColumnFamily: Column family nof does not exist in region t,,100000");
  EXPECT_EQ(connection_->GetTable("nosuch").status().code(), Code::kTableNotFound);
}

TEST_F(ScanTest, FiltersBecomeJumpsAndTheRestIsEvaluated) {
  EXPECT_EQ(RowsText({.filter = PrefixFilter("c")}), "c");
  EXPECT_EQ(RowsText({.filter = RowFilter(CompareOp::kGreater, BinaryComparator("b"))}), "c d");
  EXPECT_EQ(RowsText({.start_row = "c", .filter = RowFilter(CompareOp::kNotEqual, BinaryComparator("d"))}), "c");
  EXPECT_EQ(RowsText({.filter = *PageFilter(3)}), "a b c");
  const FilterPtr both =
      FilterList(ListOperator::kMustPassAll, {*PageFilter(1), RowFilter(CompareOp::kGreater, BinaryComparator("b"))});
  EXPECT_EQ(RowsText({.filter = both}), "c");
  EXPECT_EQ(
      RowsText({.reversed = true, .filter = *MultiRowRangeFilter({{"a", true, "b", false}, {"c", true, "d", true}})}),
      "d c a");
}

TEST_F(ScanTest, ExplainOfAPlainScanIsMadeOnDemand) {
  const Expected<std::unique_ptr<ResultScanner>> scanner = table_->Scan({.start_row = "b"});
  ASSERT_TRUE(scanner.ok());
  Result row;
  while (*(*scanner)->Next(&row)) {
  }
  const Explain explain = (*scanner)->explain();
  EXPECT_EQ(explain.kind, PlanKind::kRange);
  EXPECT_EQ(explain.table, "t");
  ASSERT_TRUE(explain.actual.has_value());
  EXPECT_EQ(explain.actual->rows_returned, 3);
  EXPECT_EQ(table_->Explain({})->kind, PlanKind::kFullWalk);
}

class KeyFieldScanTest : public TableTest {
 protected:
  KeyFieldScanTest() {
    Create("k", {Family("f")}, {{"KLIP_ROW_KEY", "user:text(4,'*') day:digits(2)"}, {"KLIP_ROW_KEY_ENFORCED", "true"}});
    for (const char* user : {"ann*", "bob*", "carl"}) {
      for (int day = 10; day < 40; ++day) {
        EXPECT_EQ(PutOne(user + std::to_string(day), "f:q", "v"), "ok");
      }
    }
  }
  Scan Where(const std::string& text) { return {.where = *table_->row_key_schema()->ParseQuery(text)}; }
};

// Explain counts rows in memory, which takes too long for a caller that plans a join.
TEST_F(KeyFieldScanTest, EstimatesOfRowsNeedStatistics) {
  EXPECT_EQ(*table_->EstimateRows(Where("day=15")), std::nullopt);
  EXPECT_EQ(table_->Explain(Where("day=15"))->estimated.rows_returned, 3);
  ASSERT_TRUE(admin().Flush("k").ok());
  EXPECT_NEAR(**table_->EstimateRows(Where("day=15")), 3, 0.5);
  EXPECT_EQ(**table_->EstimateRows({}), 90);
}

TEST_F(KeyFieldScanTest, SkipScanPointGetsAndEmptyPlans) {
  EXPECT_EQ(RowsText(Where("day=15")), "ann*15 bob*15 carl15");
  EXPECT_EQ(RowsText(Where("day=15 OR user=bob day=12")), "ann*15 bob*12 bob*15 carl15");
  Scan reversed = Where("day=15,17");
  reversed.reversed = true;
  EXPECT_EQ(RowsText(reversed), "carl17 carl15 bob*17 bob*15 ann*17 ann*15");
  reversed.stop_row = "bob*15";
  reversed.start_row = "carl16";
  EXPECT_EQ(RowsText(reversed), "carl15 bob*17");
  Scan points = Where("user=bob,carl day=10,99,11");
  EXPECT_EQ(table_->Explain(points)->kind, PlanKind::kPointGets);
  EXPECT_EQ(ScanText(points),
            "bob*10{f:q@1000000=v} bob*11{f:q@1000000=v} carl10{f:q@1000000=v} carl11{f:q@1000000=v}");
  points.limit_rows = 3;
  points.reversed = true;
  EXPECT_EQ(RowsText(points), "carl11 carl10 bob*11");
  EXPECT_EQ(RowsText({.where = KeyQuery()}), "");
  EXPECT_EQ(
      RowsText({.filter = RowFilter(CompareOp::kEqual, BinaryComparator("bob*10")), .where = Where("day=15").where}),
      "");
  EXPECT_EQ(
      RowsText({.filter = RowFilter(CompareOp::kNotEqual, SubstringComparator("bob")), .where = Where("day=15").where}),
      "ann*15 carl15");
}

TEST_F(KeyFieldScanTest, StatisticsNameTheFields) {
  EXPECT_TRUE(admin().Flush("k").ok());
  const Expected<TableStatistics> statistics = table_->Statistics();
  ASSERT_TRUE(statistics.ok());
  EXPECT_EQ(statistics->rows, 90);
  ASSERT_EQ(statistics->fields.size(), 2U);
  EXPECT_EQ(statistics->fields[0].name, "user");
  EXPECT_NEAR(statistics->fields[0].distinct_prefixes, 3, 0.5);
  EXPECT_EQ(statistics->fields[1].name, "day");
}

TEST_F(KeyFieldScanTest, EnforcedSchema) {
  const std::string refused = PutOne("dave1x", "f:q", "v");
  EXPECT_EQ(refused.substr(0, 72), "InvalidArgument: row 'dave1x' does not fit the row-key schema of table '");
  EXPECT_FALSE(table_->Delete({.row = "short"}).ok());
}

TEST_F(KeyFieldScanTest, DistinctKeys) {
  PutOne("ann*10", "f:r", "v");
  const auto text = [this](int fields, bool count) {
    std::string out;
    const Expected<std::vector<KeyCount>> counts = table_->DistinctKeys(fields, count);
    if (!counts.ok()) {
      return counts.status().ToString();
    }
    for (const KeyCount& one : *counts) {
      out += (out.empty() ? "" : " ") + one.values[0] + (one.values.size() > 1 ? "/" + one.values[1] : "") + "=" +
             std::to_string(one.rows);
    }
    return out;
  };
  EXPECT_EQ(text(1, false), "ann=0 bob=0 carl=0");
  EXPECT_EQ(text(1, true), "ann=30 bob=30 carl=30");
  EXPECT_EQ(text(2, false).substr(0, 21), "ann/10=0 ann/11=0 ann");
  EXPECT_EQ(text(3, false).substr(0, 16), "InvalidArgument:");
  EXPECT_TRUE(admin().Flush("k").ok());
  EXPECT_EQ(text(1, false), "ann=0 bob=0 carl=0");
}

TEST_F(ScanTest, KeyFieldsNeedASchema) {
  EXPECT_EQ(RowsText({.where = KeyQuery()}).substr(0, 50), "InvalidArgument: table 't' has no row-key schema (");
  EXPECT_FALSE(table_->row_key_schema().has_value());
  EXPECT_EQ(table_->DistinctKeys(1, false).status().code(), Code::kInvalidArgument);
}

TEST_F(ScanTest, FirstAndLastRow) {
  EXPECT_EQ(Show(table_->FirstRow()), "f:x@1=1 f:y@1=2 g:z@1=3");
  EXPECT_EQ(table_->FirstRow()->row(), "a");
  EXPECT_EQ(table_->LastRow()->row(), "d");
  EXPECT_TRUE(table_->Delete({.row = "d"}).ok());
  EXPECT_EQ(table_->LastRow()->row(), "c");
  Create("none", {Family("f")});
  EXPECT_TRUE(table_->FirstRow()->empty());
  EXPECT_TRUE(table_->LastRow()->empty());
}

TEST_F(ScanTest, UnderACancelledToken) {
  const CancelToken token = CancelToken::New();
  const std::vector<Get> gets = {{.row = "a"}};
  const Put put = Put{.row = "a"}.Add("f", "x", "cancelled");
  {
    const CancelScope scope(token);
    EXPECT_TRUE(table_->Get(gets[0]).ok());
    token.Cancel();
    EXPECT_EQ(table_->Get(gets[0]).status().code(), Code::kCancelled);
    EXPECT_EQ(table_->Get(gets).status().code(), Code::kCancelled);
    EXPECT_TRUE(table_->Scan({}).ok());
    EXPECT_EQ(table_->Put(put).code(), Code::kCancelled);
    EXPECT_EQ(table_->Put(std::vector<Put>{put}).code(), Code::kCancelled);
    EXPECT_EQ(table_->Batch(std::vector<Action>{put})[0].status().code(), Code::kCancelled);
    EXPECT_EQ(table_->Prepend({.family = "f", .qualifier = "x", .columns = {{"f", "x", "1"}}}).status().code(),
              Code::kCancelled);
  }
  EXPECT_EQ(RowsText({}), "a b c d");
  EXPECT_EQ(table_->Get(gets[0])->Value("f", "x"), "1");
}

TEST_F(ScanTest, OneCopyIsNeverStale) {
  const Expected<Result> row = table_->Get({.row = "a", .consistency = Consistency::kTimeline, .replica_id = 1});
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->size(), 3U);
  EXPECT_FALSE(row->stale());
}

// The rest of a row is not mistaken for the whole row, whether or not another row is requested.
TEST_F(ScanTest, ARowWhoseEndCannotBeReadIsAnError) {
  constexpr int kRows = 200;  // after the first, rows are read on a shorter path
  FamilyDescriptor family = Family("f");
  family.compression = "NONE";
  Create("damaged", {family});
  for (int i = 0; i < kRows; ++i) {
    const std::string row = std::to_string(1000 + i);
    // The last row ends a block.
    ASSERT_TRUE(table_->Put(Put{.row = row}.Add("f", "a", std::string(i == kRows - 1 ? 20'000 : 1, 'v'))).ok());
  }
  const std::string end = "end-" + std::string(40'000, 'x');  // in a block of its own
  ASSERT_TRUE(table_->Put(Put{.row = std::to_string(1000 + kRows - 1)}.Add("f", "b", end)).ok());
  ASSERT_TRUE(admin().Flush("damaged").ok());
  table_.reset();
  connection_.reset();
  int damaged = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root_)) {
    if (file.path().extension() != ".sst") {
      continue;
    }
    std::ifstream in(file.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    if (const size_t at = bytes.find("end-x"); at != std::string::npos) {
      bytes[at + 10] = 'y';
      std::ofstream(file.path(), std::ios::binary) << bytes;
      ++damaged;
    }
  }
  ASSERT_EQ(damaged, 1);
  Open();
  Use("damaged");
  for (const bool filtered : {false, true}) {
    for (const int64_t limit : {int64_t{kRows}, int64_t{0}}) {
      klip::Scan scan = {.limit_rows = limit};
      if (filtered) {
        scan.filter = KeyOnlyFilter();
      }
      const std::unique_ptr<ResultScanner> rows = *table_->Scan(scan);
      Result row;
      Status status;
      int whole = 0;
      while (status.ok()) {
        const Expected<bool> more = rows->Next(&row);
        status = more.status();
        if (status.ok() && !*more) {
          break;
        }
        whole += status.ok() ? 1 : 0;
      }
      EXPECT_EQ(status.code(), Code::kCorruption) << filtered << limit;
      EXPECT_EQ(whole, kRows - 1) << filtered << limit;
    }
  }
}

}  // namespace
}  // namespace klip::table
