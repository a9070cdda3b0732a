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
  EXPECT_EQ(connection_->NewBulkLoader("t").status().code(), Code::kDoNotRetry);
  EXPECT_FALSE((*table_->Get({.row = "r"})).exists());
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
