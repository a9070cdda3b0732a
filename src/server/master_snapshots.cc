#include "server/master_service.h"

namespace klip::server {

void AddSnapshotMethods(Node* /*node*/, MethodTable* /*methods*/) {}

}  // namespace klip::server
