// Scans that find nothing for long: they answer within the client's time, and end when nobody waits for them.
#include <atomic>
#include <string>

#include "filter/proto/filter_proto.h"
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "server/node/scanner_table.h"
#include "server/raw_client_test.h"
#include "server/rpc/call.h"

namespace klip::server {
namespace {

constexpr int kRows = 6000;

class ScanTimeTest : public ServerTest {
 protected:
  // A table with rows that take a filter long.
  void SetUp() override {
    server_.reset();
    {
      std::unique_ptr<Connection> connection = *Connection::Open("klip:" + root_ + "/store");
      TableDescriptor table = {.name = "t", .families = {{.name = "f"}}};
      ASSERT_TRUE(connection->admin().CreateTable(table).ok());
      region_ = connection->admin().GetRegions("t")->front().Name();
      const std::unique_ptr<BulkLoader> loader = *connection->NewBulkLoader("t");
      for (int i = 0; i < kRows; ++i) {
        ASSERT_TRUE(loader->Add(Put{.row = std::to_string(100000 + i)}.Add("f", "q", "aaaaaaaaaaaaaa")).ok());
      }
      ASSERT_TRUE(loader->Finish().ok());
    }
    Start();
  }

  // Nothing passes; each row takes some ten thousand steps.
  hbase::pb::ScanRequest Fruitless() const {
    hbase::pb::ScanRequest request;
    request.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(region_);
    const ComparatorPtr slow = *RegexStringComparator({.pattern = "(a|aa)+[bc]"});
    const filter::JavaObject filter = *filter::FilterToProto(*ValueFilter(CompareOp::kEqual, slow));
    request.mutable_scan()->mutable_filter()->set_name(filter.class_name);
    request.mutable_scan()->mutable_filter()->set_serialized_filter(filter.bytes);
    request.set_number_of_rows(10);
    return request;
  }

