// Indexes that klip's clients maintain on a cluster: here klip serve, which is not involved.
#include <algorithm>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "hbase/admin/index_checker.h"
#include "hbase/index_history.h"
#include "hbase/remote_connection.h"
#include "klip/filter.h"
#include "klip/index.h"
#include "server/raw_client_test.h"

namespace klip::client {
namespace {

class ClientIndexTest : public server::ServerTest {
 protected:
  ClientIndexTest() {
    connection_ = Open();
    EXPECT_EQ(admin()
                  .CreateTable({.name = "t", .families = {{.name = "f", .max_versions = 3}, {.name = "g"}}},
                               std::vector<std::string>{"r050"})
                  .ToString(),
              "ok");
    table_ = *connection_->GetTable("t");
  }

  std::unique_ptr<Connection> Open() {
    auto opened = Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    dynamic_cast<RemoteConnection&>(**opened).indexes().SetFreshForTest(std::chrono::milliseconds(20));
    return *std::move(opened);
  }

  Admin& admin() { return connection_->admin(); }
  IndexAdmin& indexes() { return **connection_->admin().indexes(); }
  // klip serve refuses such tables from its clients.
  Status CreateIndex(const std::string& name, const std::string& text) {
    std::vector<FamilyDescriptor> families = {{.name = kDeclarationFamily}};
    for (const char* const kind : {"e", "e1", "e2", "e3", "e12", "e13", "e23"}) {
      families.push_back({.name = kind});
    }
    (void)store_->admin().CreateTable({.name = rowkey::IndexTableOf("t", name), .families = families}, {});
    return indexes().CreateIndex("t", *IndexDescriptor::Parse(name, text));
  }
  Status PutValue(Table* table, const std::string& row, const std::string& value) {
    return table->Put(Put{.row = row}.Add("f", "a", value).Add("f", "b", "other"));
  }
  // Writes with two clients, at random. After each write, compares the rows with a random value of f:a, and `c` or a random
  // value in g:c, with what filters return, and calls `after`. Returns the size of all answers.
  size_t CompareWhileWriting(IndexHistory* history, const std::string& index, int steps, const std::string& c,
                             const std::function<void(int step)>& after) {
    const std::unique_ptr<Connection> other = Open();
    const std::unique_ptr<Table> others = *other->GetTable("t");
    size_t found = 0;
    for (int step = 0; step < steps && !HasFailure(); ++step) {
      EXPECT_EQ(history->Write(history->Pick(2) == 0 ? table_.get() : others.get()).ToString(), "ok");
      const std::string a = history->Value();
      found += ComparePair(index, a, c.empty() ? history->Value() : c);
      after(step);
    }
    return found;
  }
  // Returns the size of the answer.
  size_t ComparePair(const std::string& index, const std::string& a, const std::string& c) {
    Scan scan = {.filter = FilterList(ListOperator::kMustPassAll, {ValueIs(a), ValueIs(c, "g", "c")})};
    const std::string expected = RowsWithPair(table_.get(), a, c);
    EXPECT_EQ(Rows(scan), expected) << a << ", " << c;
    scan.start_row = "r05";
    scan.stop_row = "r13";
    EXPECT_EQ(Rows(scan), RowsWithPair(table_.get(), a, c, scan.start_row, scan.stop_row)) << a << ", " << c;
    EXPECT_EQ(table_->Explain(scan)->index, index);
    return expected.size();
  }
  std::string Rows(const Scan& scan) { return RowsByScan(table_.get(), scan); }
  IndexCheck Check(bool repair = false, const std::string& index = "by_a") {
    Expected<IndexCheck> check = indexes().VerifyIndex("t", index, repair);
    EXPECT_TRUE(check.ok()) << check.status().ToString();
    return check.ok() ? *check : IndexCheck();
  }

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
};

TEST_F(ClientIndexTest, FindsRowsOfBeforeAndAfter) {
  ASSERT_TRUE(PutValue(table_.get(), "r010", "bonn").ok());
  ASSERT_TRUE(PutValue(table_.get(), "r090", "bonn").ok());
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  ASSERT_TRUE(PutValue(table_.get(), "r020", "bonn").ok());
  ASSERT_TRUE(PutValue(table_.get(), "r030", "ulm").ok());
  ASSERT_TRUE(PutValue(table_.get(), "r090", "ulm").ok());  // its first entry is dead from now on
  const Scan bonn = {.filter = ValueIs("bonn")};
  EXPECT_EQ(Rows(bonn), "r010 r020 ");
  const auto scanner = *table_->Scan(bonn);
  Result row;
  while (*scanner->Next(&row)) {
  }
  EXPECT_EQ(scanner->explain().index, "by_a");
  EXPECT_LE(scanner->statistics().rows_read, 3);
  EXPECT_EQ(table_->Explain(bonn)->index, "by_a") << table_->Explain(bonn)->ToText();
  EXPECT_EQ(Rows({.reversed = true, .filter = ValueIs("bonn")}), "r020 r010 ");
  EXPECT_EQ(Rows({.limit_rows = 1, .filter = ValueIs("bonn")}), "r010 ");
  EXPECT_EQ(Rows({.start_row = "r015", .filter = ValueIs("bonn")}), "r020 ");
  Scan where;
  where.where = *table_->ParseQuery("f:a>bonn");
  EXPECT_EQ(Rows(where), "r030 r090 ");

  const IndexCheck check = Check();
  EXPECT_TRUE(check.ok());
  EXPECT_EQ(check.rows, 4);
  EXPECT_EQ(check.entries, 5);
  EXPECT_EQ(check.stale, 1);
  const std::vector<IndexInfo> listed = *indexes().ListIndexes("t");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_TRUE(listed[0].kept_by_clients);
  EXPECT_FALSE(listed[0].building);

  ASSERT_EQ(indexes().DropIndex("t", "by_a").ToString(), "ok");
  EXPECT_EQ(Rows(bonn), "r010 r020 ");
  EXPECT_TRUE(PutValue(table_.get(), "r040", "bonn").ok());
  EXPECT_FALSE(*admin().TableExists("t.klip_index.by_a"));
}

// Every kind of write, on two clients, and each answer as without an index.
TEST_F(ClientIndexTest, IsWhatFiltersReturnOnRandomHistories) {
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  const std::unique_ptr<Connection> other = Open();
  const std::unique_ptr<Table> others = *other->GetTable("t");
  IndexHistory history(5);
  size_t found = 0;
  for (int step = 0; step < 400; ++step) {
    ASSERT_EQ(history.Write(history.Pick(2) == 0 ? table_.get() : others.get()).ToString(), "ok");
    const std::string value = history.Value();
    const std::string expected = RowsWith(table_.get(), value);
    ASSERT_EQ(Rows({.filter = ValueIs(value)}), expected) << step;
    found += expected.size();
    if (step % 50 == 0) {
      ASSERT_EQ(Check().missing, 0);
    }
  }
  EXPECT_GT(found, 4 * 500);
  // Only entries that cannot become valid again are removed.
  const int64_t stale = Check().stale;
  ASSERT_TRUE(admin().ModifyFamily("t", {.name = "f", .max_versions = 2}).ok());
  const ClientIndexList all = *dynamic_cast<RemoteConnection&>(*connection_).indexes().Read("t");
  ASSERT_TRUE(admin().Flush("t").ok());
  ASSERT_TRUE(admin().MajorCompact("t").ok());
  auto& cluster = dynamic_cast<RemoteConnection&>(*connection_).cluster();
  ASSERT_TRUE(
      IndexChecker(&cluster, "t", all->front(), /*repair=*/true, std::chrono::milliseconds(0)).Run(nullptr).ok());
  const IndexCheck check = Check();
  EXPECT_TRUE(check.ok());
  EXPECT_LT(check.stale, stale * 3 / 4);
  EXPECT_GT(check.stale, 0) << "of versions that are kept";
  for (const char* const wanted : {"a", "b", "c"}) {
    EXPECT_EQ(Rows({.filter = ValueIs(wanted)}), RowsWith(table_.get(), wanted));
  }
}

// Scans with time ranges, and conditions on any version, over stored versions that flushes and compactions drop.
TEST_F(ClientIndexTest, OlderVersionsAreWhatFiltersReturnOnRandomHistories) {
  IndexHistory history(17);
  for (int step = 0; step < 100; ++step) {
    ASSERT_EQ(history.Write(table_.get()).ToString(), "ok");
  }
  ASSERT_EQ(CreateIndex("was_a", "f:a text HISTORY").ToString(), "ok");
  auto& cluster = dynamic_cast<RemoteConnection&>(*connection_).cluster();
  const ClientIndexList all = *dynamic_cast<RemoteConnection&>(*connection_).indexes().Read("t");
  size_t found = 0;
  for (int step = 0; step < 800 && !HasFailure(); ++step) {
    ASSERT_EQ(history.Write(table_.get()).ToString(), "ok");
    const Scan past = RandomPastScan(&history);
    const std::string rows = Rows(past);
    EXPECT_EQ(rows, Rows(WithoutIndex(past))) << step;
    found += rows.size();
    ASSERT_EQ(table_->Explain(past)->index, "was_a");
    ASSERT_EQ(table_->Explain(WithoutIndex(past))->index, "");
    if (step % 100 == 50) {
      ASSERT_TRUE(admin().Flush("t").ok() && (step % 200 != 50 || admin().MajorCompact("t").ok()));
      const IndexCheck check =
          *IndexChecker(&cluster, "t", all->front(), /*repair=*/true, std::chrono::milliseconds(0)).Run(nullptr);
      EXPECT_EQ(check.missing, 0) << step;
      EXPECT_EQ(Check(false, "was_a").stale, 0) << "entries of stored versions are not stale";
    }
    const std::string value = history.Value();
    EXPECT_EQ(Rows({.filter = ValueIs(value)}), RowsWith(table_.get(), value)) << step;
  }
  EXPECT_GT(found, 2000);
}

TEST_F(ClientIndexTest, OlderVersionsByOthersAreRepaired) {
  ASSERT_EQ(CreateIndex("was_a", "f:a text HISTORY").ToString(), "ok");
  const std::unique_ptr<Table> unaware = *store_->GetTable("t");
  ASSERT_TRUE(unaware->Put(Put{.row = "r1"}.Add("f", "a", "bonn", 1)).ok());
  ASSERT_TRUE(PutValue(table_.get(), "r1", "ulm").ok());
  const Scan then = {.time_range = {0, 5}, .filter = ValueIs("bonn")};
  EXPECT_EQ(Rows(then), "");
  EXPECT_EQ(Check(/*repair=*/true, "was_a").differences, std::vector<std::string>{"missing: entry 'bonn\\x00r1'"});
  EXPECT_TRUE(Check(/*repair=*/false, "was_a").ok());
  EXPECT_EQ(Rows(then), "r1 ");
  EXPECT_EQ(Rows({.filter = ValueIs("bonn")}), "");
}

// Entries of puts that set only the column of WHERE have no field.
TEST_F(ClientIndexTest, APartialIndexIsWhatFiltersReturnOnRandomHistories) {
  IndexHistory history(11, /*pairs=*/true);
  for (int step = 0; step < 100; ++step) {
    ASSERT_EQ(history.Write(table_.get()).ToString(), "ok");
  }
  ASSERT_EQ(CreateIndex("part", "f:a text WHERE g:c = b").ToString(), "ok");
  const size_t found = CompareWhileWriting(&history, "part", 1000, "b", [this](int step) {
    ASSERT_TRUE(step % 100 != 0 || Check(false, "part").missing == 0) << step;
  });
  EXPECT_GT(found, 1000);
  ComparePair("", "a", "c");  // other rows may have no entry
  auto& cluster = dynamic_cast<RemoteConnection&>(*connection_).cluster();
  const ClientIndexList all = *dynamic_cast<RemoteConnection&>(*connection_).indexes().Read("t");
  const int64_t stale = Check(false, "part").stale;
  ASSERT_TRUE(admin().Flush("t").ok() && admin().MajorCompact("t").ok());
  ASSERT_TRUE(
      IndexChecker(&cluster, "t", all->front(), /*repair=*/true, std::chrono::milliseconds(0)).Run(nullptr).ok());
  EXPECT_LT(Check(false, "part").stale, stale);
  for (const char* const a : {"a", "b", "c"}) {
    ComparePair("part", a, "b");
  }
}

TEST_F(ClientIndexTest, FunctionsOfColumnsAreWhatFiltersReturnOnRandomHistories) {
  ASSERT_EQ(CreateIndex("fun", "bucket(f:a, 3), upper(g:c) text, hash(f:a, 2)").ToString(), "ok");
  IndexHistory history(13, /*pairs=*/true);
  EXPECT_GT(CompareWhileWriting(&history, "fun", 400, "", [](int) {}), 400);
  EXPECT_EQ(Check(false, "fun").missing, 0);
  Scan upper;
  upper.where = *table_->ParseQuery("upper(f:a)=A");
  EXPECT_EQ(Rows(upper), "Unsupported: upper() and lower() in conditions: no server of HBase has a filter for that");
}

// The entries of a put have only the columns that it sets. The entry of the last put finds the row.
TEST_F(ClientIndexTest, SeveralColumnsAreWhatFiltersReturnOnRandomHistories) {
  IndexHistory history(7, /*pairs=*/true);
  for (int step = 0; step < 100; ++step) {
    ASSERT_EQ(history.Write(table_.get()).ToString(), "ok");
  }
  ASSERT_EQ(CreateIndex("pair", "f:a text, g:c text").ToString(), "ok");
  const size_t found = CompareWhileWriting(&history, "pair", 1000, "", [this](int step) {
    ASSERT_TRUE(step % 50 != 0 || Check(/*repair=*/false, "pair").missing == 0) << step;
    ASSERT_TRUE(step % 200 != 100 || (admin().Flush("t").ok() && admin().MajorCompact("t").ok()));
  });
  EXPECT_GT(found, 4 * 1000);
}

TEST_F(ClientIndexTest, ReadsFewRowsByThreeColumns) {
  ASSERT_EQ(CreateIndex("three", "f:a text, f:b text, g:c text").ToString(), "ok");
  for (int i = 0; i < 100; ++i) {
    const std::string digit(1, static_cast<char>('0' + i % 10));
    ASSERT_TRUE(
        table_->Put(Put{.row = "r" + std::to_string(i)}.Add("f", "a", digit).Add("f", "b", "y").Add("g", "c", "z"))
            .ok());
  }
  ASSERT_TRUE(table_->Put(Put{.row = "r5"}.Add("f", "b", "x")).ok());
  ASSERT_TRUE(table_->Put(Put{.row = "r95"}.Add("f", "b", "x").Add("g", "c", "z")).ok());
  Scan where;
  where.where = *table_->ParseQuery("f:a=5 f:b=x g:c=z");
  const auto scanner = *table_->Scan(where);
  Result row;
  std::string rows;
  while (*scanner->Next(&row)) {
    rows.append(row.row()).append(" ");
  }
  EXPECT_EQ(rows, "r5 r95 ");
  EXPECT_EQ(scanner->explain().index, "three");
  EXPECT_LE(scanner->statistics().rows_read, 3) << "one between them, to jump from";
  EXPECT_TRUE(Check(/*repair=*/false, "three").ok());
}

TEST_F(ClientIndexTest, RefusesDeletesThatBringValuesBackUnderOthers) {
  ASSERT_EQ(CreateIndex("pair", "f:a text, g:c text").ToString(), "ok");
  ASSERT_TRUE(table_->Put(Put{.row = "r1"}.Add("f", "a", "x").Add("g", "c", "y")).ok());
  const Status version = table_->Delete(Delete{.row = "r1"}.AddColumn("f", "a"));
  EXPECT_EQ(version.ToString(),
            "Unsupported: one version of f:a of table 't', whose clients maintain the index 'pair', cannot be deleted: "
            "what would be visible then has perhaps no entry. Delete all versions of the column or family");
  EXPECT_EQ(table_->Delete(Delete{.row = "r1"}.AddFamilyVersion("g", 5)).code(), Code::kUnsupported);
  EXPECT_TRUE(table_->Delete(Delete{.row = "r1"}.AddColumn("f", "b")).ok());
  EXPECT_TRUE(table_->Delete(Delete{.row = "r1"}.AddColumns("f", "a")).ok());
  EXPECT_TRUE(table_->Delete(Delete{.row = "r1"}).ok());
}

TEST_F(ClientIndexTest, IsRepairedAfterWritesOfOthers) {
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  const std::unique_ptr<Table> unaware = *store_->GetTable("t");
  ASSERT_TRUE(PutValue(unaware.get(), "r1", "bonn").ok());
  EXPECT_EQ(Rows({.filter = ValueIs("bonn")}), "");
  const IndexCheck check = Check();
  EXPECT_EQ(check.missing, 1);
  EXPECT_EQ(check.differences, std::vector<std::string>{"missing: entry 'bonn\\x00r1'"});
  EXPECT_EQ(Check(/*repair=*/true).missing, 1);
  EXPECT_TRUE(Check().ok());
  EXPECT_EQ(Rows({.filter = ValueIs("bonn")}), "r1 ");
}

TEST_F(ClientIndexTest, WritersWhoDidNotKnowAreWaitedFor) {
  const std::unique_ptr<Connection> other = Open();
  const std::unique_ptr<Table> others = *other->GetTable("t");
  ASSERT_TRUE(PutValue(others.get(), "r0", "x").ok());  // it knows of no index
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      ASSERT_EQ(PutValue(others.get(), "r" + std::to_string(i), "x").ToString(), "ok");
      written = i + 1;
    }
  });
  EXPECT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  const int then = written;
  while (written < then + 20) {
    std::this_thread::yield();
  }
  stop = true;
  writer.join();
  EXPECT_EQ(std::ranges::count(Rows({.filter = ValueIs("x")}), ' '), written);
  EXPECT_TRUE(Check().ok());
}

