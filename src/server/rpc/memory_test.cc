// Calls that there is no memory for are refused so that the client tries again, and do no harm.
#include "server/rpc/memory.h"

#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "proto/Client.pb.h"
#include "rpc/cell_block.h"
#include "rpc/compression.h"
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

TEST(MemoryBudgetTest, WhatIsSparedIsBoundedWithoutALimitToo) {
  MemoryBudget budget;
  EXPECT_TRUE(budget.TakeSpare(256 << 20));
  EXPECT_FALSE(budget.TakeSpare(1));
  EXPECT_TRUE(budget.Take(1 << 30));
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

TEST(RequestMemoryTest, HoldsAheadWhatIsSpareElseWhatCame) {
  constexpr size_t kMb = 1 << 20;
  constexpr size_t kStep = 256 << 10;
  std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(8 * 8 * kMb, &unsent);  // of which an eighth
  RequestMemory first(&budget);
  EXPECT_TRUE(first.Hold(kMb, 0));
  EXPECT_EQ(first.room(), 3 * kMb);
  RequestMemory second(&budget);
  EXPECT_TRUE(second.Hold(kMb, 0)) << "less than half is left";
  EXPECT_EQ(second.room(), kStep);
  EXPECT_FALSE(RequestMemory(&budget).Hold(2 * kMb, 0)) << "there is no room for all of it";
  EXPECT_TRUE(second.Hold(kMb, kStep));
  EXPECT_EQ(second.room(), 2 * kStep);
  EXPECT_TRUE(second.Hold(kMb, kMb));
  EXPECT_EQ(second.room(), 3 * kMb);
  EXPECT_TRUE(budget.Take(2 * kMb));
  EXPECT_FALSE(budget.Take(1));
  RequestMemory third(&budget);
  EXPECT_FALSE(third.Hold(1, 0));
  first.Release();
  EXPECT_TRUE(third.Hold(kMb, kMb));
}

TEST(RequestMemoryTest, ARequestOfMoreThanThereIsGoesOnAlone) {
  constexpr size_t kMb = 1 << 20;
  std::atomic<int64_t> unsent = 0;
  MemoryBudget budget;
  budget.Limit(8 * kMb, &unsent);  // of which an eighth
  {
    RequestMemory large(&budget);
    EXPECT_TRUE(large.Hold(4 * kMb, 0));
    EXPECT_LT(large.room(), kMb);
    unsent = 1;
    EXPECT_TRUE(large.Hold(4 * kMb, kMb / 2));
    EXPECT_FALSE(large.Hold(4 * kMb, kMb));
    unsent = 0;
    EXPECT_TRUE(large.Hold(4 * kMb, kMb));
    unsent = 1;  // refusals of others
    EXPECT_TRUE(large.Hold(4 * kMb, 3 * kMb));
    EXPECT_TRUE(large.Hold(4 * kMb, 4 * kMb));
    unsent = 0;
  }
  EXPECT_TRUE(budget.TakeSpare(kMb / 2)) << "all was given back";
}

class MemoryTest : public ServerTest {
 protected:
  static constexpr int kRows = 12;
  static constexpr size_t kRowBytes = 3 << 20;

  void SetUp() override {
    server_.reset();
    {
      std::unique_ptr<Connection> connection = *Connection::Open("klip:" + root_ + "/store");
      ASSERT_TRUE(connection->admin().CreateTable(TableDescriptor{.name = "t", .families = {{.name = "f"}}}).ok());
      region_.set_type(hbase::pb::RegionSpecifier::REGION_NAME);
      region_.set_value(connection->admin().GetRegions("t")->front().Name());
      const std::unique_ptr<Table> table = *connection->GetTable("t");
      for (int i = 0; i < kRows; ++i) {
        ASSERT_TRUE(table->Put(Put{.row = RowAt(i)}.Add("f", "", std::string(kRowBytes, 'v'))).ok());
      }
    }
    ServerOptions options;
    options.memory_limit = kLeastMemoryLimit;
    Start(options);
  }

  static std::string RowAt(int i) { return "r" + std::to_string(100 + i); }

  // Returns how many of the actions were done: the client asks for the others again.
  static int Done(const hbase::pb::MultiResponse& answer) {
    int done = 0;
    for (const auto& one : answer.regionactionresult(0).resultorexception()) {
      done += one.has_exception() ? 0 : 1;
      EXPECT_TRUE(!one.has_exception() || one.exception().name() == "org.apache.hadoop.hbase.MultiActionResultTooLarge")
          << one.exception().name();
    }
    return done;
  }

  hbase::pb::RegionSpecifier region_;
};

// Rows that are more together than there is memory for answers come piece by piece.
TEST_F(MemoryTest, AnswersEndWhereMemoryDoes) {
  hbase::pb::MultiRequest gets;
  hbase::pb::MultiRequest appends;
  *gets.add_regionaction()->mutable_region() = region_;
  *appends.add_regionaction()->mutable_region() = region_;
  for (int i = 0; i < kRows; ++i) {
    gets.mutable_regionaction(0)->add_action()->mutable_get()->set_row(RowAt(i));
    hbase::pb::MutationProto* append = appends.mutable_regionaction(0)->add_action()->mutable_mutation();
    append->set_mutate_type(hbase::pb::MutationProto::APPEND);
    append->set_row(RowAt(i));
    auto* column = append->add_column_value();
    column->set_family("f");
    column->add_qualifier_value()->set_value("w");
  }
  constexpr size_t kMostBytes = static_cast<size_t>(kLeastMemoryLimit) / 4;
  for (const bool cell_blocks : {true, false}) {
    for (const hbase::pb::MultiRequest* request : {&gets, &appends}) {
      RawClient client(rpc_port(), "ClientService", cell_blocks);
      std::string cells;
      const auto answer = client.Ask<hbase::pb::MultiResponse>("Multi", *request, &cells);
      EXPECT_GT(Done(answer), 0);
      EXPECT_LT(Done(answer), kRows) << (cell_blocks ? "in a block" : "in the message");
      EXPECT_LT(cells.size() + answer.ByteSizeLong(), kMostBytes);
    }
  }

  RawClient client(rpc_port(), "ClientService");
  hbase::pb::ScanRequest scan;
  *scan.mutable_region() = region_;
  scan.mutable_scan()->set_max_result_size(100 << 20);
  scan.set_number_of_rows(100);
  size_t bytes = 0;
  int calls = 0;
  for (bool more = true; more && calls < kRows + 2; ++calls) {
    std::string cells;
    const auto batch = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    EXPECT_LT(cells.size(), kMostBytes);
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

// The cells of a refused action are not those of the next.
TEST_F(MemoryTest, RefusedMutationsKeepTheirCells) {
  hbase::pb::MultiRequest multi;
  hbase::pb::RegionAction* region = nullptr;
  rpc::Buffer cells;
  const auto put = [&](const std::string& row) {
    hbase::pb::MutationProto* mutation = region->add_action()->mutable_mutation();
    mutation->set_mutate_type(hbase::pb::MutationProto::PUT);
    mutation->set_row(row);
    mutation->set_associated_cell_count(1);
    const Cell cell = {.row = row, .family = "f", .qualifier = "q", .type = CellType::kPut, .value = row};
    rpc::AppendCell(cell, rpc::CellCodec::kKeyValue, &cells);
  };
  region = multi.add_regionaction();
  *region->mutable_region() = region_;
  for (int i = 0; i < kRows; ++i) {
    region->add_action()->mutable_get()->set_row(RowAt(i));
  }
  put("refused");
  region = multi.add_regionaction();
  *region->mutable_region() = region_;
  region->set_atomic(true);
  put("done");
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MultiResponse answer;
  ASSERT_TRUE(answer.ParseFromString(client.Call("Multi", multi, std::string(cells.view())).result));
  EXPECT_LT(Done(answer), kRows);
  EXPECT_TRUE(answer.regionactionresult(0).resultorexception(kRows).has_exception());
  EXPECT_EQ(answer.regionactionresult(1).exception().value(), "");
  EXPECT_TRUE(answer.regionactionresult(1).processed());
}

// What is small on the wire and large behind it counts as what it is.
TEST_F(MemoryTest, UnpackedCellsAreCharged) {
  rpc::Buffer packed;
  ASSERT_TRUE(rpc::Compress(rpc::Compression::kDeflate, std::string(200 << 20, '\0'), &packed).ok());
  const std::string cells(packed.view());
  ASSERT_LT(cells.size(), size_t{1} << 20);
  // One is let in, however much it wants; others not beside it.
  RawClient holds(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(1 << 20, 'x'));
  holds.socket().Send(std::string_view(whole).substr(0, 1 << 19));
  RawClient client(rpc_port(), "ClientService", true, "org.apache.hadoop.io.compress.DeflateCodec");
  hbase::pb::GetRequest get;
  *get.mutable_region() = region_;
  get.mutable_get()->set_row("none");
  std::string exception;
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("Get", get, cells).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  holds.socket().Send(std::string_view(whole).substr(1 << 19));
  EXPECT_EQ(holds.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && !exception.empty(); ++tries) {
    exception = client.Call("Get", get, cells).exception();
  }
  EXPECT_EQ(exception, "") << "there is room again";
}

TEST_F(ServerTest, CallsWithoutMemoryAreRefusedOneByOne) {
  ServerOptions options;
  options.memory_limit = kLeastMemoryLimit;
  Start(options);
  // One that is not sent to its end, and those that want more than there is beside it.
  RawClient slow(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(100000, 'x'));
  slow.socket().Send(std::string_view(whole).substr(0, 1000));
  RawClient client(rpc_port(), "ClientService");
  const hbase::pb::GetRequest none;
  const std::string large(static_cast<size_t>(kLeastMemoryLimit) / 8, 'y');
  std::string exception;
  // The server may see the second client's call first; then it is served.
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, large).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  slow.socket().Send(std::string_view(whole).substr(1000));
  EXPECT_EQ(slow.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.DoNotRetryIOException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, large).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.DoNotRetryIOException") << "there is room again";
}

}  // namespace
}  // namespace klip::server
