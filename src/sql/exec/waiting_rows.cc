#include "sql/exec/waiting_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "filter/rows/row_set.h"

namespace klip::sql {
namespace {

bool IsWanted(const std::vector<ColumnSpec>& columns, std::string_view family, std::string_view qualifier) {
  return columns.empty() || std::ranges::any_of(columns, [&](const ColumnSpec& column) {
           return column.family == family && (!column.qualifier.has_value() || *column.qualifier == qualifier);
         });
}

bool Hides(const RowChange& change, const Cell& cell) {
  return change.delete_row ||
         std::ranges::any_of(change.nulls.markers,
                             [&](const klip::Delete::Marker& marker) {
                               return marker.family == cell.family && marker.qualifier == cell.qualifier;
                             }) ||
         std::ranges::any_of(change.put.columns, [&](const klip::Put::Column& column) {
           return column.family == cell.family && column.qualifier == cell.qualifier;
         });
}

// The stored row with the change.
Result WithChange(const Result& stored, const RowChange& change, const std::vector<ColumnSpec>& columns) {
  std::vector<Cell> cells;
  for (const Cell& cell : stored.cells()) {
    if (!Hides(change, cell)) {
      cells.push_back(cell);
    }
  }
  for (const klip::Put::Column& column : change.put.columns) {
    if (IsWanted(columns, column.family, column.qualifier)) {
      cells.push_back({.row = change.put.row,
                       .family = column.family,
                       .qualifier = column.qualifier,
                       .timestamp_ms = base::SystemMs(),
                       .value = column.value});
    }
  }
  std::ranges::sort(cells, {}, [](const Cell& cell) { return std::tie(cell.family, cell.qualifier); });
  Result result;
  for (const Cell& cell : cells) {
    result.AppendCopy(cell);
  }
  return result;
}

// Merges a scan with the rows that wait, in the order of keys.
class MergedScanner final : public ResultScanner {
 public:
  MergedScanner(std::unique_ptr<ResultScanner> stored, const WaitingRows* rows, const klip::Scan& scan)
      : stored_(std::move(stored)), columns_(scan.columns), left_(scan.limit_rows == 0 ? -1 : scan.limit_rows) {
    for (const auto& [row, change] : *rows) {
      if (scan.rows == nullptr || scan.rows->Contains(row)) {
        waiting_.push_back(&change);
      }
    }
    reversed_ = scan.reversed;
    if (reversed_) {
      std::ranges::reverse(waiting_);
    }
  }

  Expected<bool> Next(Result* result) override {
    while (left_ != 0) {
      if (!ended_ && next_.empty()) {
        KLIP_ASSIGN_OR_RETURN(const bool more, stored_->Next(&next_));
        ended_ = !more;
      }
      const bool waits = at_ < waiting_.size();
      if (ended_ && !waits) {
        break;
      }
      const bool of_store = !ended_ && (!waits || IsBefore(next_.row(), waiting_[at_]->put.row));
      if (of_store) {
        *result = std::exchange(next_, Result());
      } else {
        const bool same = !ended_ && next_.row() == waiting_[at_]->put.row;
        *result = WithChange(same ? std::exchange(next_, Result()) : Result(), *waiting_[at_++], columns_);
      }
      if (!result->empty()) {
        left_ -= left_ > 0 ? 1 : 0;
        return true;
      }
    }
    result->Clear();
    return false;
  }

  ScanStatistics statistics() const override { return stored_->statistics(); }
  klip::Explain explain() const override { return stored_->explain(); }

 private:
  bool IsBefore(std::string_view a, std::string_view b) const { return reversed_ ? a > b : a < b; }

  std::unique_ptr<ResultScanner> stored_;
  std::vector<ColumnSpec> columns_;
  std::vector<const RowChange*> waiting_;
  bool reversed_ = false;
  size_t at_ = 0;
  Result next_;
  bool ended_ = false;
  int64_t left_;  // rows; -1: all
};

class WaitingTable final : public Table {
 public:
  WaitingTable(std::unique_ptr<Table> table, const WaitingRows* rows) : table_(std::move(table)), rows_(*rows) {}

  const std::string& name() const override { return table_->name(); }

