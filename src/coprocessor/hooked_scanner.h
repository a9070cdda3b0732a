// A scan of a table whose regions have scanner hooks: one region after the other, each through the host or, if no class
// overrides its scanner hooks, directly.
#pragma once

#include <memory>

#include "coprocessor/java_hooks.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::coprocessor {

// Opens the first region's scanner immediately, so that an exception of its hooks fails the scan. `open`: reads the table
// without these hooks.
Expected<std::unique_ptr<ResultScanner>> OpenHookedScan(Host* host, OpenTablePtr table, const Scan& scan,
                                                        table::OpenScan open);

}  // namespace klip::coprocessor
