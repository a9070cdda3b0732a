// A scan with a limit that uses the first entries of an index. It reads more entries only if the filter drops too many of
// their rows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::table {

using OpenRest = std::function<Expected<std::unique_ptr<ResultScanner>>(const Scan& rest)>;

// `first`: `scan` up to and including `last_row`. If it returns fewer rows than the limit, `open_rest` opens the scan
// after that row. REQUIRES: scan.limit_rows > 0.
std::unique_ptr<ResultScanner> OpenStagedScan(std::unique_ptr<ResultScanner> first, const Scan& scan,
                                              std::string last_row, OpenRest open_rest);

}  // namespace klip::table
