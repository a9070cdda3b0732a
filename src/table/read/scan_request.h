// Prepares a Scan: the wanted rows, the remaining part of the filter, and the plan.
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

// What a plan's estimates rest on. Each takes some ten times as long as the one before it.
enum class Basis : uint8_t {
  kCounts,  // of rows and cells
  kSample,  // and sampled keys
  kTrial,   // and a trial of the scan on stretches of the table: only to explain it
};

// A scan bound to a table. Immutable once prepared, except for the plan: a scan of all rows of a range makes one only to
// explain it.
struct ScanRequest {
  Shared* shared = nullptr;
  InfoPtr info;
  engine::ReadViewPtr view;              // of a transaction; null: none
  klip::Scan scan;                       // without its filter, which is in `needs`
  std::optional<KeyQuery> columns = {};  // the query, if it has conditions on columns, which are in the filter
  bool has_filter = false;               // it had one; all of it may be in the rows of `needs`
  rowkey::ScanNeeds needs;
  engine::ScanWatch watch;  // null: none
  CancelToken cancel;       // of the call that opened the scan
  std::optional<rowkey::Plan> plan;
  std::shared_ptr<const filter::RowSet> key_rows = {};  // those of `needs`, before an index was read
  IndexPaths indexes = {};                              // that can find its rows
  std::string taken = {};                               // the chosen plan; empty: there was no choice
  IndexedRows by_index = {};                            // if it has rows, those of `needs` are among them
  bool only_explained = false;                          // no index was read to find its rows
  bool index_only = false;                              // an index that was taken contains all that it returns

  // The plan; computed by the first call.
  const rowkey::Plan& Plan();
  // Measures what reading the table and the indexes that can find its rows costs, unless it is known.
  void MeasureCosts() const;
  // Its actions and estimated costs, from the sample of the table's keys if there is one; takes up to some ms. Measures costs.
  klip::Explain Explain() const;
  // By statistics alone; nullopt: there are none.
  std::optional<double> EstimatedRows() const;
  // Everything that a RowScanner needs to run it.
  engine::RowScanSpec Spec() const;
  rowkey::Plan MakePlan(Basis basis) const;
  // Whether it returns each row that its keys select.
  bool KeysDecide() const;
  // Of a scan of these rows of the table; null: all of the scan's range.
  rowkey::BriefRun RunOf(std::shared_ptr<const filter::RowSet> rows) const;
  rowkey::BriefRun RunToLimit(std::shared_ptr<const filter::RowSet> rows) const;
  void FetchBriefly(const IndexPath& index, rowkey::AccessPath* path) const;
  // `wanted`: the rows that the plan starts from; null: all of the scan's range.
  rowkey::ScanNeeds NeedsFor(Basis basis, const filter::RowSet* wanted) const;
  // To the entries of an index, with costs that do not compare with those of the table yet.
  rowkey::AccessPath PathOfIndex(const IndexPath& index, Basis basis) const;
  // Plans the cheapest path, or the requested one: by the table's keys, or by an index. `before`: see rowkey::PlanScan.
  rowkey::ScanPlan PlanPaths(Basis basis, std::string_view before = {}) const;
  // Chooses the cheapest path, or the requested one, and reads the index if it uses one. Errors: kInvalidArgument: it
  // requests a plan that does not exist; those of RowsByIndex.
  Status TakePath(size_t first_entries);
  Expected<bool> TryPath(bool by_sample, size_t first_entries);
  void GiveUp(const rowkey::ScanPlan& chosen, size_t most);
  // Whether RowsByIndex would give up, as far as estimates tell.
  Expected<bool> WouldGiveUp(const IndexPath& path, size_t most) const;
  RowSource source() const { return {shared->store.get(), shared->settings.limits, view}; }
};

// `first_entries`: see RowsByIndex. `explains`: it measures costs before it takes a path, and reads no index to find rows; only to explain
// the scan. Errors: kInvalidArgument (a condition on key fields without a schema, a field it does not have, a plan that the scan does not
// have).
Expected<ScanRequest> PrepareScan(Shared* shared, InfoPtr info, engine::ReadViewPtr view, const klip::Scan& asked,
                                  size_t first_entries = 0, bool explains = false);

// With the names of the key fields.
Expected<TableStatistics> StatisticsOf(engine::Storage* storage, const TableInfo& info);

}  // namespace klip::table
