#include "server/call_priority.h"

#include "server/names.h"

namespace klip::server {
namespace {

constexpr uint32_t kOrdinary = 10;  // HConstants.QOS_THRESHOLD: the highest that is

}  // namespace

bool IsUrgent(std::string_view service, const Method& method, const rpc::Request& request) {
  const bool of_regions = service == "ClientService" || service == "AdminService";
  if (!of_regions) {
    return true;  // HBase's master is another process: no scan keeps it busy, whatever priority its calls have
  }
  if (request.header.has_priority()) {
    return request.header.priority() > kOrdinary;
  }
  if (service == "AdminService") {
    return request.header.method_name() != "ReplicateWALEntry";
  }
  const std::string region = method.region != nullptr ? method.region(request.param) : std::string();
  return region.starts_with("hbase:") || region == kMetaEncodedName;
}

}  // namespace klip::server
