// A connection that writes nothing, whatever is asked of it: SQL that only reads may still draw a number of a sequence.
#pragma once

#include <memory>

#include "klip/connection.h"

namespace klip::console {

// Its tables fail each write with kReadOnly, as Apply and NewBulkLoader do. Its Admin is that of `connection`, which outlives it.
std::unique_ptr<Connection> ReadOnly(Connection* connection);

}  // namespace klip::console