  Expected<Result> Get(const klip::Get& get) override {
    KLIP_ASSIGN_OR_RETURN(Result stored, table_->Get(get));
    const auto found = rows_.find(get.row);
    return found == rows_.end() ? std::move(stored) : WithChange(stored, found->second, get.columns);
  }
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override {
    KLIP_ASSIGN_OR_RETURN(std::vector<Result> results, table_->Get(gets));
    for (size_t i = 0; i < gets.size(); ++i) {
      if (const auto found = rows_.find(gets[i].row); found != rows_.end()) {
        results[i] = WithChange(results[i], found->second, gets[i].columns);
      }
    }
    return results;
  }
  Expected<bool> Exists(const klip::Get& get) override {
    KLIP_ASSIGN_OR_RETURN(const Result row, Get(get));
    return !row.empty();
  }
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override {
    if (!scan.order_by_index.empty()) {
      return Status(Code::kUnsupported,
                    "SQL: ORDER BY with LIMIT in the order of the index " + scan.order_by_index +
                        ", while changes of the table wait for COMMIT: run COMMIT first, or leave out the LIMIT");
    }
    klip::Scan all = scan;
    all.filter = nullptr;  // a change may make a row pass it
    all.limit_rows = 0;
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> stored, table_->Scan(all));
    return std::unique_ptr<ResultScanner>(std::make_unique<MergedScanner>(std::move(stored), &rows_, scan));
  }
  Expected<klip::Explain> Explain(const klip::Scan& scan) override { return table_->Explain(scan); }
  Expected<std::optional<double>> EstimateRows(const klip::Scan& scan) override { return table_->EstimateRows(scan); }

  // --- As the table ---
  Expected<KeyQuery> ParseQuery(std::string_view text) const override { return table_->ParseQuery(text); }
  Expected<Result> FirstRow() override { return table_->FirstRow(); }
  Expected<Result> LastRow() override { return table_->LastRow(); }
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override {
    return table_->DistinctKeys(fields, count_rows);
  }
  Status Put(const klip::Put& put) override { return table_->Put(put); }
  Status Put(std::span<const klip::Put> puts) override { return table_->Put(puts); }
  Status Delete(const klip::Delete& del) override { return table_->Delete(del); }
  Expected<Result> Increment(const klip::Increment& increment) override { return table_->Increment(increment); }
  Expected<Result> Append(const klip::Append& append) override { return table_->Append(append); }
  Expected<Result> Mutate(const RowMutations& mutations) override { return table_->Mutate(mutations); }
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override {
    return table_->CheckAndMutate(check);
  }
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override { return table_->Batch(actions); }
  Expected<uint64_t> Prepend(const klip::Prepend& prepend) override { return table_->Prepend(prepend); }
  std::optional<RowKeySchema> row_key_schema() const override { return table_->row_key_schema(); }
  Expected<TableStatistics> Statistics() override { return table_->Statistics(); }

 private:
  const std::unique_ptr<Table> table_;
  const WaitingRows& rows_;
};

}  // namespace

void Follow(RowChange change, RowChange* before) {
  if (change.delete_row) {
    *before = std::move(change);
    return;
  }
  const auto same = [](const auto& a) {
    return [&a](const auto& b) { return a.family == b.family && a.qualifier == b.qualifier; };
  };
  for (klip::Put::Column& column : change.put.columns) {
    std::erase_if(before->nulls.markers, same(column));
    const auto old = std::ranges::find_if(before->put.columns, same(column));
    if (old == before->put.columns.end()) {
      before->put.columns.push_back(std::move(column));
    } else {
      *old = std::move(column);
    }
  }
  before->nulls.row = before->put.row;
  for (klip::Delete::Marker& marker : change.nulls.markers) {
    std::erase_if(before->put.columns, same(marker));
    if (std::ranges::none_of(before->nulls.markers, same(marker))) {
      before->nulls.markers.push_back(std::move(marker));
    }
  }
}

std::unique_ptr<Table> TableWith(std::unique_ptr<Table> table, const WaitingRows* rows) {
  return std::make_unique<WaitingTable>(std::move(table), rows);
}

}  // namespace klip::sql
