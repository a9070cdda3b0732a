// Records of a cluster's master and servers, from a fake server: klip serve keeps none.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "proto/RSGroupAdmin.pb.h"
#include "proto/Replication.pb.h"

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
  const auto procedures = admin().cluster().ListProcedures();
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
  const auto locks = admin().cluster().ListLocks();
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
  const auto calls =
      admin().servers().GetSlowCalls({.large = true, .table = "t", .user = "ann", .match_all = true, .limit = 3});
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
  EXPECT_FALSE(admin().servers().GetSlowCalls().ok());
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
  const auto found = admin().cluster().GetBalancerDecisions(2);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  EXPECT_EQ(found->front().initial_cost, 2.5);
  EXPECT_EQ(found->front().steps, 10);
  EXPECT_EQ(found->front().region_plans, (std::vector<std::string>{"plan"}));
  EXPECT_TRUE(Asked<hbase::pb::LogRequest>("GetLogEntries").log_class_name().ends_with("$BalancerDecisionsRequest"));
  entry.set_log_message("damaged");
  EXPECT_EQ(admin().cluster().GetBalancerRejections().status().code(), Code::kIoError);
}

TEST_F(Servers, QuotasAreAskedFor) {
  const hbase::pb::SetQuotaResponse response;
  answers_["SetQuota"] = &response;
  QuotaSettings settings = {.user = "u", .table = "n:t"};
  settings.throttle = ThrottleQuota{
      .type = ThrottleType::kReadSize, .limit = 5 << 20, .period = QuotaPeriod::kHour, .of_cluster = true};
  ASSERT_TRUE(admin().quotas().SetQuota(settings).ok());
  auto asked = Asked<hbase::pb::SetQuotaRequest>("SetQuota");
  EXPECT_EQ(asked.user_name(), "u");
  EXPECT_EQ(asked.table_name().namespace_(), "n");
  EXPECT_EQ(asked.throttle().type(), hbase::pb::READ_SIZE);
  EXPECT_EQ(asked.throttle().timed_quota().soft_limit(), 5U << 20);
  EXPECT_EQ(asked.throttle().timed_quota().time_unit(), hbase::pb::HOURS);
  EXPECT_EQ(asked.throttle().timed_quota().scope(), hbase::pb::CLUSTER);
  settings.space = SpaceQuota{};
  EXPECT_EQ(admin().quotas().SetQuota(settings).code(), Code::kInvalidArgument);  // two at once
  settings.throttle.reset();
  ASSERT_TRUE(admin().quotas().SetQuota(settings).ok());
  asked = Asked<hbase::pb::SetQuotaRequest>("SetQuota");
  EXPECT_TRUE(asked.space_limit().quota().remove());
  EXPECT_FALSE(asked.has_throttle());
}

TEST_F(Servers, PeersAreAskedFor) {
  hbase::pb::AddReplicationPeerResponse added;
  added.set_proc_id(9);
  hbase::pb::GetProcedureResultResponse done;
  done.set_state(hbase::pb::GetProcedureResultResponse::FINISHED);
  answers_["AddReplicationPeer"] = &added;
  answers_["getProcedureResult"] = &done;
  const ReplicationPeerConfig config = {.cluster_key = "h:2181:/hbase",
                                        .endpoint_class = "org.example.Endpoint",
                                        .configuration = {{"c", "1"}},
                                        .data = {{"d", "2"}},
                                        .replicate_all = false,
                                        .table_families = {{"n:t", {"f", "g"}}, {"u", {}}},
                                        .namespaces = {"n"},
                                        .exclude_table_families = {{"x", {"f"}}},
                                        .exclude_namespaces = {"y"},
                                        .bandwidth = 5,
                                        .serial = true};
  ASSERT_TRUE(admin().replication().AddReplicationPeer("1", config, /*enabled=*/false).ok());
  const auto asked = Asked<hbase::pb::AddReplicationPeerRequest>("AddReplicationPeer");
  EXPECT_EQ(asked.peer_id(), "1");
  EXPECT_EQ(asked.peer_state().state(), hbase::pb::ReplicationState::DISABLED);
  EXPECT_EQ(asked.peer_config().table_cfs(0).table_name().namespace_(), "n");
  EXPECT_EQ(Asked<hbase::pb::GetProcedureResultRequest>("getProcedureResult").proc_id(), 9U);

  // The master returns what it was given.
  hbase::pb::ListReplicationPeersResponse peers;
  peers.add_peer_desc()->set_id("1");
  peers.mutable_peer_desc(0)->mutable_state()->set_state(hbase::pb::ReplicationState::ENABLED);
  *peers.mutable_peer_desc(0)->mutable_config() = asked.peer_config();
  answers_["ListReplicationPeers"] = &peers;
  const auto found = admin().replication().ListReplicationPeers();
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ASSERT_EQ(found->size(), 1U);
  EXPECT_TRUE(found->front().enabled);
  EXPECT_EQ(found->front().config, config);
  peers.mutable_peer_desc(0)->mutable_config()->Clear();
  EXPECT_EQ(admin().replication().ListReplicationPeers()->front().config, ReplicationPeerConfig());
  // The procedure fails.
  done.mutable_exception()->mutable_generic_exception()->set_class_name(
      "org.apache.hadoop.hbase.DoNotRetryIOException");
  done.mutable_exception()->mutable_generic_exception()->set_message("no such peer");
  done.mutable_exception()->set_source("test");
  const hbase::pb::RemoveReplicationPeerResponse removed;
  answers_["RemoveReplicationPeer"] = &removed;
  EXPECT_EQ(admin().replication().RemoveReplicationPeer("2").message(), "no such peer");
}

