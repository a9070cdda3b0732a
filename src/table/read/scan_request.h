// From a Scan to what is run: the rows wanted, the part of the filter that is left, and the plan.
#pragma once

#include <optional>
#include <string>

#include "engine/read/row_scanner.h"
#include "engine/store/storage.h"
#include "klip/cancel.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "rowkey/planner.h"
#include "rowkey/scan_planner.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"
#include "table/read/index_rows.h"
#include "table/read/row_source.h"

namespace klip::table {

// A scan bound to a table. Immutable once prepared, except for the plan: a scan of all rows of a range makes it only to be explained.
struct ScanRequest {
  Shared* shared = nullptr;
  InfoPtr info;
  engine::ReadViewPtr view;  // of a transaction; null: none
  klip::Scan scan;           // without its filter, which is in the needs
  std::optional<KeyQuery> columns =
      {};                   // the query with conditions on columns, which are in the filter; none: there are no such
  bool has_filter = false;  // it had one; all of it may be in the needs' rows
  rowkey::ScanNeeds needs;
  engine::ScanWatch watch;  // null: none
  CancelToken cancel;       // of the call that opened the scan
  std::optional<rowkey::Plan> plan;
  std::shared_ptr<const filter::RowSet> key_rows = {};  // those of `needs`, before an index was read
  IndexPaths indexes = {};                              // by which its rows can be found
  std::string taken = {};                               // the plan of all these; empty: there was no choice
  IndexedRows by_index = {};                            // those of `needs` are among its rows, if it has any

  // The plan, made now if it was not needed before.
  const rowkey::Plan& Plan();
  // What it does and should cost, from the sample of the table's keys where there is one: in up to some ms.
  klip::Explain Explain() const;
  // What a RowScanner needs to run all of it.
  engine::RowScanSpec Spec() const;
  rowkey::Plan MakePlan(bool by_sample) const;
  // The cheapest way to its rows, or the one of that name: by the table's keys, or by an index.
  rowkey::ScanPlan PlanPaths(bool by_sample, const std::string& name) const;
  // Takes the cheapest way, or the one that it asks for, as far as it leads over an index. Errors: kInvalidArgument: it asks for a plan
  // that it does not have; those of RowsByIndex.
  Status TakePath(size_t first_entries);
  Expected<bool> TryPath(bool by_sample, size_t first_entries);
  void GiveUp(const rowkey::ScanPlan& chosen, size_t most);
  RowSource source() const { return {shared->store.get(), shared->settings.limits, view}; }
};

// `first_entries`: see RowsByIndex. Errors: kInvalidArgument (a condition on key fields without a schema, a field it does not have, a
// plan that the scan does not have).
Expected<ScanRequest> PrepareScan(Shared* shared, InfoPtr info, engine::ReadViewPtr view, const klip::Scan& asked,
                                  size_t first_entries = 0);

// With the names of the key fields.
Expected<TableStatistics> StatisticsOf(engine::Storage* storage, const TableInfo& info);

}  // namespace klip::table
