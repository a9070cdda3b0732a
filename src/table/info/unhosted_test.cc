// Tables with Java coprocessors, in a program that does not run these.
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class UnhostedTest : public TableTest {
 protected:
  UnhostedTest() { Create("t", {Family("f")}, {{"coprocessor$1", "|com.acme.Observer|1001|"}}); }

  void Open(bool ignore_coprocessors) {
    options_.ignore_coprocessors = ignore_coprocessors;
    TableTest::Open();
    Use("t");
  }
  Status PutRow(int64_t timestamp_ms = kLatestTimestamp) {
    return table_->Put(klip::Put{.row = "r"}.Add("f", "q", "v", timestamp_ms));
  }
  size_t Stored() {
    const auto rows = table_->Scan({.max_versions = 100, .raw = true});
    Result row;
    EXPECT_TRUE((*rows)->Next(&row).ok());
    return row.size();
  }
};

TEST_F(UnhostedTest, AreReadAndNotWritten) {
  const Status refused = PutRow();
  EXPECT_EQ(refused.code(), Code::kDoNotRetry);
  EXPECT_EQ(refused.message(),
            "table t has the Java coprocessor com.acme.Observer, which only klip serve runs; "
            "ConnectionOptions::ignore_coprocessors, or --no-coprocessors of a command, writes the table without it");
  EXPECT_EQ(table_->Delete({.row = "r"}).code(), Code::kDoNotRetry);
  EXPECT_FALSE(table_->Increment({.row = "r", .columns = {{"f", "q", 1}}}).ok());
  EXPECT_FALSE(table_->Append({.row = "r", .columns = {{"f", "q", "v"}}}).ok());
  EXPECT_FALSE(table_->Mutate(RowMutations{.row = "r", .mutations = {Delete{.row = "r"}}}).ok());
  EXPECT_FALSE(table_->Prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).ok());
  const CheckAndMutate check = {"r", RowCondition::IfNotExists("f", "q"), klip::Put{.row = "r"}.Add("f", "q", "v")};
  EXPECT_FALSE(table_->CheckAndMutate(check).ok());
  const Action put = klip::Put{.row = "r"}.Add("f", "q", "v");
  EXPECT_EQ(table_->Batch({&put, 1}).front().status().code(), Code::kDoNotRetry);
  EXPECT_EQ(connection_->NewBulkLoader("t").status().code(), Code::kDoNotRetry);
  EXPECT_FALSE((*table_->Get({.row = "r"})).exists());
}

// Adds the puts of table u to table t.
class AddsToT : public Observer {
 public:
  Status PreBatchMutate(BatchEvent& event) override { return event.Add("t", klip::Put{.row = "r"}.Add("f", "q", "v")); }
};

TEST_F(UnhostedTest, AreNotWrittenByOthersWhoMayAskThem) {
  options_.observers = {{[](const TableDescriptor& table) { return table.name == "u"; }, std::make_shared<AddsToT>()}};
  Open(/*ignore_coprocessors=*/false);
  Create("u", {Family("f")});
  EXPECT_EQ(PutRow().code(), Code::kDoNotRetry);
  Create("w", {Family("f")});
  const Mutation put = klip::Put{.row = "r"}.Add("f", "q", "v");
  EXPECT_EQ(connection_->Apply({.steps = {{"w", put}, {"t", put}}}).status().code(), Code::kDoNotRetry);
  EXPECT_FALSE((*table_->Get({.row = "r"})).exists());
  const Expected<bool> applied =
      connection_->Apply({.conditions = {{"t", "r", RowCondition::IfNotExists("f", "q")}}, .steps = {{"w", put}}});
  EXPECT_TRUE(applied.ok() && *applied) << applied.status().ToString();
  EXPECT_FALSE((*Handle("t")->Get({.row = "r"})).exists());
}

TEST_F(UnhostedTest, ALoadThatBeganBeforeTheClassWasNamedIsRefused) {
  Create("u", {Family("f")});
  const auto loader = *connection_->NewBulkLoader("u");
  ASSERT_EQ(loader->Add(klip::Put{.row = "r"}.Add("f", "q", "v", 1)).ToString(), "ok");
  TableDescriptor changed = *admin().GetDescriptor("u");
  changed.attributes["coprocessor$1"] = "|com.acme.Observer|1001|";
  ASSERT_EQ(admin().ModifyTable(changed).ToString(), "ok");
  EXPECT_EQ(loader->Finish().code(), Code::kDoNotRetry);
}

TEST_F(UnhostedTest, AreWrittenIfAsked) {
  Open(/*ignore_coprocessors=*/true);
  EXPECT_EQ(PutRow().ToString(), "ok");
  EXPECT_TRUE((*table_->Get({.row = "r"})).exists());
}

TEST_F(UnhostedTest, CompactionsDropNothing) {
  Open(/*ignore_coprocessors=*/true);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(PutRow(i).ToString(), "ok");
  }
  Open(/*ignore_coprocessors=*/false);
  ASSERT_EQ(admin().Flush("t").ToString(), "ok");
  ASSERT_EQ(admin().MajorCompact("t").ToString(), "ok");
  EXPECT_EQ(Stored(), 3U);
  Open(/*ignore_coprocessors=*/true);
  ASSERT_EQ(admin().MajorCompact("t").ToString(), "ok");
  EXPECT_EQ(Stored(), 1U);
}

TEST_F(UnhostedTest, ClassesThatKlipHasRefuseNothing) {
  Create("native", {Family("f")},
         {{"coprocessor$1", "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|1001|"}});
  EXPECT_EQ(PutRow().ToString(), "ok");
}

}  // namespace
}  // namespace klip::table