TEST_F(ClientIndexTest, RefusesWhatItCannotKeep) {
  ASSERT_TRUE(table_->Put(Put{.row = "r1"}.Add("f", "a", "words")).ok());
  EXPECT_EQ(CreateIndex("by_n", "f:a i32").code(), Code::kDoNotRetry);
  EXPECT_TRUE(indexes().ListIndexes("t")->empty());
  EXPECT_EQ(CreateIndex("four", "f:a text, f:b text, f:c text, f:d text").code(), Code::kUnsupported);
  EXPECT_EQ(CreateIndex("by_a", "f:a text INCLUDE f:b").code(), Code::kUnsupported);
  EXPECT_EQ(CreateIndex("by_a", "f:a text UNIQUE").code(), Code::kUnsupported);
  EXPECT_EQ(CreateIndex("by_a", "f:a text, f:b text HISTORY").ToString(),
            "Unsupported: index 'by_a': an index on a cluster with HISTORY has one column, and no WHERE on another: "
            "flushes may leave combinations of old versions that no put wrote");
  EXPECT_EQ(CreateIndex("by_a", "f:a text WHERE f:b = '1' HISTORY").code(), Code::kUnsupported);
  ASSERT_TRUE(table_->Put(Put{.row = "r2"}.Add("f", "o", "words", 1).Add("f", "o", std::string(4, '\0'), 2)).ok());
  EXPECT_NE(CreateIndex("by_o", "f:o i32 HISTORY").message().find("with HISTORY, all stored versions must"),
            std::string::npos);
  EXPECT_EQ(CreateIndex("by_o", "f:o i32").ToString(), "ok");
  EXPECT_EQ(CreateIndex("by_a", "x:a text").code(), Code::kInvalidArgument);
  EXPECT_EQ(indexes().DropIndex("t", "by_a").code(), Code::kInvalidArgument);
  ASSERT_EQ(CreateIndex("by_n", "f:n i64").ToString(), "ok");
  EXPECT_EQ(CreateIndex("by_n", "f:n i64").code(), Code::kInvalidArgument);
  const Status wrong = table_->Put(Put{.row = "r1"}.Add("f", "n", "no number"));
  EXPECT_EQ(wrong.code(), Code::kInvalidArgument) << wrong.ToString();
  EXPECT_EQ(Rows({.columns = {{"f", "n"}}}), "");
  EXPECT_EQ(table_->Increment(Increment{.row = "r1"}.Add("f", "n", 1)).status().code(), Code::kUnsupported);
  EXPECT_TRUE(table_->Increment(Increment{.row = "r1"}.Add("f", "m", 1)).ok());
}

