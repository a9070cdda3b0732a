#include "server/rpc/call_priority.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "proto/Client.pb.h"

namespace klip::server {
namespace {

bool Urgent(const std::string& service, const std::string& method, std::optional<uint32_t> priority,
            const std::string& region = {}) {
  MethodTable methods;
  const auto nothing = [](const auto&, auto*, Call*) { return rpc::Error(); };
  methods.Add<hbase::pb::GetRequest, hbase::pb::GetResponse>("Get", nothing);
  methods.Add<hbase::pb::MultiRequest, hbase::pb::MultiResponse>("Multi", nothing);
  rpc::Request request;
  request.header.set_method_name(method);
  if (priority.has_value()) {
    request.header.set_priority(*priority);
  }
  hbase::pb::GetRequest get;
  get.mutable_region()->set_value(region);
  const std::string param = get.SerializePartialAsString();
  request.param = param;
  const Method* found = methods.Find(method);
  const Method other;
  return IsUrgent(service, found != nullptr ? *found : other, request);
}

TEST(CallPriorityTest, CallsOfRegionsGoByTheirPriorityOrTheirTable) {
  EXPECT_FALSE(Urgent("ClientService", "Get", {}, "t,,1.00000000000000000000000000000000."));
  EXPECT_TRUE(Urgent("ClientService", "Get", {}, "hbase:meta,,1"));
  EXPECT_TRUE(Urgent("ClientService", "Get", {}, "1588230740"));
  EXPECT_TRUE(Urgent("ClientService", "Get", {}, "hbase:acl,,1.00000000000000000000000000000000."));
  EXPECT_FALSE(Urgent("ClientService", "Get", 0, "hbase:meta,,1")) << "the client's word goes first";
  EXPECT_FALSE(Urgent("ClientService", "Get", 10, "hbase:meta,,1"));
  EXPECT_FALSE(Urgent("ClientService", "Get", static_cast<uint32_t>(-1), "hbase:meta,,1")) << "PRIORITY_UNSET";
  EXPECT_TRUE(Urgent("ClientService", "Get", 11, "t,,1.00000000000000000000000000000000."));
  EXPECT_FALSE(Urgent("ClientService", "Multi", {}, "hbase:meta,,1")) << "names regions, not a region";
}

TEST(CallPriorityTest, WhatHbaseSaysOfAMethodGoesBeforeTheClientsWord) {
  for (const char* method : {"FlushRegion", "CompactRegion", "GetRegionInfo", "GetOnlineRegion", "GetRegionLoad",
                             "GetServerInfo", "GetStoreFile", "GetSlowLogResponses", "ClearCompactionQueues"}) {
    EXPECT_TRUE(Urgent("AdminService", method, {})) << method;
    EXPECT_TRUE(Urgent("AdminService", method, 0)) << method;
  }
  for (const char* method : {"ReplicateWALEntry", "Replay"}) {
    EXPECT_FALSE(Urgent("AdminService", method, {})) << method;
    EXPECT_FALSE(Urgent("AdminService", method, 200)) << method;
  }
  EXPECT_FALSE(Urgent("AdminService", "RollWALWriter", {})) << "nothing is said of it";
  EXPECT_TRUE(Urgent("AdminService", "RollWALWriter", 11));
}

TEST(CallPriorityTest, TheMastersGoAheadWhateverTheirPriority) {
  EXPECT_TRUE(Urgent("MasterService", "GetTableNames", {}));
  EXPECT_TRUE(Urgent("MasterService", "GetTableNames", 0));
  EXPECT_TRUE(Urgent("ClientMetaService", "GetMetaRegionLocations", 0));
  EXPECT_TRUE(IsOfMaster("MasterService"));
  EXPECT_TRUE(IsOfMaster("HbckService"));
  EXPECT_FALSE(IsOfMaster("ClientMetaService")) << "clients begin with it";
  EXPECT_FALSE(IsOfMaster("AdminService"));
}

}  // namespace
}  // namespace klip::server
