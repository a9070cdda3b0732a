// What a cluster's master and servers remember, by a server that remembers something: klip's own remember nothing.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"

namespace klip::client {
namespace {

class Servers : public ::testing::Test {
 protected:
  Servers() : server_([this](const std::string& method, const rpc::Request& request) { return Run(method, request); }) {
    const std::string address = server_.address();
    self_ = {"127.0.0.1", static_cast<uint16_t>(std::stoi(address.substr(address.find(':') + 1))), 5};
    FillSelf(master_.mutable_server_name());
    FillSelf(status_.mutable_cluster_status()->add_servers_name());
    answers_["GetActiveMaster"] = &master_;
    answers_["GetClusterStatus"] = &status_;
    auto connection = Connection::Open(server_.uri());
    EXPECT_TRUE(connection.ok());
    connection_ = *std::move(connection);
  }

  FakeServer::Answer Run(const std::string& method, const rpc::Request& request) {
    asked_[method] = request.param;
    const auto found = answers_.find(method);
    return found == answers_.end() ? FakeServer::Exception(request, "UnsupportedOperationException", true)
                                   : FakeServer::Frame(request, *found->second);
  }

  void FillSelf(hbase::pb::ServerName* name) const {
    name->set_host_name(self_.host);
    name->set_port(self_.port);
    name->set_start_code(static_cast<uint64_t>(self_.start_code));
  }

  template <typename Request>
  Request Asked(const std::string& method) {
    Request request;
    EXPECT_TRUE(request.ParseFromString(asked_[method])) << method;
    return request;
  }

  Admin& admin() { return connection_->admin(); }

