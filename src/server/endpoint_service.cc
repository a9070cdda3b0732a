// ClientService: calls of coprocessor endpoints.
#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "server/endpoints.h"
#include "server/services.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

rpc::Error ExecService(Node* node, const CoprocessorServiceRequest& request, CoprocessorServiceResponse* response,
                       const Call& call) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  *response->mutable_region() = request.region();
  return CallEndpoint(node, region, request.call(), call, response->mutable_value());
}

rpc::Error NoServerService(const CoprocessorServiceRequest& request) {
  return rpc::Error::Hbase("exceptions.UnknownProtocolException",
                           "No registered coprocessor service found for " + request.call().service_name(), true);
}

}  // namespace

rpc::Error CallEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& service_call,
                        const Call& call, NameBytesPair* answer) {
  // Full names ("hbase.pb.AggregateService") are the same services.
  constexpr std::string_view kPackage = "hbase.pb.";
  std::string_view service = service_call.service_name();
  service.remove_prefix(service.starts_with(kPackage) ? kPackage.size() : 0);
  const std::string& method = service_call.method_name();
  EndpointResult result;
  if (service == "AggregateService") {
    KLIP_RPC_RETURN_IF_ERROR(CallAggregate(call, region, method, service_call.request(), &result));
  } else if (service == "MultiRowMutationService") {
    KLIP_RPC_RETURN_IF_ERROR(CallMultiRowMutation(node, region, method, service_call.request(), &result));
  } else {
    return rpc::Error::Hbase("exceptions.UnknownProtocolException",
                             "No registered coprocessor service found for " + service_call.service_name() +
                                 " in region " + ToStringBinary(region.region->name),
                             true);
  }
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
