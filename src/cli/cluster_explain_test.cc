// klip explain on a cluster: klip's client on klip's server.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.h"
#include "server/raw_client_test.h"

namespace klip::cli {
namespace {

class ClusterExplainTest : public server::ServerTest {
 protected:
  ClusterExplainTest() {
    connection_ = *Connection::Open(uri_);
    TableDescriptor descriptor = {.name = "t", .families = {{.name = "f"}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:u32 day:u16";
    EXPECT_TRUE(connection_->admin().CreateTable(descriptor).ok());
    Write(0, 500);
  }

  void Write(int first, int end) {
    const std::unique_ptr<Table> table = *connection_->GetTable("t");
    for (int i = first; i < end; ++i) {
      EXPECT_TRUE(
          table
              ->Put(Put{.row = *table->row_key_schema()->Encode({std::to_string(i / 10), std::to_string(i % 10)})}.Add(
                  "f", "q", "v"))
              .ok());
    }
  }

  std::string ExplainRun() {
    char* out = nullptr;
    size_t bytes = 0;
    Console console;
    console.out = open_memstream(&out, &bytes);
    EXPECT_EQ(RunCli({"explain", uri_, "t", "--where", "day=3", "--run"}, console), kExitOk);
    std::fclose(console.out);
    std::string text(out, bytes);
    free(out);
    return text;
  }

  const std::string uri_ = "hbase+rpc://127.0.0.1:" + std::to_string(rpc_port());
  std::unique_ptr<Connection> connection_;
};

TEST_F(ClusterExplainTest, RunShowsEstimatesBesideWhatWasRead) {
  const std::string text = ExplainRun();
  EXPECT_NE(text.find("rows returned         50      50"), std::string::npos) << text;
  EXPECT_EQ(text.find("no statistics"), std::string::npos) << text;
}

// klip's server counts jumps, HBase's the rows that it read: its filter jumps only at those that it drops.
TEST_F(ClusterExplainTest, RunShowsWhatServersReport) {
  const std::unique_ptr<Table> table = *connection_->GetTable("t");
  Scan scan;
  scan.where = *table->row_key_schema()->ParseQuery("day=3");
  const auto scanner = *table->Scan(scan);
  Result row;
  while (*scanner->Next(&row)) {
  }
  Explain explain = scanner->explain();
  EXPECT_GE(explain.actual->rows_read, 100) << "one for each jump";
  EXPECT_LE(explain.actual->rows_read, 500);
  EXPECT_GT(explain.actual->seeks + explain.actual->steps, 50);
  EXPECT_EQ(explain.ToText().find("<="), std::string::npos) << explain.ToText();
  explain.actual = ScanStatistics{.rows_returned = 50, .rows_read = 101, .cells_read = 50, .blocks_read = 3};
  const std::string of_hbase = explain.ToText();
  EXPECT_NE(of_hbase.find("<= 51\n"), std::string::npos) << of_hbase;
  EXPECT_NE(of_hbase.find(" 3\n", of_hbase.find("  blocks read ")), std::string::npos) << of_hbase;
}

// The second explain takes the sample of the first.
TEST_F(ClusterExplainTest, SamplesAreKeptForAWhile) {
  const std::unique_ptr<Table> table = *connection_->GetTable("t");
  Scan scan;
  scan.where = *table->row_key_schema()->ParseQuery("day=3");
  const double before = table->Explain(scan)->estimated.rows_returned;
  EXPECT_NEAR(before, 50, 5);
  Write(500, 1000);
  EXPECT_EQ((*connection_->GetTable("t"))->Explain(scan)->estimated.rows_returned, before);
}

}  // namespace
}  // namespace klip::cli