  hbase::pb::GetActiveMasterResponse master_;
  hbase::pb::GetClusterStatusResponse status_;
  std::map<std::string, const google::protobuf::MessageLite*> answers_;
  std::map<std::string, std::string> asked_;
  FakeServer server_;
  ServerName self_;
  std::unique_ptr<Connection> connection_;
};

void FillProcedure(uint64_t id, hbase::pb::Procedure* procedure) {
  procedure->set_class_name("org.apache.Create");
  procedure->set_proc_id(id);
  procedure->set_submitted_time(1000);
  procedure->set_last_update(2000);
  procedure->set_state(hbase::pb::WAITING_TIMEOUT);
}

TEST_F(Servers, Procedures) {
  hbase::pb::GetProceduresResponse response;
  FillProcedure(7, response.add_procedure());
  response.mutable_procedure(0)->set_parent_id(6);
  response.mutable_procedure(0)->set_owner("ann");
  response.mutable_procedure(0)->add_state_message(std::string("\x0a\x09x/pb.Data\x12\x01v", 14));
  response.mutable_procedure(0)->add_state_message("damaged");
  answers_["GetProcedures"] = &response;
  const auto procedures = admin().ListProcedures();
  ASSERT_TRUE(procedures.ok()) << procedures.status().ToString();
  ASSERT_EQ(procedures->size(), 1U);
  const ProcedureInfo& one = procedures->front();
  EXPECT_EQ(one.id, 7);
  EXPECT_EQ(one.parent_id, 6);
  EXPECT_EQ(one.class_name, "org.apache.Create");
  EXPECT_EQ(one.state, "WAITING_TIMEOUT");
  EXPECT_EQ(one.owner, "ann");
  EXPECT_EQ(one.submitted_ms, 1000);
  EXPECT_EQ(one.last_update_ms, 2000);
  EXPECT_EQ(one.state_types, (std::vector<std::string>{"Data", ""}));
}

TEST_F(Servers, Locks) {
  hbase::pb::GetLocksResponse response;
  hbase::pb::LockedResource* exclusive = response.add_lock();
  exclusive->set_resource_type(hbase::pb::TABLE);
  exclusive->set_resource_name("t");
  exclusive->set_lock_type(hbase::pb::EXCLUSIVE);
  FillProcedure(7, exclusive->mutable_exclusive_lock_owner_procedure());
  FillProcedure(8, exclusive->add_waitingprocedures());
  hbase::pb::LockedResource* shared = response.add_lock();
  shared->set_resource_type(hbase::pb::NAMESPACE);
  shared->set_resource_name("default");
  shared->set_lock_type(hbase::pb::SHARED);
  shared->set_shared_lock_count(3);
  answers_["GetLocks"] = &response;
  const auto locks = admin().ListLocks();
  ASSERT_TRUE(locks.ok()) << locks.status().ToString();
  ASSERT_EQ(locks->size(), 2U);
  EXPECT_EQ(locks->front().resource_type, "TABLE");
  EXPECT_TRUE(locks->front().exclusive);
  EXPECT_EQ(locks->front().owner->id, 7);
  EXPECT_EQ(locks->front().waiting.front().id, 8);
  EXPECT_EQ(locks->back().resource_type, "NAMESPACE");
  EXPECT_FALSE(locks->back().exclusive);
  EXPECT_FALSE(locks->back().owner.has_value());
  EXPECT_EQ(locks->back().shared_count, 3);
}

TEST_F(Servers, SlowCalls) {
  hbase::pb::SlowLogResponses response;
  hbase::pb::SlowLogPayload* payload = response.add_slow_log_payloads();
  payload->set_start_time(1);
  payload->set_processing_time(2);
  payload->set_queue_time(3);
  payload->set_response_size(4);
  payload->set_client_address("c:1");
  payload->set_server_class("HRegionServer");
  payload->set_method_name("Multi");
  payload->set_call_details("Multi(...)");
  payload->set_user_name("ann");
  payload->set_multi_gets(9);
  payload->set_type(hbase::pb::SlowLogPayload::LARGE_LOG);
  answers_["GetLargeLogResponses"] = &response;
  const auto calls = admin().GetSlowCalls({.large = true, .table = "t", .user = "ann", .match_all = true, .limit = 3});
  ASSERT_TRUE(calls.ok()) << calls.status().ToString();
  ASSERT_EQ(calls->size(), 1U);
  EXPECT_EQ(calls->front().processing_ms, 2);
  EXPECT_EQ(calls->front().response_bytes, 4);
  EXPECT_EQ(calls->front().gets, 9);
  const auto asked = Asked<hbase::pb::SlowLogResponseRequest>("GetLargeLogResponses");
  EXPECT_EQ(asked.table_name(), "t");
  EXPECT_FALSE(asked.has_region_name());
  EXPECT_EQ(asked.limit(), 3U);
  EXPECT_EQ(asked.filter_by_operator(), hbase::pb::SlowLogResponseRequest::AND);
  // A server that refuses is an error, not an empty answer.
  EXPECT_FALSE(admin().GetSlowCalls().ok());
}

TEST_F(Servers, DecisionsOfTheBalancer) {
  hbase::pb::BalancerDecisionsResponse decisions;
  hbase::pb::BalancerDecision* decision = decisions.add_balancer_decision();
  decision->set_initial_function_costs("a");
  decision->set_final_function_costs("b");
  decision->set_init_total_cost(2.5);
  decision->set_computed_total_cost(1.5);
  decision->set_computed_steps(10);
  decision->add_region_plans("plan");
  hbase::pb::LogEntry entry;
  entry.set_log_class_name("x.BalancerDecisionsResponse");
  entry.set_log_message(decisions.SerializeAsString());
  answers_["GetLogEntries"] = &entry;
  const auto found = admin().GetBalancerDecisions(2);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->front().initial_cost, 2.5);
  EXPECT_EQ(found->front().steps, 10);
  EXPECT_EQ(found->front().region_plans, (std::vector<std::string>{"plan"}));
  EXPECT_TRUE(Asked<hbase::pb::LogRequest>("GetLogEntries").log_class_name().ends_with("$BalancerDecisionsRequest"));
  entry.set_log_message("damaged");
  EXPECT_EQ(admin().GetBalancerRejections().status().code(), Code::kIoError);
}

TEST_F(Servers, QuotasAreAskedFor) {
  const hbase::pb::SetQuotaResponse response;
  answers_["SetQuota"] = &response;
  QuotaSettings settings = {.user = "u", .table = "n:t"};
  settings.throttle = ThrottleQuota{
      .type = ThrottleType::kReadSize, .limit = 5 << 20, .period = QuotaPeriod::kHour, .of_cluster = true};
  ASSERT_TRUE(admin().SetQuota(settings).ok());
  auto asked = Asked<hbase::pb::SetQuotaRequest>("SetQuota");
  EXPECT_EQ(asked.user_name(), "u");
  EXPECT_EQ(asked.table_name().namespace_(), "n");
  EXPECT_EQ(asked.throttle().type(), hbase::pb::READ_SIZE);
  EXPECT_EQ(asked.throttle().timed_quota().soft_limit(), 5U << 20);
  EXPECT_EQ(asked.throttle().timed_quota().time_unit(), hbase::pb::HOURS);
  EXPECT_EQ(asked.throttle().timed_quota().scope(), hbase::pb::CLUSTER);
  settings.space = SpaceQuota{};
  EXPECT_EQ(admin().SetQuota(settings).code(), Code::kInvalidArgument);  // two at once
  settings.throttle.reset();
  ASSERT_TRUE(admin().SetQuota(settings).ok());
  asked = Asked<hbase::pb::SetQuotaRequest>("SetQuota");
  EXPECT_TRUE(asked.space_limit().quota().remove());
  EXPECT_FALSE(asked.has_throttle());
}

}  // namespace
}  // namespace klip::client
