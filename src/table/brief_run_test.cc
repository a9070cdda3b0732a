// Explain runs a scan for a moment: what is rare is then known, and is not estimated.
#include <gtest/gtest.h>

#include "engine/read/read_costs.h"
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class BriefRunTest : public TableTest {
 protected:
  // 10,000 users with a row each, and between them one with 3 rows and one with 30,000.
  BriefRunTest() {
    Create("t", {Family("f")}, {{std::string(RowKeySchema::kTableAttribute), "user:u32 day:u32"}});
    for (int user = 0; user < 10'000; ++user) {
      Add(user, user * 7919 % 1000);
    }
    for (int day = 0; day < 3; ++day) {
      Add(20'000, day * 300);
    }
    for (int day = 0; day < 30'000; ++day) {
      Add(30'000, day);
    }
    EXPECT_TRUE(table_->Put(puts_).ok());
    EXPECT_TRUE(admin().Flush("t").ok());
    auto& connection = static_cast<EmbeddedConnection&>(*connection_);
    engine::FixCosts(connection.store(), (*(*connection.FindSlot("t"))->Current())->view,
                     {.seek_us = 2, .far_seek_us = 5, .step_us = 0.25, .short_step_us = 0.25, .return_us = 0.1});
  }

  std::string Key(int user, int day) {
    return *table_->row_key_schema()->Encode({std::to_string(user), std::to_string(day)});
  }
  void Add(int user, int day) { puts_.emplace_back(Put{.row = Key(user, day)}).Add("f", "q", "1"); }

  Scan Where(const std::string& text) {
    Scan scan;
    scan.where = *table_->ParseQuery(text);
    return scan;
  }
  void ExpectExact(const Scan& scan) {
    const PlanCost estimated = table_->Explain(scan)->estimated;
    const auto scanner = *table_->Scan(scan);
    Result row;
    while (*scanner->Next(&row)) {
    }
    const ScanStatistics actual = scanner->statistics();
    EXPECT_EQ(estimated.rows_returned, static_cast<double>(actual.rows_returned)) << scan.where->ToString();
    EXPECT_EQ(estimated.rows_read, static_cast<double>(actual.rows_read)) << scan.where->ToString();
    EXPECT_EQ(estimated.seeks, static_cast<double>(actual.seeks)) << scan.where->ToString();
  }

  std::vector<Put> puts_;
};

TEST_F(BriefRunTest, RareRowsAreCounted) {
  for (const char* const where : {"user=20000", "user=20000 day=300", "user=25000", "user=4000..4100",
                                  "user=20000 OR user=17", "user=30000 day=100..180", "user>=30000 day=20000,20007"}) {
    ExpectExact(Where(where));
  }
}

TEST_F(BriefRunTest, AScanThatSoonReachesItsLimitIsCounted) {
  for (const char* const where : {"day=0..499", "user>=30000 day!=7", "NOT (day=200..800)"}) {
    Scan scan = Where(where);
    scan.limit_rows = 150;
    ExpectExact(scan);
  }
}

TEST_F(BriefRunTest, DeletedRowsAreNot) {
  ASSERT_TRUE(table_->Delete(Delete{.row = Key(20'000, 300)}).ok());
  EXPECT_EQ(table_->Explain(Where("user=20000"))->estimated.rows_returned, 2);
}

TEST_F(BriefRunTest, OthersAreEstimated) {
  EXPECT_NEAR(table_->Explain(Where("user=30000"))->estimated.rows_returned, 30'000, 3000);
  Scan limited = Where("user=30000");
  limited.limit_rows = 5;
  EXPECT_EQ(table_->Explain(limited)->estimated.rows_returned, 5);
}

// No stretch of 256 rows shows these 400 of 40,000, but they are where the range says.
TEST_F(BriefRunTest, ARangeIsNotRefutedByRowsElsewhere) {
  for (int user = 500; user < 9000; user += 500) {
    const std::string where = "user=" + std::to_string(user) + ".." + std::to_string(user + 1199);
    const double estimated = table_->Explain(Where(where))->estimated.rows_returned;
    EXPECT_GT(estimated, 600) << where;
    EXPECT_LT(estimated, 2400) << where;
  }
}

}  // namespace
}  // namespace klip::table
