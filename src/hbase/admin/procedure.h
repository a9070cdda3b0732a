// How RemoteAdmin runs a procedure of the master: for the .cc files of RemoteAdmin.
#pragma once

#include "hbase/admin/remote_admin.h"

namespace klip::client {

template <typename Request, typename Response>
Status RemoteAdmin::RunProcedure(std::string_view method, Request request, Response* response) {
  // Sent twice, a procedure with the same nonce runs once.
  request.set_nonce_group(cluster_->nonce_group());
  request.set_nonce(cluster_->NewNonce());
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster(method, request, response, deadline));
  return WaitForProcedure(static_cast<uint64_t>(response->proc_id()), deadline);
}

}  // namespace klip::client
