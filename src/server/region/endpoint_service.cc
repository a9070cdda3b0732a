// ClientService: calls of coprocessor endpoints.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "server/node/services.h"
#include "server/region/endpoints.h"
#include "server/region/meta_table.h"
#include "server/region/row_calls.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

rpc::Error ExecService(Node* node, const CoprocessorServiceRequest& request, CoprocessorServiceResponse* response,
                       const Call& call) {
  *response->mutable_region() = request.region();
  if (IsMetaRegion(request.region().value())) {
    return CallMetaEndpoint(node, request.call(), call, response->mutable_value());
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  return CallEndpoint(node, region, request.call(), call, response->mutable_value());
}

// Full names ("hbase.pb.AggregateService") are the same services.
std::string_view ServiceOf(const CoprocessorServiceCall& call) {
  constexpr std::string_view kPackage = "hbase.pb.";
  std::string_view service = call.service_name();
  service.remove_prefix(service.starts_with(kPackage) ? kPackage.size() : 0);
  return service;
}

rpc::Error NoService(const CoprocessorServiceCall& call, std::string_view region) {
  return rpc::Error::Hbase(
      "exceptions.UnknownProtocolException",
      "No registered coprocessor service found for " + call.service_name() + " in region " + ToStringBinary(region),
      true);
}

rpc::Error NoServerService(const CoprocessorServiceRequest& request) {
  return rpc::Error::Hbase("exceptions.UnknownProtocolException",
                           "No registered coprocessor service found for " + request.call().service_name(), true);
}

}  // namespace

rpc::Error CallEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& service_call,
                        const Call& call, NameBytesPair* answer) {
  const std::string_view service = ServiceOf(service_call);
  const std::string& method = service_call.method_name();
  EndpointResult result;
  if (service == "AggregateService") {
    const auto scan_region = [&region](klip::Scan* scan,
                                       engine::ScanWatch watch) -> Expected<std::unique_ptr<ResultScanner>> {
      if (!ClipToRegion(*region.region, scan)) {
        return std::unique_ptr<ResultScanner>();
      }
      return region.table->Scan(*scan, std::move(watch));
    };
    KLIP_RPC_RETURN_IF_ERROR(CallAggregate(call, scan_region, method, service_call.request(), &result));
  } else if (service == "MultiRowMutationService") {
    KLIP_RPC_RETURN_IF_ERROR(CallMultiRowMutation(node, region, method, service_call.request(), &result));
  } else {
    return NoService(service_call, region.region->name);
  }
  answer->set_name(result.java_class);
  answer->set_value(std::move(result.bytes));
  return {};
}

rpc::Error CallMetaEndpoint(Node* node, const CoprocessorServiceCall& service_call, const Call& call,
                            NameBytesPair* answer) {
  if (ServiceOf(service_call) != "AggregateService") {
    return NoService(service_call, kMetaRegion);
  }
  const auto scan_region = [node](klip::Scan* scan, const engine::ScanWatch& /*watch*/) {
    return MetaTable(&node->regions, &node->self).Scan(*scan);
  };
  EndpointResult result;
  KLIP_RPC_RETURN_IF_ERROR(
      CallAggregate(call, scan_region, service_call.method_name(), service_call.request(), &result));
  answer->set_name(result.java_class);
  answer->set_value(std::move(result.bytes));
  return {};
}

void AddEndpointMethods(Node* node, MethodTable* methods) {
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecService",
      [node](const auto& request, auto* response, Call* call) { return ExecService(node, request, response, *call); });
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecRegionServerService", [](const auto& request, auto*, Call*) { return NoServerService(request); });
}

}  // namespace klip::server
