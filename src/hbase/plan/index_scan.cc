#include "hbase/plan/index_scan.h"

#include <algorithm>
#include <utility>

#include "filter/rows/row_set.h"
#include "rowkey/column_filter.h"
#include "rowkey/scan_planner.h"

namespace klip::client {
namespace {

constexpr size_t kMostEntries = 100'000;  // TUNING: read in some 0.2 s, and then a row for each
constexpr size_t kRowsOfScan = 1000;      // as many as PushDown makes ranges of

// One scan after the other, each of the next rows.
class RowsScanner final : public ResultScanner {
 public:
  RowsScanner(Cluster* cluster, std::string table, ScanWork work, std::vector<std::string> rows)
      : cluster_(cluster), table_(std::move(table)), work_(std::move(work)), rows_(std::move(rows)) {
    if (work_.scan.reversed) {
      std::ranges::reverse(rows_);
    }
  }

  Expected<bool> Next(Result* result) override {
    result->Clear();
    while (true) {
      if (current_ == nullptr) {
        KLIP_ASSIGN_OR_RETURN(const bool more, OpenNext());
        if (!more) {
          return false;
        }
      }
      KLIP_ASSIGN_OR_RETURN(const bool more, current_->Next(result));
      if (more) {
        returned_ += result->has_more_cells_in_row() ? 0 : 1;
        return true;
      }
      done_ += current_->statistics();
      current_ = nullptr;
    }
  }

  ScanStatistics statistics() const override {
    ScanStatistics all = done_;
    if (current_ != nullptr) {
      all += current_->statistics();
    }
    return all;
  }
  klip::Explain explain() const override {
    klip::Explain plan = work_.plan;
    plan.actual = statistics();
    return plan;
  }

 private:
  Expected<bool> OpenNext() {
    const int64_t limit = work_.scan.limit_rows;
    if (at_ == rows_.size() || (limit > 0 && returned_ >= limit)) {
      return false;
    }
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(at_);
    const size_t count = std::min(kRowsOfScan, rows_.size() - at_);
    at_ += count;
    klip::Scan scan = work_.scan;
    scan.rows = filter::RowSet::FromRows({begin, begin + static_cast<std::ptrdiff_t>(count)});
    scan.limit_rows = limit > 0 ? limit - returned_ : 0;
    KLIP_ASSIGN_OR_RETURN(ScanWork next, PlanOnCluster(scan, table_, /*schema=*/nullptr));
    current_ = OpenScanner(cluster_, table_, std::move(next));
    return true;
  }

  Cluster* const cluster_;
  const std::string table_;
  const ScanWork work_;
  std::vector<std::string> rows_;  // in the order of the scan
  size_t at_ = 0;
  int64_t returned_ = 0;
  std::unique_ptr<ResultScanner> current_;
  ScanStatistics done_;
};

// Appends the rows that entries of a kind name. False: there are too many.
Expected<bool> AppendRows(Cluster* cluster, const ClientIndex& index, const EntryKind& kind,
                          const rowkey::EntrySet& set, std::vector<std::string>* rows) {
  klip::Scan scan;
  scan.columns = {{kind.family, {}}};
  scan.rows = set.entries;
  KLIP_ASSIGN_OR_RETURN(ScanWork entries, PlanOnCluster(scan, index.table, /*schema=*/nullptr));
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster, index.table, std::move(entries));
  Result entry;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&entry));
    if (!more || rows->size() == kMostEntries) {
      return !more;
    }
    KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(kind.definition, entry.row()));
    rows->emplace_back(row);
  }
}

// Without statistics: more columns leave fewer rows, and so do single values. The last kind of entries has all columns.
std::pair<bool, size_t> Rank(const ClientIndex& index, const std::vector<rowkey::EntrySet>& sets) {
  return {!sets.back().runs.empty(), index.definition.columns.size()};
}

}  // namespace

Expected<IndexChoice> ChooseIndex(ClientIndexes* indexes, const std::string& table, const ScanWork& work) {
  IndexChoice choice;
  const std::vector<rowkey::ColumnCondition> conditions = rowkey::StoredConditionsOf(work.scan);
  if (conditions.empty()) {
    return choice;
  }
  KLIP_ASSIGN_OR_RETURN(choice.indexes, indexes->Of(table));
  for (const ClientIndex& index : *choice.indexes) {
    if (index.building) {
      continue;
    }
    std::vector<rowkey::EntrySet> sets;
    for (const EntryKind& kind : index.kinds) {
      sets.push_back(rowkey::EntriesFor(kind.definition, conditions, work.scan, work.rows.get()));
    }
    // Without statistics, an index whose leading field has no condition is not used.
    const bool answers = std::ranges::all_of(sets, [](const rowkey::EntrySet& set) {
      return set.entries != nullptr && (set.fields > 0 || set.columns.empty());
    });
    if (answers && (choice.index == nullptr || Rank(index, sets) > Rank(*choice.index, choice.sets))) {
      choice.index = &index;
      choice.sets = std::move(sets);
    }
  }
  return choice;
}

klip::Explain ExplainIndex(const IndexChoice& choice, const ScanWork& work, const std::string& table) {
  const rowkey::IndexDefinition& definition = choice.index->definition;
  rowkey::AccessPath path;
  path.name = definition.descriptor.name;
  path.schema = &definition.keys();
  path.rows = choice.sets.back().entries;
  path.range = RowRange();
  for (const rowkey::IndexColumn& column : definition.columns) {
    path.columns.push_back(column.Name());
  }
  path.needs_fetch = true;
  const rowkey::ScanNeeds needs = {.rows = nullptr, .filter = work.scan.filter};
  return rowkey::PlanScan(work.scan, table, needs, {&path, 1}, {.jumps = false}).plan.explain;
}

Expected<std::optional<std::vector<std::string>>> RowsByIndex(Cluster* cluster, const IndexChoice& choice,
                                                              const ScanWork& work) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < choice.sets.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(const bool all,
                          AppendRows(cluster, *choice.index, choice.index->kinds[i], choice.sets[i], &rows));
    if (!all) {
      return std::optional<std::vector<std::string>>();
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (work.rows != nullptr) {
    const std::unique_ptr<filter::RowCursor> wanted = work.rows->NewCursor(/*reversed=*/false);
    std::erase_if(rows, [&](const std::string& row) { return !wanted->InRun(row) && !wanted->Holds(row); });
  }
  return std::optional(std::move(rows));
}

std::unique_ptr<ResultScanner> OpenRowsScanner(Cluster* cluster, const std::string& table, ScanWork work,
                                               std::vector<std::string> rows) {
  return std::make_unique<RowsScanner>(cluster, table, std::move(work), std::move(rows));
}

}  // namespace klip::client
