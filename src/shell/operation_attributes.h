// The parts of a Ruby request other than its columns.
#pragma once

#include "klip/query.h"
#include "shell/ruby_value.h"

namespace klip::shell {

// The members `attributes` {name => value}, and of klip/access.h `visibility` of a mutation, `authorizations` [label] of a read and
// `permissions` {user => actions} of a mutation.
void ReadOperationAttributes(HashReader* reader, OperationAttributes* attributes);

}  // namespace klip::shell
