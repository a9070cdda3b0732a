// Calls to a cluster's master and region servers, for all parts of Admin.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "klip/cluster_metrics.h"

namespace klip::client {

// A base class of the parts of RemoteAdmin.
class MasterCalls {
 public:
  // `cluster` outlives this.
  explicit MasterCalls(Cluster* cluster) : cluster_(cluster) {}

 protected:
  Status CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);

  // Starts a procedure of the master and waits for its end. The master runs a procedure once, even if it gets it twice
  // with the same nonce. `response` has the proc_id.
  template <typename Request, typename Response>
  Status RunProcedure(std::string_view method, Request request, Response* response) {
    request.set_nonce_group(cluster_->nonce_group());
    request.set_nonce(cluster_->NewNonce());
    const Deadline deadline = cluster_->OperationDeadline();
    KLIP_RETURN_IF_ERROR(cluster_->CallMaster(method, request, response, deadline));
    return WaitForProcedure(static_cast<uint64_t>(response->proc_id()), deadline);
  }
  // Errors: the procedure's own; kTimedOut.
  Status WaitForProcedure(uint64_t id, Deadline deadline);

  // Calls these servers, or all live ones if none are given, concurrently, and passes each answer to `take`. Errors: the
  // first.
  template <typename Response, typename Take>
  Status AskServers(std::span<const ServerName> servers, std::string_view method,
                    const google::protobuf::MessageLite& request, Take take) {
    std::vector<ServerName> live;
    if (servers.empty()) {
      KLIP_ASSIGN_OR_RETURN(live, LiveServers());
      servers = live;
    }
    const Deadline deadline = cluster_->OperationDeadline();
    std::vector<std::pair<ServerName, CallPtr>> calls;
    for (const ServerName& server : servers) {
      calls.emplace_back(server, cluster_->StartAdmin({server.host, server.port}, method, request, deadline));
    }
    for (const auto& [server, call] : calls) {
      Response response;
      KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
      take(server, response);
    }
    return Status::Ok();
  }

  Cluster* const cluster_;

 private:
  Expected<std::vector<ServerName>> LiveServers();
};

}  // namespace klip::client
