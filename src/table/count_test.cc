// CountRows compared with counting the rows of Scan, on random histories; and when the files alone suffice.
#include "engine/read/row_scanner.h"
#include "engine/store/views.h"
#include "klip/cancel.h"
#include "klip/filter.h"
#include "table/embedded_connection.h"
#include "table/random_history_test.h"

namespace klip::table {
namespace {

class CountTest : public RandomHistoryTest {
 protected:
  CountTest() : RandomHistoryTest(7) {}

  int64_t Brute(const Scan& scan) {
    int64_t rows = 0;
    const auto scanner = table_->Scan(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result result;
    for (Expected<bool> more = (*scanner)->Next(&result); *more; more = (*scanner)->Next(&result)) {
      rows += result.has_more_cells_in_row() ? 0 : 1;
    }
    return rows;
  }

  int64_t Count(const Scan& scan) {
    const Expected<int64_t> rows = table_->CountRows(scan);
    EXPECT_TRUE(rows.ok()) << rows.status().ToString();
    return rows.ok() ? *rows : -1;
  }

  // The count from the files alone; -1: they do not suffice.
  int64_t Known(const Scan& scan = {}) {
    const engine::Store& store = static_cast<EmbeddedConnection&>(*connection_).store();
    return engine::KnownRowCount(store, *store.views().GetTable("t").value(), scan).value_or(-1);
  }

  std::string Row() override {
    std::string row(1, static_cast<char>('a' + Pick(3)));
    row += Chance(10) ? std::string("\0x", 2) : std::to_string(Pick(40));
    return row;
  }
  std::string Qualifier() override { return "q" + std::to_string(Pick(4)); }

  Scan RandomFilteredScan() {
    Scan scan = RandomScan();
    if (Chance(20)) {
      scan.columns = {{"f", Qualifier()}};
    }
    scan.raw = scan.columns.empty() && Chance(10);
    scan.filter = Chance(40) ? RandomFilter() : nullptr;
    return scan;
  }

  // The first three become rows to jump to.
  FilterPtr RandomFilter() {
    switch (Pick(4)) {
      case 0:
        return PrefixFilter("b");
      case 1:
        return *MultiRowRangeFilter(
            {{.start = "a1", .stop = "a3"}, {.start = "b", .stop = "b25", .include_stop = true}});
      case 2:
        return *FuzzyRowFilter({{"a1", std::string("\1\0", 2)}});
      default:
        return QualifierFilter(CompareOp::kEqual, BinaryComparator("q1"));
    }
  }
};

TEST_F(CountTest, IsWhatScansReturnOnRandomHistories) {
  int known = 0;
  int unknown = 0;
  for (int history = 0; history < 20; ++history) {
    deletes_ = history % 2 == 0;
    CreateRandomTable(/*two_families=*/Chance(15));
    for (int step = 0; step < 12; ++step) {
      MakeChanges();
      if (Chance(20)) {
        ASSERT_TRUE(admin().MajorCompact("t").ok());
      }
      if (Chance(10)) {
        (void)admin().Split("t", Row());  // fails if a region starts there already
      }
      const std::string where = std::to_string(history) + "/" + std::to_string(step);
      ExpectSame([&] { return Brute({}); }, [&] { return Count({}); }, where);
      if (const int64_t rows = Known(); rows >= 0) {
        ++known;
        EXPECT_EQ(rows, Brute({})) << where;
      } else {
        ++unknown;
      }
      for (int i = 0; i < 6; ++i) {
        const Scan scan = RandomFilteredScan();
        ExpectSame([&] { return Brute(scan); }, [&] { return Count(scan); }, where + "/" + std::to_string(i));
      }
    }
    DropTable();
  }
  EXPECT_GT(known, 5);
  EXPECT_GT(unknown, 20);
}

TEST_F(CountTest, FilesTellOnlyWhenNothingIsHiddenOrElsewhere) {
  Create("t", {Family("f")});
  const auto flush = [&] { ASSERT_TRUE(admin().Flush("t").ok()); };
  PutOne("a", "f:x", "1", 5);
  PutOne("a", "f:y", "1", 6);
  PutOne("b", "f:x", "1", 7);
  EXPECT_EQ(Known(), -1);  // in memory
  flush();
  EXPECT_EQ(Known(), 2);
  EXPECT_EQ(Known({.time_range = {5, 8}}), 2);
  EXPECT_EQ(Known({.time_range = {6, 8}}), -1);
  EXPECT_EQ(Known({.time_range = {0, 7}}), -1);
  EXPECT_EQ(Known({.start_row = "a"}), -1);
  EXPECT_EQ(Known({.columns = {{"f", "x"}}}), -1);
  EXPECT_EQ(Known({.columns = {{"f"}}}), -1);
  PutOne("b", "f:y", "1", 8);
  PutOne("c", "f:x", "1", 9);
  EXPECT_EQ(Known(), -1);
  flush();
  EXPECT_EQ(Known(), 3);  // "b" ends one file and begins the other
  PutOne("bb", "f:x", "1", 9);
  flush();
  EXPECT_EQ(Known(), -1);  // within another file
  ASSERT_TRUE(admin().MajorCompact("t").ok());
  EXPECT_EQ(Known(), 4);
  EXPECT_TRUE(table_->Delete(Delete{.row = "z"}).ok());
  flush();
  EXPECT_EQ(Known(), -1);
  EXPECT_EQ(Count({}), 4);
  ASSERT_TRUE(admin().MajorCompact("t").ok());
  EXPECT_EQ(Known(), 4);
  EXPECT_TRUE(table_->Put(Put{.row = "z", .ttl_ms = 100}.Add("f", "x", "1")).ok());
  flush();
  EXPECT_EQ(Known(), -1);
  EXPECT_EQ(Count({}), 5);
  now_ms_ += 200;
  EXPECT_EQ(Count({}), 4);
}

TEST_F(CountTest, ThreadsCountPiecesOfALargeTable) {
  Create("t", {Family("f")});
  std::vector<Put> puts;
  for (int i = 0; i < 20000; ++i) {
    puts.push_back(Put{.row = "r" + std::to_string(100000 + i)}
                       .Add("f", "x", std::string(50, static_cast<char>('a' + i % 7)))
                       .Add("f", "y", "1"));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  ASSERT_TRUE(admin().Flush("t").ok());
  ASSERT_TRUE(table_->Delete(Delete{.row = "r100005"}).ok());
  for (const int threads : {1, 2, 4}) {
    EXPECT_EQ(Count({.threads = threads}), 19999);
    EXPECT_EQ(Count({.start_row = "r100100", .stop_row = "r119900", .threads = threads}), 19800);
    EXPECT_EQ(Count({.reversed = true, .threads = threads}), 19999);
  }
  EXPECT_EQ(table_->CountRows({.columns = {{"no"}}, .threads = 2}).status().code(), Code::kNoSuchColumnFamily);
  const CancelToken token = CancelToken::New();
  token.Cancel();
  const CancelScope scope(token);
  EXPECT_EQ(table_->CountRows({.threads = 2}).status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace klip::table