// A client that still knows an index that was dropped and created again.
TEST_F(ClientIndexTest, AnIndexIsUsedOnlyWhileItIsWhole) {
  ASSERT_TRUE(PutValue(table_.get(), "r1", "x").ok());
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  const std::unique_ptr<Connection> other = Open();
  const std::unique_ptr<Table> others = *other->GetTable("t");
  dynamic_cast<RemoteConnection&>(*other).indexes().SetFreshForTest(std::chrono::hours(1));
  const Scan scan = {.filter = ValueIs("x")};
  const auto index_used = [&] { return (*others->Scan(scan))->explain().index; };
  EXPECT_EQ(index_used(), "by_a");
  const ClientIndex known = dynamic_cast<RemoteConnection&>(*other).indexes().Read("t").value()->front();
  ASSERT_TRUE(indexes().DropIndex("t", "by_a").ok());
  EXPECT_EQ(RowsByScan(others.get(), scan), "r1 ");
  EXPECT_FALSE(*dynamic_cast<RemoteConnection&>(*other).indexes().IsReady(known));
  ASSERT_EQ(CreateIndex("by_a", "f:a bytes(1)").ToString(), "ok");
  EXPECT_FALSE(*dynamic_cast<RemoteConnection&>(*other).indexes().IsReady(known)) << "it is another one";
  EXPECT_EQ(RowsByScan(others.get(), scan), "r1 ");
}

