// ClientService: calls of coprocessor endpoints.
#include <memory>
#include <optional>
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
#include "table/observers.h"
#include "table/read/read_operation.h"

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

// Calls an endpoint of the program that serves the store. False: no such endpoint exists.
Expected<bool> CallProgramsEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& call,
                                    NameBytesPair* answer) {
  const engine::TablePtr& table = region.table_regions->view;
  KLIP_ASSIGN_OR_RETURN(
      std::optional<std::string> bytes,
      table::CallEndpoint(*node->embedded->shared().settings.attached, *table,
                          table->RegionOf(region.region->start_key),
                          {.service = call.service_name(), .method = call.method_name(), .request = call.request()}));
  if (!bytes.has_value()) {
    return false;
  }
  answer->set_name(call.service_name());  // clients know the message's class
  answer->set_value(*std::move(bytes));
  return true;
}

// Calls an endpoint of one of the table's coprocessors.
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
  const auto scan_region = [&call](klip::Scan* scan) { return ScanRegionOf(call, scan); };
  return CallAggregate(*call.call, scan_region, call.method, call.request, result);
}

constexpr std::string_view kAggregate = "AggregateService";

}  // namespace

Expected<std::unique_ptr<ResultScanner>> ScanRegionOf(const EndpointCall& call, klip::Scan* scan) {
  if (!ClipToRegion(*call.region->region, scan)) {
    return std::unique_ptr<ResultScanner>();
  }
  table::EmbeddedConnection& store = *call.node->embedded;
  KLIP_ASSIGN_OR_RETURN(const table::SlotPtr slot, store.FindSlot(call.region->region->table));
  KLIP_ASSIGN_OR_RETURN(const table::ReadOperation read, table::ReadOperation::Prepare(&store.shared(), slot.get()));
  return read.WithoutHooks().Scan(*scan, [call = call.call](std::string_view) {
    return call->Abandoned() ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
  });
}

Status CheckWanted(const Call& call) {
  return call.Abandoned() ? Status(Code::kCancelled, "the client no longer waits, or the server is stopping")
                          : Status::Ok();
}

rpc::Error NoEndpointMethod(std::string_view method, std::string_view service) {
  return rpc::Error::Hbase("exceptions.UnknownProtocolException",
                           "Unknown method " + std::string(method) + " called on service " + std::string(service),
                           true);
}

rpc::Error CallEndpoint(Node* node, const RegionRef& region, const CoprocessorServiceCall& service_call,
                        const Call& call, NameBytesPair* answer) {
  const Expected<bool> called = CallProgramsEndpoint(node, region, service_call, answer);
  if (!called.ok() || *called) {
    return called.status();
  }
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
  const auto scan_region = [node](klip::Scan* scan) { return MetaTable(&node->regions, &node->self).Scan(*scan); };
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
  node->endpoints.Add("RowCountService", CallRowCount);
  node->endpoints.Add("BulkDeleteService", CallBulkDelete);
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecService",
      [node](const auto& request, auto* response, Call* call) { return ExecService(node, request, response, *call); });
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecRegionServerService", [node](const auto& request, auto* response, Call*) {
        return CallServerService(node, coprocessor::Target::kRegionServer, request, NoServerService(request), response);
      });
}

}  // namespace klip::server
