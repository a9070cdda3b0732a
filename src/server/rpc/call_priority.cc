#include "server/rpc/call_priority.h"

#include <algorithm>
#include <array>

#include "server/rpc/names.h"

namespace klip::server {
namespace {

constexpr int32_t kOrdinary = 10;  // HConstants.QOS_THRESHOLD: the highest ordinary priority

// The annotations of HBase's RSRpcServices (@QosPriority) take precedence over the client's priority: these are
// ADMIN_QOS.
constexpr std::array<std::string_view, 11> kAdminMethods = {
    "ClearCompactionQueues", "ClearSlowLogsResponses", "CompactRegion", "FlushRegion",
    "GetLargeLogResponses",  "GetOnlineRegion",        "GetRegionInfo", "GetRegionLoad",
    "GetServerInfo",         "GetSlowLogResponses",    "GetStoreFile"};
// And these REPLICATION_QOS and REPLAY_QOS.
constexpr std::array<std::string_view, 2> kReplicationMethods = {"ReplicateWALEntry", "Replay"};

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool IsOfMaster(std::string_view service) { return service == "MasterService" || service == "HbckService"; }

bool IsUrgent(std::string_view service, const Method& method, const rpc::Request& request) {
  const bool of_regions = service == "ClientService" || service == "AdminService";
  const std::string& name = request.header.method_name();
  if (!of_regions || IsOneOf(name, kAdminMethods)) {
    return true;
  }
  if (IsOneOf(name, kReplicationMethods)) {
    return false;
  }
  if (request.header.has_priority()) {
    return static_cast<int32_t>(request.header.priority()) > kOrdinary;  // Java's is signed
  }
  const std::string region = method.region != nullptr ? method.region(request.param) : std::string();
  return region.starts_with("hbase:") || region == kMetaEncodedName;
}

}  // namespace klip::server
