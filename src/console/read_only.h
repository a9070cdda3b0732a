// A read-only connection: even SQL that only reads could otherwise take a number from a sequence.
#pragma once

#include <memory>

#include "klip/connection.h"

namespace klip::console {

// Its tables fail each write with kReadOnly, and so do Apply and NewBulkLoader. Its Admin is that of `connection`, which
// outlives it.
std::unique_ptr<Connection> ReadOnly(Connection* connection);

}  // namespace klip::console
