// ClientService: calls of coprocessor endpoints.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "server/node/services.h"
#include "server/node/user_services.h"
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

// Of a coprocessor of the table.
rpc::Error CallUsersEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& call,
                             NameBytesPair* answer) {
  rpc::Error none = NoService(call, region.region->name);
  if (node->coprocessors == nullptr) {
    return none;
  }
  const engine::TablePtr& table = region.table_regions->view;
  return TakeAnswer(node->coprocessors->CallRegion(table, table->RegionOf(region.region->start_key), call), none,
                    answer);
}

rpc::Error Aggregate(const EndpointCall& call, EndpointResult* result) {
  const auto scan_region = [&call](klip::Scan* scan,
                                   engine::ScanWatch watch) -> Expected<std::unique_ptr<ResultScanner>> {
    if (!ClipToRegion(*call.region->region, scan)) {
      return std::unique_ptr<ResultScanner>();
    }
    return call.region->table->Scan(*scan, std::move(watch));
  };
  return CallAggregate(*call.call, scan_region, call.method, call.request, result);
}

constexpr std::string_view kAggregate = "AggregateService";

}  // namespace

rpc::Error CallEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& service_call,
                        const Call& call, NameBytesPair* answer) {
  const Endpoint* const endpoint = node->endpoints.Find(service_call.service_name());
  if (endpoint == nullptr) {
    return CallUsersEndpoint(node, region, service_call, answer);
  }
  EndpointResult result;
  KLIP_RPC_RETURN_IF_ERROR(
      (*endpoint)({node, &region, service_call.method_name(), service_call.request(), &call}, &result));
  answer->set_name(result.java_class);
  answer->set_value(std::move(result.bytes));
  return {};
}

rpc::Error CallMetaEndpoint(Node* node, const CoprocessorServiceCall& service_call, const Call& call,
                            NameBytesPair* answer) {
  if (node->endpoints.Find(service_call.service_name()) != node->endpoints.Find(kAggregate)) {
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
  node->endpoints.Add(std::string(kAggregate), Aggregate);
  node->endpoints.Add("MultiRowMutationService", CallMultiRowMutation);
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecService",
      [node](const auto& request, auto* response, Call* call) { return ExecService(node, request, response, *call); });
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecRegionServerService", [node](const auto& request, auto* response, Call*) {
        return CallServerService(node, coprocessor::Target::kRegionServer, request, NoServerService(request), response);
      });
}

}  // namespace klip::server
