#include "server/master_service.h"

namespace klip::server {

void AddAbsentMethods(Node* /*node*/, MethodTable* /*methods*/) {}

}  // namespace klip::server
