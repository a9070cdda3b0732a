#include "klip/transaction.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "klip/bytes.h"
#include "klip/index.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class TransactionTest : public TableTest {
 protected:
  TransactionTest() {
    options_.clock_ms = nullptr;  // the row clock orders writes of one row
    Open();
    Create("t", {Family("f", 3)});
  }

  void Begin(const TransactionOptions& options = {}) {
    Expected<std::unique_ptr<Transaction>> begun = connection_->Begin(options);
    ASSERT_TRUE(begun.ok()) << begun.status().ToString();
    transaction_ = *std::move(begun);
    in_ = *transaction_->GetTable("t");
  }
  std::string Commit() { return std::string(CodeName(transaction_->Commit().code())); }

  static std::string Read(Table* table, std::string row, std::string qualifier = "a") {
    const Expected<Result> got = table->Get({.row = std::move(row)});
    if (!got.ok()) {
      return std::string(CodeName(got.status().code()));
    }
    const Cell* cell = got->Find("f", qualifier);
    return cell == nullptr ? "-" : std::string(cell->value);
  }
  static std::string Rows(Table* table, const Scan& scan = {}) {
    const auto scanner = table->Scan(scan);
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    std::string text;
    Result row;
    for (Expected<bool> more = (*scanner)->Next(&row); more.ok() && *more; more = (*scanner)->Next(&row)) {
      text += std::string(row.row()) + "=";
      for (const Cell& cell : row) {
        text += std::string(cell.value) + ",";
      }
      text += " ";
    }
    return text;
  }
  static klip::Put A(std::string row, std::string value) {
    return klip::Put{.row = std::move(row)}.Add("f", "a", std::move(value));
  }
  std::string PutIn(std::string row, std::string value) {
    return in_->Put(A(std::move(row), std::move(value))).ToString();
  }

  std::unique_ptr<Transaction> transaction_;
  std::unique_ptr<Table> in_;
};

TEST_F(TransactionTest, ReadsItsOwnWritesAndOthersSeeThemWithTheCommit) {
  PutOne("r1", "f:a", "old");
  Begin();
  EXPECT_EQ(PutIn("r1", "new"), "ok");
  EXPECT_EQ(PutIn("r2", "more"), "ok");
  EXPECT_EQ(Read(in_.get(), "r1"), "new");
  EXPECT_EQ(Rows(in_.get()), "r1=new, r2=more, ");
  EXPECT_EQ(Rows(table_.get()), "r1=old, ");
  EXPECT_EQ(Commit(), "Ok");
  EXPECT_EQ(Rows(table_.get()), "r1=new, r2=more, ");
  const Result r1 = *table_->Get({.row = "r1"});
  const Result r2 = *table_->Get({.row = "r2"});
  EXPECT_EQ(r1[0].timestamp_ms, r2[0].timestamp_ms);
}

TEST_F(TransactionTest, SeesTheStoreAsOfItsBegin) {
  PutOne("r1", "f:a", "old");
  Begin();
  PutOne("r1", "f:a", "new");
  PutOne("r2", "f:a", "new");
  EXPECT_EQ(Rows(in_.get()), "r1=old, ");
  EXPECT_EQ(Read(in_.get(), "r1"), "old");
}

TEST_F(TransactionTest, TheFirstCommitOfARowWins) {
  Begin();
  PutIn("r", "mine");
  PutOne("r", "f:a", "theirs");
  const Status status = transaction_->Commit();
  EXPECT_EQ(status.ToString(),
            "TransactionConflict: row 'r' of table 't' was written since the transaction began: run it again");
  EXPECT_EQ(Read(table_.get(), "r"), "theirs");
  EXPECT_EQ(transaction_->Commit().code(), Code::kDoNotRetry);
}

TEST_F(TransactionTest, OtherRowsAreNoConflict) {
  Begin();
  PutIn("r", "mine");
  PutOne("s", "f:a", "theirs");
  EXPECT_EQ(Commit(), "Ok");
}

TEST_F(TransactionTest, RollbackWritesNothing) {
  Begin();
  PutIn("r", "mine");
  transaction_->Rollback();
  EXPECT_EQ(Rows(table_.get()), "");
  EXPECT_EQ(PutIn("r", "mine"), "DoNotRetry: the transaction is over");
}