// Groups are an endpoint of the master.
TEST_F(Servers, GroupsAreAskedFor) {
  hbase::pb::GetRSGroupInfoOfServerResponse group;
  group.mutable_r_s_group_info()->set_name("g");
  for (const char* host : {"h2", "h1"}) {
    hbase::pb::ServerName* server = group.mutable_r_s_group_info()->add_servers();
    server->set_host_name(host);
    server->set_port(16020);
  }
  hbase::pb::TableName* table = group.mutable_r_s_group_info()->add_tables();
  table->set_namespace_("n");
  table->set_qualifier("t");
  hbase::pb::CoprocessorServiceResponse answer;
  answer.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  answer.mutable_region()->set_value("");
  answer.mutable_value()->set_name("x");
  answer.mutable_value()->set_value(group.SerializeAsString());
  answers_["ExecMasterService"] = &answer;
  RSGroupAdmin* const groups = *admin().rs_groups();
  const auto found = groups->GetRSGroupOfServer("h1:16020");
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  const RSGroupInfo wanted = {.name = "g", .servers = {"h1:16020", "h2:16020"}, .tables = {"n:t"}, .configuration = {}};
  EXPECT_EQ(**found, wanted);
  auto asked = Asked<hbase::pb::CoprocessorServiceRequest>("ExecMasterService");
  EXPECT_EQ(asked.call().service_name(), "RSGroupAdminService");
  EXPECT_EQ(asked.call().method_name(), "GetRSGroupInfoOfServer");
  EXPECT_EQ(groups->GetRSGroupOfServer("nowhere").status().code(), Code::kInvalidArgument);

  answer.mutable_value()->set_value("");
  EXPECT_FALSE(groups->GetRSGroup("g")->has_value());
  const std::vector<std::string> servers = {"h1:16020"};
  const std::vector<std::string> tables = {"n:t", "u"};
  ASSERT_TRUE(groups->MoveToRSGroup("g", servers, {}).ok());
  asked = Asked<hbase::pb::CoprocessorServiceRequest>("ExecMasterService");
  EXPECT_EQ(asked.call().method_name(), "MoveServers");
  ASSERT_TRUE(groups->MoveToRSGroup("g", {}, tables).ok());
  asked = Asked<hbase::pb::CoprocessorServiceRequest>("ExecMasterService");
  EXPECT_EQ(asked.call().method_name(), "MoveTables");
  ASSERT_TRUE(groups->MoveToRSGroup("g", servers, tables).ok());
  asked = Asked<hbase::pb::CoprocessorServiceRequest>("ExecMasterService");
  EXPECT_EQ(asked.call().method_name(), "MoveServersAndTables");
  hbase::pb::MoveServersAndTablesRequest move;
  ASSERT_TRUE(move.ParseFromString(asked.call().request()));
  EXPECT_EQ(move.servers(0).host_name(), "h1");
  EXPECT_EQ(move.table_name_size(), 2);
  answer.mutable_value()->set_value("damaged");
  EXPECT_EQ(groups->ListRSGroups().status().code(), Code::kIoError);
}

TEST_F(Servers, AllRegionsOfAServerAreCompacted) {
  hbase::pb::GetOnlineRegionResponse online;
  for (const char* start : {"", "m"}) {
    hbase::pb::RegionInfo* region = online.add_region_info();
    region->set_region_id(1);
    rpc::FillTableName("t", region->mutable_table_name());
    region->set_start_key(start);
  }
  online.add_region_info()->set_region_id(1);
  rpc::FillTableName("hbase:meta", online.mutable_region_info(2)->mutable_table_name());
  const hbase::pb::CompactRegionResponse compacted;
  const hbase::pb::ClearCompactionQueuesResponse cleared;
  answers_["GetOnlineRegion"] = &online;
  answers_["CompactRegion"] = &compacted;
  answers_["ClearCompactionQueues"] = &cleared;
  ASSERT_TRUE(admin().servers().CompactServer(self_, /*major=*/true).ok());
  const auto asked = Asked<hbase::pb::CompactRegionRequest>("CompactRegion");  // the last of the three
  EXPECT_EQ(asked.region().value(), "hbase:meta,,1");
  EXPECT_TRUE(asked.major());
  const std::vector<std::string> queues = {"long"};
  ASSERT_TRUE(admin().servers().ClearCompactionQueues(self_, queues).ok());
  EXPECT_EQ(Asked<hbase::pb::ClearCompactionQueuesRequest>("ClearCompactionQueues").queue_name(0), "long");
  EXPECT_EQ(admin().cluster().DumpZooKeeper().status().code(), Code::kUnsupported);  // hbase+rpc://
}

}  // namespace
}  // namespace klip::client
