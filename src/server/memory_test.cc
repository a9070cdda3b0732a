// Calls that there is no memory for are refused so that the client tries again, and do no harm.
#include "server/memory.h"

#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "rpc/cell_block.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

TEST(MemoryBudgetTest, OneCallAlwaysFitsAndOthersWhileThereIsRoom) {
  std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(80, &unsent);  // of which an eighth
  EXPECT_TRUE(budget.Take(25));
  EXPECT_FALSE(budget.Take(1));
  budget.Give(25);
  EXPECT_TRUE(budget.Take(6));
  EXPECT_TRUE(budget.Take(4));
  EXPECT_FALSE(budget.Take(1));
  budget.Give(6);
  unsent = 6;
  EXPECT_FALSE(budget.Take(1)) << "answers count too";
  unsent = 5;
  EXPECT_TRUE(budget.Take(1));
}

TEST(MemoryBudgetTest, WhatIsSparedLeavesHalfToCalls) {
  const std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(80, &unsent);  // of which an eighth
  EXPECT_FALSE(budget.TakeSpare(6)) << "it is no call that must be possible";
  EXPECT_TRUE(budget.TakeSpare(5));
  EXPECT_FALSE(budget.TakeSpare(1));
  EXPECT_TRUE(budget.Take(5));
  MemoryLease lease(&budget);
  EXPECT_FALSE(lease.HoldSpare(1));
  budget.Give(10);
  EXPECT_TRUE(lease.HoldSpare(5));
  EXPECT_FALSE(budget.TakeSpare(1));
  lease.Release();
  EXPECT_TRUE(budget.TakeSpare(5));
}

TEST(MemoryLeaseTest, HoldsInStepsAndGivesBack) {
  constexpr size_t kStep = 256 << 10;
  std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(8 * 4 * kStep, &unsent);  // of which an eighth
  MemoryLease lease(&budget);
  EXPECT_TRUE(lease.Hold(kStep + 1));  // two steps
  {
    MemoryLease other(&budget);
    EXPECT_TRUE(other.Hold(1));
    EXPECT_FALSE(other.Hold(2 * kStep + 1));
    EXPECT_TRUE(other.Hold(2 * kStep));
    EXPECT_FALSE(lease.Hold(3 * kStep));
  }
  EXPECT_TRUE(lease.Hold(4 * kStep));
  MemoryLease moved = std::move(lease);
  EXPECT_FALSE(budget.Take(1));
  moved.Release();
  EXPECT_TRUE(budget.Take(1));
  EXPECT_TRUE(MemoryLease().Hold(std::numeric_limits<size_t>::max())) << "of no budget";
}

// Rows that are more together than there is memory for answers come piece by piece.
TEST_F(ServerTest, AnswersEndWhereMemoryDoes) {
  constexpr int kRows = 12;
  constexpr size_t kRowBytes = 3 << 20;
  ServerOptions options;
  options.memory_limit = kLeastMemoryLimit;
  Start(options);
  hbase::pb::CreateTableRequest create;
  create.mutable_table_schema()->mutable_table_name()->set_namespace_("default");
  create.mutable_table_schema()->mutable_table_name()->set_qualifier("t");
  create.mutable_table_schema()->add_column_families()->set_name("f");
  RawClient(rpc_port(), "MasterService").Ask<hbase::pb::CreateTableResponse>("CreateTable", create);

  RawClient client(rpc_port(), "ClientService");
  hbase::pb::ScanRequest meta;
  meta.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  meta.mutable_region()->set_value("hbase:meta,,1");
  meta.mutable_scan()->set_start_row("t,,");
  meta.set_number_of_rows(1);
  std::string cells;
  client.Ask<hbase::pb::ScanResponse>("Scan", meta, &cells);
  rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValue);
  Cell cell;
  ASSERT_TRUE(reader.Next(&cell));
  hbase::pb::RegionSpecifier region = meta.region();
  region.set_value(std::string(cell.row));

  hbase::pb::MultiRequest gets;
  auto* action = gets.add_regionaction();
  *action->mutable_region() = region;
  for (int i = 0; i < kRows; ++i) {
    hbase::pb::MutateRequest put;
    *put.mutable_region() = region;
    put.mutable_mutation()->set_row("r" + std::to_string(100 + i));
    put.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::PUT);
    auto* column = put.mutable_mutation()->add_column_value();
    column->set_family("f");
    column->add_qualifier_value()->set_value(std::string(kRowBytes, 'v'));
    client.Ask<hbase::pb::MutateResponse>("Mutate", put);
    auto* get = action->add_action();
    get->set_index(static_cast<uint32_t>(i));
    get->mutable_get()->set_row(put.mutation().row());
  }

  const auto answer = client.Ask<hbase::pb::MultiResponse>("Multi", gets, &cells);
  int done = 0;
  for (const auto& one : answer.regionactionresult(0).resultorexception()) {
    done += one.has_exception() ? 0 : 1;
    EXPECT_TRUE(!one.has_exception() || one.exception().name() == "org.apache.hadoop.hbase.MultiActionResultTooLarge")
        << one.exception().name();
  }
  EXPECT_GT(done, 0);
  EXPECT_LT(done, kRows);
  EXPECT_LT(cells.size(), static_cast<size_t>(kLeastMemoryLimit) / 4);

  hbase::pb::ScanRequest scan;
  *scan.mutable_region() = region;
  scan.mutable_scan()->set_max_result_size(100 << 20);
  scan.set_number_of_rows(100);
  size_t bytes = 0;
  int calls = 0;
  for (bool more = true; more && calls < kRows + 2; ++calls) {
    const auto batch = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    EXPECT_LT(cells.size(), static_cast<size_t>(kLeastMemoryLimit) / 4);
    bytes += cells.size();
    more = batch.more_results_in_region();
    scan.clear_region();
    scan.clear_scan();
    scan.set_scanner_id(batch.scanner_id());
    scan.set_next_call_seq(static_cast<uint64_t>(calls));
  }
  EXPECT_GT(calls, 1);
  EXPECT_GT(bytes, kRows * kRowBytes);
}

TEST_F(ServerTest, CallsWithoutMemoryAreRefusedOneByOne) {
  ServerOptions options;
  options.memory_limit = kLeastMemoryLimit;
  Start(options);
  const size_t large = static_cast<size_t>(kLeastMemoryLimit) / 8;
  // One that takes all there is, and is not sent to its end.
  RawClient slow(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(large, 'x'));
  slow.socket().Send(std::string_view(whole).substr(0, 1 << 20));
  RawClient client(rpc_port(), "ClientService");
  const hbase::pb::GetRequest none;
  std::string exception;
  // The server may see the second client's call first; then it is served.
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, std::string(100000, 'y')).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  slow.socket().Send(std::string_view(whole).substr(1 << 20));
  EXPECT_EQ(slow.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.DoNotRetryIOException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, std::string(100000, 'y')).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.DoNotRetryIOException") << "there is room again";
}

}  // namespace
}  // namespace klip::server
