// The ResultScanners of the embedded store.
#pragma once

#include <memory>
#include <vector>

#include "klip/table.h"
#include "table/read/scan_finish.h"
#include "table/read/scan_request.h"

namespace klip::table {

// One RowScanner for the whole request.
Expected<std::unique_ptr<ResultScanner>> OpenRowScan(ScanRequest request);

// Reads the rows of the plan one by one. REQUIRES: CanGetPoints.
std::unique_ptr<ResultScanner> OpenPointGets(ScanRequest request);
bool CanGetPoints(const ScanRequest& request);

// The pieces that several threads may read, in scan order; empty: threads are not worthwhile.
std::vector<RowRange> RangesOf(ScanRequest* request);

// Reads pieces of the request on several threads (parallel_scanner.cc). Null: it cannot be divided.
std::unique_ptr<ResultScanner> OpenParallelScan(ScanRequest* request);

// The same as batches of these columns, on as many threads as the request wants (batch_scanners.cc).
Expected<std::unique_ptr<BatchScanner>> OpenBatches(ScanRequest request, std::vector<ColumnName> columns);

}  // namespace klip::table
