// Counts the rows that a scan would return, without returning them.
#pragma once

#include <cstdint>

#include "klip/status.h"
#include "table/read/scan_request.h"

namespace klip::table {

// Whether CountRowsOf supports the request: its rows come only from the table, and it wants all of them.
bool CanCountRows(const ScanRequest& request);

// Counts from the files' statistics if possible, else by reading on the request's threads. Regions do not count the rows
// as read, since none leave the store. REQUIRES: CanCountRows. Errors: those of RowScanner.
Expected<int64_t> CountRowsOf(ScanRequest request);

}  // namespace klip::table
