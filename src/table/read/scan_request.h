// Prepares a Scan: the wanted rows, the remaining part of the filter, and the plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// What a plan's estimates rest on. Each takes up to ten times as long as the one before it.
enum class Basis : uint8_t {
  kCounts,  // of rows and cells: some 10 us
  kSample,  // and sampled keys: some 100 us
  kFound,   // and the first rows that an index finds: some 0.5 ms
  kTrial,   // and a trial of the scan on stretches of the table: some ms
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
  std::shared_ptr<const filter::RowSet> key_rows = {};                    // those of `needs`, before an index was read
  IndexPaths indexes = {};                                                // that can find its rows
  std::string taken = {};                                                 // the chosen plan; empty: there was no choice
  std::vector<std::shared_ptr<const rowkey::SampleAnswer>> sampled = {};  // [path]: by a choice that was not sure
  std::optional<klip::Explain> tried = {};  // of the chosen plan, if a trial decided and nothing was read since
  IndexedRows by_index = {};                // if it has rows, those of `needs` are among them
  bool only_explained = false;              // no index was read to find its rows
  bool index_only = false;                  // an index that was taken contains all that it returns

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
  // Of `base`, with the bounds and hints of this scan.
  engine::RowScanSpec SpecFor(const klip::Scan& base, std::shared_ptr<const filter::RowSet> rows) const;
  // Of a scan of these rows of the table; null: all of the scan's range.
  rowkey::BriefRun RunOf(std::shared_ptr<const filter::RowSet> rows) const;
  rowkey::BriefRun RunToLimit(std::shared_ptr<const filter::RowSet> rows) const;
  FetchedRow FetchBriefly(const IndexPath& index) const;
  FetchedRow FetchToLimit(const IndexPath& index, size_t most_entries) const;
  // `path`: to the rows whose keys it wants.
  rowkey::ScanNeeds NeedsFor(Basis basis, const rowkey::AccessPath& path) const;
  // To the entries of an index, with costs that do not compare with those of the table yet.
  rowkey::AccessPath PathOfIndex(const IndexPath& index, Basis basis) const;
  // Plans the cheapest path, or the requested one: by the table's keys, or by an index. `before`: see rowkey::PlanScan.
  rowkey::ScanPlan PlanPaths(Basis basis, std::string_view before = {}) const;
  // Chooses the cheapest path, or the requested one, and reads the index if it uses one. Explain chooses in the same way, and reads the
  // same entries where their number decides. Errors: kInvalidArgument: it requests a plan that does not exist; those of RowsByIndex.
  Status TakePath(size_t first_entries);
  Expected<bool> TryPath(Basis basis, size_t first_entries);
  bool KeysAreFew() const;
  bool IsSure(const rowkey::ScanPlan& chosen, Basis basis) const;
  void TakeRows(const TableIndex& index);
  void GiveUp(const rowkey::ScanPlan& chosen, size_t most);
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
