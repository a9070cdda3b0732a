// FuzzyRowFilter for other modules; klip/filter.h has the factory for users.
#pragma once

#include <string>
#include <vector>

#include "klip/filter.h"

namespace klip::filter {

// The filter that HBase makes of these pairs from the wire. `mask_v2` is the message's is_mask_v2: with it, mask byte 2
// is the wildcard of a mask that the client has processed already; without it, 0 is. Errors: kInvalidArgument, as the
// factory.
Expected<FilterPtr> FuzzyRowFilterFromWire(std::vector<FuzzyKey> keys, bool mask_v2);

}  // namespace klip::filter
