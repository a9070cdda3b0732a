#include "server/master_service.h"

namespace klip::server {

void AddRegionMethods(Node* /*node*/, MethodTable* /*methods*/) {}

}  // namespace klip::server
