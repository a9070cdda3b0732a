// Calls without enough memory are refused so that the client retries, and do no harm.
#include "server/rpc/memory.h"

#include <array>
#include <string>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "proto/Client.pb.h"
#include "rpc/cell_block.h"
#include "rpc/compression.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

TEST(RequestMemoryTest, HoldsAheadWhatIsSpareElseWhatCame) {
  constexpr size_t kMb = 1 << 20;
  constexpr size_t kStep = 256 << 10;
  net::MemoryBudget budget;
  budget.Limit(16 * kMb, 0);
  std::array<net::MemoryShare, 3> shares;
  RequestMemory first(&budget, &shares[0]);
  EXPECT_TRUE(first.Hold(2 * kMb, 0));
  EXPECT_EQ(first.room(), 6 * kMb);
  RequestMemory second(&budget, &shares[1]);
  EXPECT_TRUE(second.Hold(kMb, 0)) << "less than half is left";
  EXPECT_EQ(second.room(), kStep);
  EXPECT_FALSE(RequestMemory(&budget, &shares[2]).Hold(4 * kMb, 0)) << "there is no room for all of it";
  EXPECT_TRUE(second.Hold(kMb, kStep));
  EXPECT_EQ(second.room(), 2 * kStep);
  EXPECT_TRUE(second.Hold(kMb, kMb));
  EXPECT_EQ(second.room(), 3 * kMb);
  {
    const net::MemoryLease passed_on = second.PassOn();
    second.Release();
    EXPECT_EQ(shares[1].taken, 3 * kMb);
  }
  first.Release();
  EXPECT_TRUE(budget.HasSpare());
  EXPECT_EQ(shares[0].taken + shares[1].taken + shares[2].taken, 0);
}

TEST(RequestMemoryTest, ALargeRequestGoesOnBesideOthers) {
  constexpr size_t kMb = 1 << 20;
  net::MemoryBudget budget;
  budget.Limit(kMb, 12 * kMb);
  std::array<net::MemoryShare, 2> shares;
  RequestMemory large(&budget, &shares[0]);
  EXPECT_FALSE(large.Hold(5 * kMb, 0)) << "its cost is more than there ever is";
  EXPECT_TRUE(large.Hold(4 * kMb, 0));
  EXPECT_LT(large.room(), kMb) << "it may never come";
  EXPECT_TRUE(large.Hold(4 * kMb, 2 * kMb));
  RequestMemory other(&budget, &shares[1]);
  EXPECT_FALSE(other.Hold(4 * kMb, 0)) << "one at a time";
  EXPECT_TRUE(other.Hold(kMb / 8, kMb / 8)) << "others have what they had";
  EXPECT_TRUE(large.Hold(4 * kMb, 4 * kMb));
  EXPECT_EQ(large.room(), 12 * kMb);
  large.Release();
  EXPECT_TRUE(other.Hold(4 * kMb, 4 * kMb));
}

