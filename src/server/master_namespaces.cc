#include "server/master_service.h"

namespace klip::server {

void AddNamespaceMethods(Node* /*node*/, MethodTable* /*methods*/) {}

}  // namespace klip::server
