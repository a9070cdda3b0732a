#include "server/master/master_service.h"

#include "server/node/services.h"

namespace klip::server {

void AddMasterService(Node* node, MethodTable* methods) {
  AddClusterMethods(node, methods);
  AddTableMethods(node, methods);
  AddProcedureMethods(node, methods);
  AddRegionMethods(node, methods);
  AddNamespaceMethods(node, methods);
  AddSnapshotMethods(node, methods);
  AddPeerMethods(node, methods);
  AddAbsentMethods(node, methods);
}

}  // namespace klip::server
