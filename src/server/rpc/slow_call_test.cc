// Slow and large calls that the server remembers.
#include <string>

#include "proto/Admin.pb.h"
#include "proto/Client.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

using hbase::pb::SlowLogPayload;
using hbase::pb::SlowLogResponseRequest;
using hbase::pb::SlowLogResponses;

class SlowCallTest : public ServerTest {
 protected:
  void Restart(int64_t slow_call_ms, int64_t large_response_bytes) {
    ServerOptions options;
    options.slow_call_ms = slow_call_ms;
    options.large_response_bytes = large_response_bytes;
    Start(options);
  }

  // Reads a missing row of hbase:meta.
  void Get(const std::string& row) {
    hbase::pb::GetRequest get;
    get.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    get.mutable_region()->set_value("hbase:meta,,1");
    get.mutable_get()->set_row(row);
    RawClient(rpc_port(), "ClientService").Ask<hbase::pb::GetResponse>("Get", get);
  }

  SlowLogResponses Calls(const SlowLogResponseRequest& request) {
    const std::string method =
        request.log_type() == SlowLogResponseRequest::LARGE_LOG ? "GetLargeLogResponses" : "GetSlowLogResponses";
    return RawClient(rpc_port(), "AdminService").Ask<SlowLogResponses>(method, request);
  }
  // Only of that region, so that requests for slow calls are not among them.
  static SlowLogResponseRequest OfMeta(uint32_t limit) {
    SlowLogResponseRequest request;
    request.set_region_name("hbase:meta,,1");
    request.set_limit(limit);
    return request;
  }
};

TEST_F(SlowCallTest, WhatIsKept) {
  Restart(/*slow_call_ms=*/0, /*large_response_bytes=*/1 << 20);
  Get("r1");
  const SlowLogResponses calls = Calls(OfMeta(10));
  ASSERT_EQ(calls.slow_log_payloads_size(), 1);
  const SlowLogPayload& call = calls.slow_log_payloads(0);
  EXPECT_EQ(call.method_name(), "Get");
  EXPECT_EQ(call.call_details(), "Get(org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos$GetRequest)");
  EXPECT_EQ(call.param(), "region= hbase:meta,,1, row= r1");
  EXPECT_EQ(call.server_class(), "HRegionServer");
  EXPECT_EQ(call.user_name(), "test");
  EXPECT_TRUE(call.client_address().starts_with("127.0.0.1:")) << call.client_address();
  EXPECT_GT(call.start_time(), 0);
  EXPECT_GT(call.response_size(), 0);
  EXPECT_EQ(call.type(), SlowLogPayload::SLOW_LOG);
}

TEST_F(SlowCallTest, TheLastAreKept) {
  Restart(0, 1 << 20);
  for (int i = 0; i < 300; ++i) {
    Get("r" + std::to_string(i));
  }
  const SlowLogResponses calls = Calls(OfMeta(1000));
  ASSERT_EQ(calls.slow_log_payloads_size(), 256);
  EXPECT_EQ(calls.slow_log_payloads(0).param(), "region= hbase:meta,,1, row= r299");
  EXPECT_EQ(calls.slow_log_payloads(255).param(), "region= hbase:meta,,1, row= r44");
  EXPECT_EQ(Calls(OfMeta(3)).slow_log_payloads_size(), 3);
}

TEST_F(SlowCallTest, AnyOrAllThatIsAskedFor) {
  Restart(0, 1 << 20);
  Get("r");
  SlowLogResponseRequest request = OfMeta(10);
  request.set_user_name("nobody");
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 1);
  request.set_filter_by_operator(SlowLogResponseRequest::AND);
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 0);
  request.set_user_name("test");
  request.set_table_name("hbase:meta");
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 1);
  request.set_client_address("10.0.0.1:1");
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 0);
}

TEST_F(SlowCallTest, LargeOnesAreOfTheirOwn) {
  Restart(/*slow_call_ms=*/60'000, /*large_response_bytes=*/1);
  Get("r");
  SlowLogResponseRequest request = OfMeta(10);
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 0);
  request.set_log_type(SlowLogResponseRequest::LARGE_LOG);
  ASSERT_EQ(Calls(request).slow_log_payloads_size(), 1);
  EXPECT_EQ(Calls(request).slow_log_payloads(0).type(), SlowLogPayload::LARGE_LOG);
  EXPECT_TRUE(
      RawClient(rpc_port(), "AdminService")
          .Ask<hbase::pb::ClearSlowLogResponses>("ClearSlowLogsResponses", hbase::pb::ClearSlowLogResponseRequest())
          .is_cleaned());
  EXPECT_EQ(Calls(request).slow_log_payloads_size(), 0);
}

TEST_F(SlowCallTest, ASlowMulti) {
  Restart(0, 1);
  hbase::pb::MultiRequest multi;
  hbase::pb::RegionAction* region = multi.add_regionaction();
  region->mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  region->mutable_region()->set_value("hbase:meta,,1");
  for (uint32_t i = 0; i < 3; ++i) {
    hbase::pb::Action* action = region->add_action();
    action->set_index(i);
    action->mutable_get()->set_row("r");
  }
  RawClient(rpc_port(), "ClientService").Ask<hbase::pb::MultiResponse>("Multi", multi);
  const SlowLogResponses calls = Calls(OfMeta(10));
  ASSERT_EQ(calls.slow_log_payloads_size(), 1);
  EXPECT_EQ(calls.slow_log_payloads(0).multi_gets(), 3);
  EXPECT_EQ(calls.slow_log_payloads(0).param(), "region= hbase:meta,,1, for 3 action(s)");
  EXPECT_EQ(calls.slow_log_payloads(0).type(), SlowLogPayload::ALL);
}

TEST_F(SlowCallTest, LongNamesAreCut) {
  Restart(0, 1 << 20);
  hbase::pb::CoprocessorServiceRequest exec;
  exec.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  exec.mutable_region()->set_value("hbase:meta,,1");
  exec.mutable_call()->set_row("r");
  exec.mutable_call()->set_service_name(std::string(1 << 20, 's'));
  exec.mutable_call()->set_method_name(std::string(1 << 20, 'm'));
  exec.mutable_call()->set_request("");
  RawClient(rpc_port(), "ClientService").Call("ExecService", exec);
  const SlowLogResponses calls = Calls(OfMeta(10));
  ASSERT_EQ(calls.slow_log_payloads_size(), 1);
  EXPECT_EQ(calls.slow_log_payloads(0).param(),
            "coprocessorService= " + std::string(1000, 's') + ":" + std::string(1000, 'm'));
}

}  // namespace
}  // namespace klip::server
