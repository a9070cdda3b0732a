// MasterService: the calls of Admin. One file per kind of call; each adds its methods.
#pragma once

#include <cstdint>
#include <string>

#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

void AddTableMethods(Node* node, MethodTable* methods);      // master_tables.cc: create, alter, drop, enable, list
void AddProcedureMethods(Node* node, MethodTable* methods);  // master_procedures.cc: flush
void AddRegionMethods(Node* node, MethodTable* methods);     // master_regions.cc: split, merge, move, assign
void AddNamespaceMethods(Node* node, MethodTable* methods);  // master_namespaces.cc
void AddSnapshotMethods(Node* node, MethodTable* methods);   // master_snapshots.cc
void AddClusterMethods(Node* node, MethodTable* methods);    // master_cluster.cc: status, procedures, switches
void AddPeerMethods(Node* node, MethodTable* methods);       // master_replication.cc
void AddAbsentMethods(Node* node, MethodTable* methods);     // master_absent.cc: quotas, permissions

// Makes a change as a procedure: immediately, and only once per nonce. An error that HBase reports when the procedure is
// polled is stored for that (`error_when_polled`); others are the call's own.
template <typename Request, typename Response, typename Change>
rpc::Error RunProcedure(Node* node, const Request& request, Response* response, Change change,
                        bool error_when_polled = false) {
  const auto [id, first] = node->procedures.Begin(request.nonce_group(), request.nonce(), node->NowMs());
  response->set_proc_id(id);
  if (!first) {
    return {};
  }
  rpc::Error error = change();
  node->procedures.Finish(id, error);
  return error_when_polled ? rpc::Error() : error;
}

}  // namespace klip::server
