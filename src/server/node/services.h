// The services, one file each; each adds its methods to a table. `node` outlives the table.
#pragma once

#include <span>
#include <string>

#include "klip/admin.h"
#include "klip/status.h"
#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

void AddClientService(Node* node,
                      // client_service.cc: Get, Mutate; the functions below add Scan, Multi, ...
                      MethodTable* methods);
void AddScanMethod(Node* node, MethodTable* methods);          // scan_service.cc
void AddMultiMethod(Node* node, MethodTable* methods);         // multi_service.cc
void AddBulkLoadMethods(Node* node, MethodTable* methods);     // bulk_load.cc
void AddEndpointMethods(Node* node, MethodTable* methods);     // endpoint_service.cc
void AddRegistryService(Node* node, MethodTable* methods);     // registry_service.cc: ClientMetaService
void AddMasterService(Node* node, MethodTable* methods);       // master_*.cc
void AddHbckService(Node* node, MethodTable* methods);         // master_absent.cc
void AddAdminService(Node* node, MethodTable* methods);        // admin_service.cc
void AddReplicationMethods(Node* node, MethodTable* methods);  // replication_service.cc: of AdminService

// Checks that the table has the families to flush (admin_service.cc). Errors: kNoSuchColumnFamily.
Status CheckFamiliesToFlush(const TableDescriptor& table, std::span<const std::string> families);

}  // namespace klip::server
