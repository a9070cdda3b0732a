#include "server/services.h"

namespace klip::server {

void AddAdminService(Node* /*node*/, MethodTable* /*methods*/) {}

}  // namespace klip::server