  std::string region_;
};

TEST_F(ScanTimeTest, ScansThatFindNothingAnswerWithinTheClientsTime) {
  RawClient client(rpc_port(), "ClientService");
  client.set_timeout_ms(20);
  hbase::pb::ScanRequest request = Fruitless();
  request.mutable_scan()->set_need_cursor_result(true);
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  hbase::pb::ScanResponse answer = client.Ask<hbase::pb::ScanResponse>("Scan", request);
  request.Clear();
  request.set_scanner_id(answer.scanner_id());
  request.set_number_of_rows(10);
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  std::string cursor;
  int calls = 1;
  for (; answer.heartbeat_message(); ++calls) {
    ASSERT_TRUE(answer.more_results_in_region());
    EXPECT_EQ(answer.cells_per_result_size(), 0);
    EXPECT_GT(answer.cursor().row(), cursor);
    cursor = answer.cursor().row();
    request.set_next_call_seq(static_cast<uint64_t>(calls - 1));
    answer = client.Ask<hbase::pb::ScanResponse>("Scan", request);
  }
  EXPECT_GT(calls, 3);
  EXPECT_FALSE(answer.more_results_in_region());
}

TEST_F(ScanTimeTest, AStoppingServerEndsScans) {
  const std::string message = Fruitless().SerializeAsString();
  RawClient client(rpc_port(), "ClientService");
  client.socket().Send(RawClient::Request(1, "Scan", message) + RawClient::Request(2, "NoSuchMethod", message));
  EXPECT_EQ(client.ReceiveAnswer().header.call_id(), 2U);  // so the scan is under way
  server_->Stop();
  const Answer answer = client.ReceiveAnswer();
  EXPECT_EQ(answer.exception(), "org.apache.hadoop.hbase.regionserver.RegionServerStoppedException");
}

// Calls that waited for a thread longer than their clients wait for them: those may have written something else
// meanwhile.
TEST_F(ScanTimeTest, CallsThatNobodyWaitsForAnyMoreAreNotRun) {
  constexpr uint32_t kScans = 40;  // more than there are threads
  hbase::pb::ScanRequest scan = Fruitless();
  scan.mutable_scan()->set_stop_row(std::to_string(100000 + kRows / 6));
  hbase::pb::MutateRequest put;
  *put.mutable_region() = scan.region();
  put.mutable_mutation()->set_row("late");
  put.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::PUT);
  auto* column = put.mutable_mutation()->add_column_value();
  column->set_family("f");
  column->add_qualifier_value()->set_value("v");
  std::string calls;
  for (uint32_t id = 1; id <= kScans; ++id) {
    calls += RawClient::Request(id, "Scan", scan.SerializeAsString());
  }
  calls += RawClient::Request(kScans + 1, "Mutate", put.SerializeAsString(), {}, /*timeout_ms=*/20);
  RawClient client(rpc_port(), "ClientService");
  client.socket().Send(calls);
  for (uint32_t i = 0; i < kScans; ++i) {
    EXPECT_LE(client.ReceiveAnswer().header.call_id(), kScans);
  }
  hbase::pb::GetRequest get;
  *get.mutable_region() = scan.region();
  get.mutable_get()->set_row("late");
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", get).result().associated_cell_count(), 0);
}

// Region locations and the master answer even if all threads run scans.
TEST_F(ScanTimeTest, UrgentCallsDoNotWaitForScans) {
  hbase::pb::ScanRequest meta;
  meta.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  meta.mutable_region()->set_value("hbase:meta,,1");
  meta.mutable_scan();
  meta.set_number_of_rows(0);
  hbase::pb::ScanRequest next;
  next.set_scanner_id(RawClient(rpc_port(), "ClientService").Ask<hbase::pb::ScanResponse>("Scan", meta).scanner_id());
  next.set_number_of_rows(10);
  constexpr uint32_t kThreads = 30;
  constexpr uint32_t kScans = 40;  // more than may run
  std::string calls;
  for (uint32_t id = 1; id <= kScans; ++id) {
    calls += RawClient::Request(id, "Scan", Fruitless().SerializeAsString());
  }
  hbase::pb::GetRequest get;
  *get.mutable_region() = Fruitless().region();
  get.mutable_get()->set_row("r");
  calls += RawClient::Request(kScans + 1, "Get", get.SerializeAsString());
  get.mutable_region()->set_value("hbase:meta,,1");
  calls += RawClient::Request(kScans + 2, "Get", get.SerializeAsString());
  RawClient client(rpc_port(), "ClientService");
  client.socket().Send(calls);
  uint32_t ended = 0;  // some scans may end, if this machine is busy
  const auto await = [&](uint32_t call) {
    while (client.ReceiveAnswer().header.call_id() != call) {
      ++ended;
    }
  };
  await(kScans + 2);
  client.socket().Send(RawClient::Request(kScans + 3, "Scan", next.SerializeAsString()));
  await(kScans + 3);  // its scanner is of hbase:meta
  EXPECT_LT(ended, kScans - kThreads) << "as many end before one that is not urgent gets a thread";
  RawClient master(rpc_port(), "MasterService");
  EXPECT_TRUE(master.Ask<hbase::pb::IsMasterRunningResponse>("IsMasterRunning", hbase::pb::IsMasterRunningRequest())
                  .is_master_running());
  server_->Stop();
}

TEST(ScanWatchTest, ScansEndWithTheirClientAndPauseInTime) {
  std::atomic<bool> disconnected = false;
  std::atomic<bool> stopping = false;
  Call call;
  call.disconnected = &disconnected;
  call.stopping = &stopping;
  BatchLimits limits;
  limits.call = &call;
  limits.out_of_time_us = 0;
  OpenScanner scanner;
  scanner.limits = &limits;
  const engine::ScanWatch watch = WatchOf(&scanner);
  EXPECT_EQ(watch("r"), engine::ScanAdvice::kGoOn) << "a client that does not know heartbeats";
  limits.heartbeats = true;
  limits.cuts_rows = true;
  EXPECT_EQ(watch("r"), engine::ScanAdvice::kPause);
  EXPECT_EQ(scanner.paused_at, "r");
  limits.out_of_time_us = MonotonicUs() + 1000000000;
  EXPECT_EQ(watch("s"), engine::ScanAdvice::kGoOn);
  disconnected = true;
  EXPECT_EQ(watch("s"), engine::ScanAdvice::kEnd);
}

}  // namespace
}  // namespace klip::server
