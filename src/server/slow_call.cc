#include "server/slow_call.h"

#include "proto/Client.pb.h"

namespace klip::server {
namespace {

// The region named by a request of this kind.
template <typename Request>
std::string RegionIn(std::string_view param) {
  Request request;
  return request.ParsePartialFromArray(param.data(), static_cast<int>(param.size())) ? request.region().value()
                                                                                     : std::string();
}

std::string RegionOf(const Call& call) {
  const std::string& method = call.header->method_name();
  if (!call.region.empty()) {
    return call.region;
  }
  if (method == "Get") {
    return RegionIn<hbase::pb::GetRequest>(call.param);
  }
  if (method == "Mutate") {
    return RegionIn<hbase::pb::MutateRequest>(call.param);
  }
  if (method == "Scan") {
    return RegionIn<hbase::pb::ScanRequest>(call.param);
  }
  if (method == "ExecService") {
    return RegionIn<hbase::pb::CoprocessorServiceRequest>(call.param);
  }
  hbase::pb::MultiRequest multi;
  if (method == "Multi" && multi.ParsePartialFromArray(call.param.data(), static_cast<int>(call.param.size())) &&
      multi.regionaction_size() > 0) {
    return multi.regionaction(0).region().value();  // the first of them
  }
  return {};
}

}  // namespace

void LogSlowCall(const Log& log, const Call& call, const std::string& peer, const CallCost& cost) {
  const std::string region = RegionOf(call);
  const std::string table = region.substr(0, region.find(','));
  log.Write("slow_call", {{"method", call.header->method_name()},
                          {"table", table},
                          {"region", region},
                          {"user", call.client->user},
                          {"client", peer},
                          {"ms", cost.us / 1000},
                          {"rows", call.rows},
                          {"request_bytes", static_cast<int64_t>(cost.request_bytes)},
                          {"response_bytes", static_cast<int64_t>(cost.response_bytes)}});
}

}  // namespace klip::server