TEST_F(TransactionTest, WritesOfARowFollowEachOther) {
  PutOne("r", "f:a", "stored");
  Begin();
  EXPECT_EQ(in_->Delete(klip::Delete{.row = "r"}).ToString(), "ok");
  EXPECT_EQ(Read(in_.get(), "r"), "-");
  PutIn("r", "again");
  EXPECT_EQ(Read(in_.get(), "r"), "again");
  PutIn("s", "gone");
  EXPECT_EQ(in_->Delete(klip::Delete{.row = "s"}).ToString(), "ok");
  PutIn("v", "1");
  PutIn("v", "2");
  klip::Delete newest{.row = "v"};
  newest.AddColumn("f", "a");
  EXPECT_EQ(in_->Delete(newest).ToString(), "ok");
  EXPECT_EQ(Rows(in_.get()), "r=again, ");
  EXPECT_EQ(Commit(), "Ok");
  EXPECT_EQ(Rows(table_.get()), "r=again, ");
}

TEST_F(TransactionTest, CountersCount) {
  klip::Increment two{.row = "n"};
  two.Add("f", "a", 2);
  EXPECT_TRUE(table_->Increment(two).ok());
  Begin();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(in_->Increment(two).ok());
  }
  const Result last = *in_->Increment(two);
  EXPECT_EQ(ReadBigEndian<uint64_t>(last[0].value.data()), 10u);
  EXPECT_EQ(Commit(), "Ok");
  const Result all = *table_->Get({.row = "n", .max_versions = kAllVersions});
  ASSERT_EQ(all.size(), 2u);  // one of the transaction, one from before
  EXPECT_EQ(ReadBigEndian<uint64_t>(all[0].value.data()), 10u);
}

TEST_F(TransactionTest, SavepointsTakeBackWhatCameAfterThem) {
  Begin();
  PutIn("r", "1");
  const int64_t first = *transaction_->Savepoint();
  PutIn("r", "2");
  PutIn("s", "2");
  const int64_t second = *transaction_->Savepoint();
  const auto open = in_->Scan({});
  EXPECT_EQ(transaction_->RollbackTo(first).ToString(), "ok");
  EXPECT_EQ(Rows(in_.get()), "r=1, ");
  EXPECT_EQ(transaction_->RollbackTo(second).code(), Code::kInvalidArgument);
  PutIn("u", "3");
  Result row;
  EXPECT_TRUE(*(*open)->Next(&row));  // an open scan stays valid, whatever it shows
  EXPECT_EQ(Commit(), "Ok");
  EXPECT_EQ(Rows(table_.get()), "r=1, u=3, ");
}

TEST_F(TransactionTest, AScanDoesNotMeetWhatIsWrittenAfterItBegan) {
  PutOne("r1", "f:a", "x");
  Begin();
  PutIn("r2", "x");
  const auto scanner = in_->Scan({});
  Result row;
  int rows = 0;
  while (*(*scanner)->Next(&row)) {
    PutIn("r3" + std::to_string(rows), "x");
    ++rows;
  }
  EXPECT_EQ(rows, 2);
}

