// How many rows a scan would return, without the rows.
#pragma once

#include <cstdint>

#include "klip/status.h"
#include "table/read/scan_request.h"

namespace klip::table {

// Whether CountRowsOf may count for the request: its rows come from the table alone, and all are wanted.
bool CanCountRows(const ScanRequest& request);

// By what the files know, else by reading on the request's threads. No region counts the rows as read: none leave the store.
// REQUIRES: CanCountRows. Errors: those of RowScanner.
Expected<int64_t> CountRowsOf(ScanRequest request);

}  // namespace klip::table
