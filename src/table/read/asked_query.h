// Logs the conditions of gets and scans on the row key, in the query log.
#pragma once

#include <string_view>

#include "klip/query.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"
#include "table/read/scan_request.h"

namespace klip::table {

// REQUIRES: the settings have a query log.
void LogGet(const Settings& settings, const TableInfo& table, std::string_view row);
// `scan`: as requested.
void LogScan(const Settings& settings, const klip::Scan& scan, const ScanRequest& request);

}  // namespace klip::table