TEST_F(TransactionTest, CompactionsKeepWhatItSees) {
  for (int i = 0; i < 5; ++i) {
    PutOne("r", "f:a", std::to_string(i), 1000 + i);
  }
  Begin();
  for (int i = 5; i < 10; ++i) {
    PutOne("r", "f:a", std::to_string(i), 1000 + i);
  }
  EXPECT_EQ(table_->Delete(klip::Delete{.row = "s"}).ToString(), "ok");
  EXPECT_EQ(admin().Flush("t").ToString(), "ok");
  EXPECT_EQ(admin().MajorCompact("t").ToString(), "ok");
  EXPECT_EQ(Read(in_.get(), "r"), "4");
  transaction_->Rollback();
  EXPECT_EQ(admin().MajorCompact("t").ToString(), "ok");
  const Result all = *table_->Get({.row = "r", .max_versions = kAllVersions});
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(TransactionTest, EndsByItself) {
  Begin({.max_age_ms = 0});
  for (Status status; status.ok();) {
    status = in_->Get({.row = "r"}).status();
    if (!status.ok()) {
      EXPECT_EQ(status.code(), Code::kTimedOut);
    }
  }
  EXPECT_EQ(Commit(), "TimedOut");
}

// The machine's clock is set: a transaction lives as long as it promised, and sees what it saw.
TEST_F(TransactionTest, OutlivesJumpsOfTheClock) {
  constexpr int64_t kYearMs = int64_t{365} * 24 * 3600 * 1000;
  options_.clock_ms = [this] { return now_ms_.load(); };
  now_ms_ += 2 * kYearMs;
  Open();
  Create("u", {{.name = "f", .ttl_s = 60}});
  ASSERT_TRUE((*connection_->GetTable("u"))->Put(A("r", "1")).ok());
  Begin();
  const std::unique_ptr<Table> seen = *transaction_->GetTable("u");
  for (const int64_t by_ms : {kYearMs, -2 * kYearMs, 3 * kYearMs}) {
    now_ms_ += by_ms;
    EXPECT_EQ(admin().MajorCompact("u").ToString(), "ok");
    EXPECT_EQ(Read(seen.get(), "r"), "1") << by_ms;
  }
  EXPECT_EQ(Read((*connection_->GetTable("u")).get(), "r"), "-");
  EXPECT_EQ(Commit(), "Ok");
}

TEST_F(TransactionTest, TablesThatWereMadeAnewAreAConflict) {
  Begin();
  PutIn("r", "mine");
  EXPECT_EQ(admin().DisableTable("t").ToString(), "ok");
  EXPECT_EQ(admin().DeleteTable("t").ToString(), "ok");
  Create("t", {Family("f")});
  EXPECT_EQ(Commit(), "TransactionConflict");
}

// Each transaction reads what the other one writes: no serial order would give this result.
TEST_F(TransactionTest, SnapshotsSkewAndSerializableOnesDoNot) {
  for (const IsolationLevel isolation : {IsolationLevel::kSnapshot, IsolationLevel::kSerializable}) {
    PutOne("x", "f:a", "1");
    PutOne("y", "f:a", "1");
    const auto one = *connection_->Begin({.isolation = isolation});
    const auto two = *connection_->Begin({.isolation = isolation});
    const auto in_one = *one->GetTable("t");
    const auto in_two = *two->GetTable("t");
    EXPECT_EQ(Read(in_one.get(), "x"), "1");
    EXPECT_EQ(Read(in_two.get(), "y"), "1");
    EXPECT_TRUE(in_one->Put(A("y", "0")).ok());
    EXPECT_TRUE(in_two->Put(A("x", "0")).ok());
    EXPECT_EQ(one->Commit().ToString(), "ok");
    EXPECT_EQ(
        two->Commit().ToString(),
        isolation == IsolationLevel::kSnapshot
            ? "ok"
            : "TransactionConflict: row 'y' of table 't', which it has read, was written since the transaction began: "
              "run it again");
  }
}

TEST_F(TransactionTest, ASerializableOneMeetsNoPhantoms) {
  struct Case {
    Scan scan;
    std::string_view written;
    bool conflict;
  };
  Scan range{.start_row = "b", .stop_row = "d"};
  Scan prefix{.filter = PrefixFilter("c")};
  Scan reversed{.start_row = "d", .stop_row = "b", .reversed = true};
  for (const Case& one :
       {Case{range, "c", true}, Case{range, "d", false}, Case{range, "b", true}, Case{range, "a", false},
        Case{prefix, "cc", true}, Case{prefix, "bc", false}, Case{reversed, "c", true}, Case{reversed, "d", true},
        Case{reversed, "b", false}, Case{{}, "z", true}}) {
    Begin({.isolation = IsolationLevel::kSerializable});
    Rows(in_.get(), one.scan);
    PutIn("mine", "x");
    PutOne(std::string(one.written), "f:a", "x");
    EXPECT_EQ(Commit(), one.conflict ? "TransactionConflict" : "Ok") << one.written;
    EXPECT_TRUE(table_->Delete(klip::Delete{.row = std::string(one.written)}).ok());
  }
}

// A condition that did not hold is a read, too.
TEST_F(TransactionTest, ASerializableConditionThatDoesNotHoldIsARead) {
  Begin({.isolation = IsolationLevel::kSerializable});
  const CheckAndMutate check = {.row = "r", .condition = RowCondition::IfEquals("f", "a", "x"), .action = A("r", "y")};
  EXPECT_FALSE(in_->CheckAndMutate(check)->success);
  PutIn("s", "x");
  PutOne("r", "f:a", "x");
  EXPECT_EQ(Commit(), "TransactionConflict");
}

// Loads and their rows are in no log of commits.
TEST_F(TransactionTest, ALoadIsAConflictWithAllThatWasReadOrIsWritten) {
  Create("u", {Family("f")});
  Use("t");
  const auto load = [this] {
    auto loader = *connection_->NewBulkLoader("t");
    EXPECT_TRUE(loader->Add(A("loaded", "x")).ok());
    EXPECT_EQ(loader->Finish().ToString(), "ok");
  };
  struct Use {
    const char* name;
    std::function<void()> act;
    bool is_read = true;
  };
  const std::vector<Use> uses = {
      {"get", [this] { Read(in_.get(), "other"); }},
      {"exists", [this] { EXPECT_TRUE(in_->Exists({.row = "other"}).ok()); }},
      {"scan", [this] { Rows(in_.get(), {.start_row = "y", .stop_row = "z"}); }},
      {"count", [this] { EXPECT_TRUE(in_->CountRows({.start_row = "y", .stop_row = "z"}).ok()); }},
      {"increment", [this] { EXPECT_TRUE(in_->Increment({.row = "n", .columns = {{"f", "n", 1}}}).ok()); }, false},
      {"put", [this] { PutIn("loaded", "mine"); }, false},
  };
  for (const Use& use : uses) {
    for (const IsolationLevel isolation : {IsolationLevel::kSnapshot, IsolationLevel::kSerializable}) {
      load();
      Begin({.isolation = isolation});
      EXPECT_TRUE((*transaction_->GetTable("u"))->Put(A("r", "x")).ok());
      use.act();
      load();
      const Status status = transaction_->Commit();
      const bool conflict = isolation == IsolationLevel::kSerializable || !use.is_read;
      EXPECT_EQ(status.code(), conflict ? Code::kTransactionConflict : Code::kOk) << use.name << status.ToString();
      EXPECT_EQ(Read(Handle("u").get(), "r"), conflict ? "-" : "x") << use.name;
      EXPECT_TRUE(Handle("u")->Delete({.row = "r"}).ok());
    }
  }
  Begin({.isolation = IsolationLevel::kSerializable});
  const auto in_u = *transaction_->GetTable("u");
  Read(in_u.get(), "r");
  EXPECT_TRUE(in_u->Put(A("r", "x")).ok());
  load();
  EXPECT_EQ(Commit(), "Ok") << "it has not read that table";
}

// Beyond so many rows, the whole table counts as read.
TEST_F(TransactionTest, ASerializableOneRemembersAllRowsThatItReads) {
  Begin({.isolation = IsolationLevel::kSerializable});
  for (int i = 0; i <= 100'000; ++i) {
    Read(in_.get(), std::to_string(i));
  }
  PutIn("mine", "x");
  PutOne("17", "f:a", "x");
  EXPECT_EQ(Commit(), "TransactionConflict");
}

TEST_F(TransactionTest, WhatASavepointTakesBackWasReadNevertheless) {
  Begin({.isolation = IsolationLevel::kSerializable});
  const int64_t savepoint = *transaction_->Savepoint();
  Read(in_.get(), "r");
  EXPECT_TRUE(transaction_->RollbackTo(savepoint).ok());
  PutIn("mine", "x");
  PutOne("r", "f:a", "x");
  EXPECT_EQ(Commit(), "TransactionConflict");
}

TEST_F(TransactionTest, HasALimitOfBytes) {
  Begin({.max_bytes = 10'000});
  EXPECT_EQ(PutIn("r", std::string(5'000, 'x')), "ok");
  EXPECT_EQ(PutIn("s", std::string(5'000, 'x')),
            "DoNotRetry: the transaction writes more than 10000 bytes (TransactionOptions::max_bytes)");
  EXPECT_EQ(Read(in_.get(), "s"), "-");
  EXPECT_EQ(PutIn("s", "x"), "ok");
  EXPECT_EQ(Commit(), "Ok");
  EXPECT_EQ(Read(table_.get(), "s"), "x");
}

// Its entries are not in the transaction's view.
TEST_F(TransactionTest, AnIndexMadeSinceItsBeginIsAConflict) {
  Begin();
  EXPECT_TRUE((*admin().indexes())->CreateIndex("t", *IndexDescriptor::Parse("i", "f:a text")).ok());
  EXPECT_EQ(Read(in_.get(), "r"), "TransactionConflict");
}

TEST_F(TransactionTest, ASerializableOneThatOnlyReadsAlwaysCommits) {
  Begin({.isolation = IsolationLevel::kSerializable});
  Rows(in_.get());
  PutOne("r", "f:a", "x");
  EXPECT_EQ(Commit(), "Ok");
}

}  // namespace
}  // namespace klip::table
