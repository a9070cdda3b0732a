// Scenario A7: the same data in a second table (date and domain -> user), consistent with the base table. tests/crash
// checks them after a kill -9.
#include <algorithm>
#include <atomic>
#include <thread>

#include "acceptance/store_test.h"

namespace klip::acceptance {
namespace {

class IndexTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    base_ = Create({.name = "visits", .families = {{.name = "d"}}});
    index_ = Create({.name = "by_date", .families = {{.name = "u"}}});
  }

  // Adds or moves a visit with its index row.
  Expected<bool> Visit(const std::string& user, const std::string& date, const std::string& old_date) {
    AtomicBatch batch;
    RowCondition unchanged =
        old_date.empty() ? RowCondition::IfNotExists("d", "date") : RowCondition::IfEquals("d", "date", old_date);
    batch.conditions.push_back({"visits", user, unchanged});
    batch.steps.push_back({"visits", Put{.row = user}.Add("d", "date", date)});
    batch.steps.push_back({"by_date", Put{.row = date + user}.Add("u", "", "")});
    if (!old_date.empty()) {
      batch.steps.push_back({"by_date", Delete{.row = old_date + user}});
    }
    return connection_->Apply(batch);
  }

  void ExpectInStep() {
    std::vector<std::string> wanted;
    Expected<std::unique_ptr<ResultScanner>> scanner = base_->Scan({});
    ASSERT_TRUE(scanner.ok());
    Result row;
    while (*(*scanner)->Next(&row)) {
      wanted.push_back(std::string(*row.Value("d", "date")) + std::string(row.row()));
    }
    std::ranges::sort(wanted);
    EXPECT_EQ(Rows(*index_, {}), wanted);
  }

  std::unique_ptr<Table> base_;
  std::unique_ptr<Table> index_;
};

TEST_F(IndexTest, MovesBothOrNeither) {
  EXPECT_TRUE(*Visit("alice", "20140628", ""));
  EXPECT_TRUE(*Visit("bob", "20140628", ""));
  EXPECT_FALSE(*Visit("alice", "20140629", ""));          // is there already
  EXPECT_FALSE(*Visit("alice", "20140630", "20140101"));  // not the date that it has
  ExpectInStep();
  EXPECT_TRUE(*Visit("alice", "20140629", "20140628"));
  ExpectInStep();
  EXPECT_EQ(Rows(*index_, Scan::Prefix("20140628")), std::vector<std::string>{"20140628bob"});
  // An error in any step: nothing is written.
  AtomicBatch broken;
  broken.steps.push_back({"visits", Put{.row = "carol"}.Add("d", "date", "20140701")});
  broken.steps.push_back({"by_date", Put{.row = ""}.Add("u", "", "")});
  EXPECT_FALSE(connection_->Apply(broken).ok());
  broken.steps[1] = {"nosuch", Put{.row = "x"}.Add("u", "", "")};
  EXPECT_FALSE(connection_->Apply(broken).ok());
  ExpectInStep();
  EXPECT_TRUE(base_->Get({.row = "carol"})->empty());
  base_.reset();
  index_.reset();
  Open();
  base_ = Use("visits");
  index_ = Use("by_date");
  ExpectInStep();
}

TEST_F(IndexTest, ConcurrentMovesStayInStep) {
  for (int user = 0; user < 5; ++user) {
    ASSERT_TRUE(*Visit("user" + std::to_string(user), "10000", ""));
  }
  std::atomic<int> moved{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 60; ++i) {
        const std::string user = "user" + std::to_string((i + thread) % 5);
        Expected<Result> now = base_->Get({.row = user});
        const std::string date(now->Value("d", "date").value_or(""));
        Expected<bool> done = Visit(user, std::to_string(10001 + thread * 1000 + i), date);
        ASSERT_TRUE(done.ok()) << done.status().ToString();
        moved += *done ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GT(moved, 60);
  ExpectInStep();
}

}  // namespace
}  // namespace klip::acceptance