// Starts a call of 20 MB. When it returns, the server has read so much that the call has the memory for large ones.
constexpr size_t kMost = 19 << 20;
void SendMost(RawClient* client, const std::string& call) {
  client->socket().Send(std::string_view(call).substr(0, kMost));
  for (int on_the_way = 1; on_the_way > 0;) {
    ASSERT_EQ(::ioctl(client->socket().descriptor(), SIOCOUTQ, &on_the_way), 0);
  }
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

  // Returns how many of the actions were executed: the client requests the others again.
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

// If rows exceed the memory for answers together, they come piece by piece.
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

// A row is read only as far as there is memory for it and its answer, not to its end before it is refused.
TEST_F(MemoryTest, RowsThatAreTooLargeAreNotReadToTheirEnd) {
  constexpr int kCells = 64;
  hbase::pb::GetRequest get;
  *get.mutable_region() = region_;
  get.mutable_get()->set_row("large");
  RawClient client(rpc_port(), "ClientService");
  for (int i = 0; i < kCells; ++i) {
    hbase::pb::MutateRequest put;
    *put.mutable_region() = region_;
    put.mutable_mutation()->set_row("large");
    put.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::PUT);
    auto* column = put.mutable_mutation()->add_column_value();
    column->set_family("f");
    column->add_qualifier_value()->set_value(std::string(1 << 20, 'v'));
    column->mutable_qualifier_value(0)->set_qualifier("q" + std::to_string(i));
    client.Ask<hbase::pb::MutateResponse>("Mutate", put);
    if (i == kCells / 3) {
      EXPECT_GT(client.Call("Get", get).cells.size(), size_t{kCells / 3} << 20) << "the row is twice in memory";
    }
  }
  EXPECT_EQ(client.Call("Get", get).exception(), "org.apache.hadoop.hbase.regionserver.RowTooBigException");
  // A started call has the memory for large calls: the rows of others wait.
  get.mutable_get()->add_column()->set_family("f");
  for (int i = 0; i < kCells / 3; ++i) {
    get.mutable_get()->mutable_column(0)->add_qualifier("q" + std::to_string(i));
  }
  RawClient holds(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(20 << 20, 'x'));
  SendMost(&holds, whole);
  std::string exception;
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.RegionTooBusyException"; ++tries) {
    exception = client.Call("Get", get).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.RegionTooBusyException");
}

// The cells of a refused action are not taken for those of the next.
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

// Compressed cells are charged with their decompressed size.
TEST_F(MemoryTest, UnpackedCellsAreCharged) {
  rpc::Buffer packed;
  ASSERT_TRUE(rpc::Compress(rpc::Compression::kDeflate, std::string(16 << 20, '\0'), &packed).ok());
  const std::string cells(packed.view());
  ASSERT_LT(cells.size(), size_t{1} << 20);
  // A large request is accepted; others beside it are not.
  RawClient holds(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(20 << 20, 'x'));
  SendMost(&holds, whole);
  RawClient client(rpc_port(), "ClientService", true, "org.apache.hadoop.io.compress.DeflateCodec");
  hbase::pb::GetRequest get;
  *get.mutable_region() = region_;
  get.mutable_get()->set_row("none");
  std::string exception;
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("Get", get, cells).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  holds.socket().Send(std::string_view(whole).substr(kMost));
  EXPECT_EQ(holds.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && !exception.empty(); ++tries) {
    exception = client.Call("Get", get, cells).exception();
  }
  EXPECT_EQ(exception, "") << "there is room again";
  packed = rpc::Buffer();
  ASSERT_TRUE(rpc::Compress(rpc::Compression::kDeflate, std::string(200 << 20, '\0'), &packed).ok());
  EXPECT_EQ(client.Call("Get", get, std::string(packed.view())).exception(),
            "org.apache.hadoop.hbase.exceptions.RequestTooBigException")
      << "there never is so much";
}

TEST_F(ServerTest, CallsWithoutMemoryAreRefusedOneByOne) {
  ServerOptions options;
  options.memory_limit = kLeastMemoryLimit;
  Start(options);
  // A request that is never completed, and those that need more than is left beside it.
  RawClient slow(rpc_port(), "ClientService");
  const std::string whole = RawClient::Request(1, "NoSuchMethod", std::string(20 << 20, 'x'));
  SendMost(&slow, whole);
  RawClient client(rpc_port(), "ClientService");
  const hbase::pb::GetRequest none;
  const std::string large(static_cast<size_t>(kLeastMemoryLimit) / 8, 'y');
  std::string exception;
  // The server may see the second client's call first; then it is served.
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.CallQueueTooBigException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, large).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.CallQueueTooBigException");
  slow.socket().Send(std::string_view(whole).substr(kMost));
  EXPECT_EQ(slow.ReceiveAnswer().header.call_id(), 1U);
  for (int tries = 0; tries < 1000 && exception != "org.apache.hadoop.hbase.DoNotRetryIOException"; ++tries) {
    exception = client.Call("NoSuchMethod", none, large).exception();
  }
  EXPECT_EQ(exception, "org.apache.hadoop.hbase.DoNotRetryIOException") << "there is room again";
}

}  // namespace
}  // namespace klip::server
