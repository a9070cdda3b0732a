#include "server/call_priority.h"

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
  EXPECT_TRUE(Urgent("ClientService", "Get", 11, "t,,1.00000000000000000000000000000000."));
  EXPECT_FALSE(Urgent("ClientService", "Multi", {}, "hbase:meta,,1")) << "names regions, not a region";
  EXPECT_TRUE(Urgent("AdminService", "FlushRegion", {}));
  EXPECT_FALSE(Urgent("AdminService", "FlushRegion", 0));
  EXPECT_FALSE(Urgent("AdminService", "ReplicateWALEntry", {}));
}

TEST(CallPriorityTest, TheMastersGoAheadWhateverTheirPriority) {
  EXPECT_TRUE(Urgent("MasterService", "GetTableNames", {}));
  EXPECT_TRUE(Urgent("MasterService", "GetTableNames", 0));
  EXPECT_TRUE(Urgent("ClientMetaService", "GetMetaRegionLocations", 0));
}

}  // namespace
}  // namespace klip::server
