// Scans on several threads give what one thread gives, in the same order.
#include <string>
#include <thread>

#include "klip/filter.h"
#include "table/embedded_table.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class ParallelScanTest : public TableTest {
 protected:
  // 40,000 rows of about 100 bytes in several files.
  ParallelScanTest() {
    Create("p", {Family("f")}, {{"KLIP_ROW_KEY", "user:digits(4) day:digits(2)"}});
    std::vector<Put> puts;
    for (int user = 0; user < 400; ++user) {
      for (int day = 0; day < 100; ++day) {
        const std::string row = BigRow(user, day);
        std::string value;
        for (int i = 0; i < 8; ++i) {
          value += std::to_string(std::hash<std::string>()(row + std::to_string(i)));
        }
        puts.push_back(Put{.row = row}.Add("f", "a", value).Add("f", "b", row));
      }
      if (user % 100 == 99) {
        EXPECT_TRUE(table_->Put(puts).ok());
        EXPECT_TRUE(admin().Flush("p").ok());
        puts.clear();
      }
    }
  }

  static std::string BigRow(int user, int day) {
    return std::to_string(10000 + user).substr(1) + std::to_string(100 + day).substr(1);
  }

  // The results on one thread and on several are the same.
  void ExpectSame(Scan scan) {
    scan.threads = 1;
    const std::string one = RowsText(scan);
    EXPECT_FALSE(one.empty());
    scan.threads = 3;
    EXPECT_TRUE(RowsText(scan) == one);
    const auto scanner = table_->Scan(scan);
    EXPECT_EQ((*scanner)->explain().threads, 3);
  }
};

TEST_F(ParallelScanTest, EqualsOneThread) {
  ExpectSame({});
  ExpectSame({.reversed = true});
  ExpectSame({.start_row = "001050", .stop_row = "035020", .include_start = false, .include_stop = true});
  ExpectSame(
      {.start_row = "035020", .stop_row = "001050", .include_start = false, .include_stop = true, .reversed = true});
  ExpectSame({.limit_rows = 20000});
  ExpectSame({.limit_rows = 20000, .batch = 1});
  ExpectSame({.filter = RowFilter(CompareOp::kNotEqual, SubstringComparator("77"))});
  ExpectSame({.where = *table_->row_key_schema()->ParseQuery("day=15..40")});
  ExpectSame({.reversed = true, .where = *table_->row_key_schema()->ParseQuery("day=15,17,19")});
}

TEST_F(ParallelScanTest, CountingFiltersRunOnOneThread) {
  const auto scanner = table_->Scan({.filter = *PageFilter(5), .threads = 3});
  EXPECT_EQ((*scanner)->explain().threads, 1);
  EXPECT_EQ(RowsText({.filter = *PageFilter(2), .threads = 3}), "000000 000001");
}

TEST_F(ParallelScanTest, StopsAnywhere) {
  for (int rows = 0; rows < 20000; rows += 1777) {
    const auto scanner = table_->Scan({.threads = 4});
    ASSERT_TRUE(scanner.ok());
    Result row;
    for (int i = 0; i < rows; ++i) {
      ASSERT_TRUE(*(*scanner)->Next(&row));
    }
    EXPECT_EQ((*scanner)->statistics().rows_returned, rows);
    EXPECT_GE((*scanner)->statistics().rows_read, rows);
  }
}

TEST_F(ParallelScanTest, OpenScannersHoldNoThreads) {
  std::vector<std::unique_ptr<ResultScanner>> open;
  Result row;
  for (int i = 0; i < 100; ++i) {
    open.push_back(*table_->Scan({.threads = 2}));
    EXPECT_TRUE(*open.back()->Next(&row));
  }
  ExpectSame({.start_row = "0100"});
}

// Only the thread that calls Next runs its watch, and only during the call, though workers read on.
TEST_F(ParallelScanTest, PausesAndEndsAsAdvised) {
  const auto advised = [this](int pause_after, int end_after, std::string* rows) {
    bool waits = false;
    int asked = 0;
    int pauses = 0;
    const auto watch = [&, thread = std::this_thread::get_id()](std::string_view) {
      EXPECT_TRUE(waits && std::this_thread::get_id() == thread);
      ++asked;
      return asked == end_after         ? engine::ScanAdvice::kEnd
             : asked % pause_after == 0 ? engine::ScanAdvice::kPause
                                        : engine::ScanAdvice::kGoOn;
    };
    const auto scanner =
        static_cast<EmbeddedTable*>(table_.get())
            ->Scan({.filter = RowFilter(CompareOp::kNotEqual, SubstringComparator("77")), .threads = 3}, watch);
    Result row;
    waits = true;
    Expected<bool> more = (*scanner)->Next(&row);
    for (; more.ok() && *more; more = (*scanner)->Next(&row)) {
      pauses += row.empty() ? 1 : 0;
      *rows += row.empty() ? std::string() : std::string(row.row()) + " ";
      waits = false;
      std::this_thread::yield();
      waits = true;
    }
    EXPECT_GT(pauses, 0);
    return more.status();
  };
  std::string all;
  EXPECT_TRUE(advised(2, -1, &all).ok());
  std::string expected;
  for (int user = 0; user < 400; ++user) {
    for (int day = 0; day < 100; ++day) {
      const std::string row = BigRow(user, day);
      expected += row.find("77") == std::string::npos ? row + " " : "";
    }
  }
  EXPECT_TRUE(all == expected);
  std::string some;
  EXPECT_EQ(advised(2, 5, &some).code(), Code::kCancelled);
  EXPECT_TRUE(expected.starts_with(some));
}

// Rows that change while the scan is read are as they were at its beginning, also in pieces that it has not yet opened.
TEST_F(ParallelScanTest, ShowsOneMoment) {
  const std::string before = RowsText({.threads = 1});
  const auto scanner = table_->Scan({.threads = 2});
  Result row;
  ASSERT_TRUE(*(*scanner)->Next(&row));
  std::string seen(row.row());
  for (int user = 0; user < 400; ++user) {
    ASSERT_TRUE(table_->Delete(Delete{.row = BigRow(user, 7)}).ok());
    ASSERT_TRUE(table_->Put(Put{.row = BigRow(user, 8) + "x"}.Add("f", "a", "new")).ok());
  }
  while (*(*scanner)->Next(&row)) {
    seen += " " + std::string(row.row());
  }
  EXPECT_TRUE(seen == before);
}

TEST_F(ParallelScanTest, StatisticsAddUp) {
  const auto scanner = table_->Scan({.threads = 4});
  Result row;
  while (*(*scanner)->Next(&row)) {
  }
  EXPECT_EQ((*scanner)->statistics().rows_returned, 40000);
  EXPECT_EQ((*scanner)->statistics().rows_read, 40000);
  EXPECT_EQ((*scanner)->explain().actual->rows_returned, 40000);
}

TEST_F(ParallelScanTest, ErrorsComeThrough) {
  EXPECT_NE(RowsText({.columns = {{"nof"}}, .threads = 4}).find("NoSuchColumnFamily"), std::string::npos);
}

}  // namespace
}  // namespace klip::table
