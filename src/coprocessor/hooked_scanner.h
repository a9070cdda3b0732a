// A scan of a table whose regions have scanner hooks: one region after the other, each through the host or, where nobody watches
// its scanner, directly.
#pragma once

#include <memory>

#include "coprocessor/java_hooks.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::coprocessor {

// Opens the scanner of the first region at once, so that what its hooks throw is an error of the scan. `open`: the table's rows
// without these hooks.
Expected<std::unique_ptr<ResultScanner>> OpenHookedScan(Host* host, OpenTablePtr table, const Scan& scan,
                                                        table::OpenScan open);

}  // namespace klip::coprocessor
