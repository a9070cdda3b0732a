// From a Scan to what is run: the rows wanted, the part of the filter that is left, and the plan.
#pragma once

#include <optional>
#include <string>

#include "engine/read/row_scanner.h"
#include "engine/store/store.h"
#include "klip/cancel.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "rowkey/planner.h"
#include "rowkey/scan_planner.h"
#include "table/checks.h"
#include "table/table_info.h"

namespace klip::table {

// A scan bound to a table. Immutable once prepared, except for the plan: a scan of all rows of a range makes it only to be explained.
struct ScanRequest {
  engine::Store* store = nullptr;
  InfoPtr info;
  Limits limits;
  klip::Scan scan;  // without its filter, which is in the needs
  rowkey::ScanNeeds needs;
  engine::ScanWatch watch;  // null: none
  CancelToken cancel;       // of the call that opened the scan
  std::optional<rowkey::Plan> plan;

  // The plan, made now if it was not needed before.
  const rowkey::Plan& Plan();
  // What a RowScanner needs to run all of it.
  engine::RowScanSpec Spec() const;
};

// Errors: kInvalidArgument (a condition on key fields without a schema, a field it does not have).
Expected<ScanRequest> PrepareScan(engine::Store* store, InfoPtr info, const Limits& limits, const klip::Scan& scan);

// With the names of the key fields.
Expected<TableStatistics> StatisticsOf(engine::Store* store, const TableInfo& info);

}  // namespace klip::table
