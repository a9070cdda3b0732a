#include "hbase/admin/master_calls.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "klip/cancel.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/Master.pb.h"
#include "rpc/cluster_messages.h"

namespace klip::client {

Status MasterCalls::CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                               google::protobuf::MessageLite* response) {
  return cluster_->CallMaster(method, request, response, cluster_->OperationDeadline());
}

Status MasterCalls::WaitForProcedure(uint64_t id, Deadline deadline) {
  constexpr std::chrono::milliseconds kFirstPause{10};
  constexpr std::chrono::milliseconds kLongestPause{500};
  hbase::pb::GetProcedureResultRequest request;
  request.set_proc_id(id);
  for (auto pause = kFirstPause;; pause = std::min(pause * 3 / 2, kLongestPause)) {
    hbase::pb::GetProcedureResultResponse response;
    KLIP_RETURN_IF_ERROR(cluster_->CallMaster("getProcedureResult", request, &response, deadline));
    if (response.has_exception()) {
      const hbase::pb::GenericExceptionMessage& exception = response.exception().generic_exception();
      return FailureOf(exception.class_name(), exception.message(), /*do_not_retry=*/true).status;
    }
    if (response.state() != hbase::pb::GetProcedureResultResponse::RUNNING) {
      return Status::Ok();  // it may also have ended long ago and be forgotten
    }
    if (!cluster_->Sleep(pause, deadline)) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      return {Code::kTimedOut, "procedure " + std::to_string(id) + " of the master is still running"};
    }
  }
}

Expected<std::vector<ServerName>> MasterCalls::LiveServers() {
  hbase::pb::GetClusterStatusRequest request;
  request.add_options(hbase::pb::SERVERS_NAME);
  hbase::pb::GetClusterStatusResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetClusterStatus", request, &response));
  return rpc::ToServerNames(response.cluster_status().servers_name());
}

}  // namespace klip::client
