// Calls coprocessors' endpoints.
#include <string>
#include <utility>

#include "hbase/table/remote_table.h"

namespace klip::client {

Expected<std::vector<EndpointAnswer>> RemoteTable::CallEndpoint(const EndpointRequest& call) {
  std::vector<EndpointAnswer> answers;
  std::string row = call.start_row;
  while (true) {
    hbase::pb::CoprocessorServiceRequest request;
    request.mutable_call()->set_row(row);
    request.mutable_call()->set_service_name(call.service);
    request.mutable_call()->set_method_name(call.method);
    request.mutable_call()->set_request(call.request);
    Reply reply;
    KLIP_RETURN_IF_ERROR(cluster_->CallRow(
        {.table = &name_, .row = row, .method = "ExecService", .request = &request, .region = request.mutable_region()},
        &reply));
    hbase::pb::CoprocessorServiceResponse response;
    KLIP_RETURN_IF_ERROR(reply.Parse(&response));
    RegionPtr region;
    KLIP_RETURN_IF_ERROR(cluster_->Locate(name_, row, Where::kHolds, cluster_->OperationDeadline(), &region));
    answers.push_back({region->start_key, std::move(*response.mutable_value()->mutable_value())});
    if (region->end_key.empty() || (!call.stop_row.empty() && region->end_key > call.stop_row)) {
      return answers;
    }
    row = region->end_key;
  }
}

}  // namespace klip::client