// Entries come first: without them no row is written that reads by the index would miss.
TEST_F(ClientIndexTest, WritesNoRowWithoutItsEntry) {
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  ASSERT_TRUE(PutValue(table_.get(), "r1", "x").ok());
  ASSERT_TRUE(admin().DisableTable("t.klip_index.by_a").ok());
  const Status status = PutValue(table_.get(), "r2", "x");
  EXPECT_EQ(status.code(), Code::kTableNotEnabled) << status.ToString();
  EXPECT_NE(status.message().find("enable it, or drop the index"), std::string::npos) << status.ToString();
  EXPECT_EQ(Rows({}), "r1 ");
  ASSERT_TRUE(admin().EnableTable("t.klip_index.by_a").ok());
  EXPECT_EQ(PutValue(table_.get(), "r2", "x").ToString(), "ok");
}

TEST_F(ClientIndexTest, GoesWithItsTable) {
  ASSERT_EQ(CreateIndex("by_a", "f:a text").ToString(), "ok");
  ASSERT_TRUE(admin().DisableTable("t").ok());
  ASSERT_EQ(admin().DeleteTable("t").ToString(), "ok");
  EXPECT_FALSE(*admin().TableExists("t.klip_index.by_a"));
}

}  // namespace
}  // namespace klip::client
