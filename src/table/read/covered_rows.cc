#include "table/read/covered_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "filter/common/compare.h"
#include "rowkey/scan_planner.h"
#include "table/read/scan_finish.h"
#include "table/read/scan_request.h"

namespace klip::table {
namespace {

// False for scans with versions, time ranges, pieces of rows or conditions on keys, which covered scans do not support.
bool IsPlain(const Scan& scan) {
  return scan.max_versions == 1 && scan.time_range == TimeRange() && scan.family_time_ranges.empty() &&
         scan.batch <= 0 && !scan.allow_partial_results && scan.max_results_per_family <= 0 &&
         !scan.where.has_value() && scan.rows == nullptr;
}

class CoveredScan final : public ResultScanner {
 public:
  explicit CoveredScan(ScanRequest request) : request_(std::move(request)), finish_(request_) {
    statistics_ += request_.by_index.read;
  }
  ~CoveredScan() override { finish_.End(statistics_); }

  Expected<bool> Next(Result* result) override {
    KLIP_RETURN_IF_ERROR(request_.cancel.status());
    result->Clear();
    const int64_t limit = request_.scan.limit_rows;
    if (next_ == covered().rows.size() || (limit > 0 && statistics_.rows_returned == limit)) {
      finish_.Tell(statistics_);
      return false;
    }
    const CoveredRows::Row& row = covered().rows[next_++];
    for (size_t i = 0; i < row.cells; ++i) {
      result->AppendCopy(covered().cells[row.first_cell + i]);
    }
    ++statistics_.rows_returned;
    finish_.Row(*result);
    return true;
  }
  ScanStatistics statistics() const override { return statistics_; }

  klip::Explain explain() const override {
    klip::Explain out = request_.Explain();
    out.actual = statistics_;
    return out;
  }

 private:
  const CoveredRows& covered() const { return *request_.by_index.covered; }

  const ScanRequest request_;
  ScanFinish finish_;
  size_t next_ = 0;
  ScanStatistics statistics_;
};

}  // namespace

bool RowCover::Column::operator<(const Column& other) const {
  return std::tie(family, qualifier) < std::tie(other.family, other.qualifier);
}

std::optional<RowCover> RowCover::Of(const TableIndex& index, const Scan& scan) {
  std::optional<rowkey::ColumnTest> conditions = rowkey::OnlySingleColumns(scan);
  if (!IsPlain(scan) || scan.columns.empty() || !conditions.has_value()) {
    return std::nullopt;
  }
  RowCover cover(scan);
  cover.conditions_ = *std::move(conditions);
  const rowkey::IndexDefinition& definition = index.definition;
  for (const ColumnSpec& column : scan.columns) {
    const std::optional<size_t> at =
        column.qualifier.has_value() ? definition.ColumnIndex(column.family, *column.qualifier) : std::nullopt;
    if (!at.has_value() || std::ranges::find(definition.include, *at) == definition.include.end()) {
      return std::nullopt;
    }
    cover.columns_.push_back({.family = column.family, .qualifier = *column.qualifier, .number = *at});
  }
  std::ranges::sort(cover.columns_, std::less<>());
  const auto same = [](const Column& a, const Column& b) { return a.number == b.number; };
  cover.columns_.erase(std::unique(cover.columns_.begin(), cover.columns_.end(), same), cover.columns_.end());
  if (!cover.TakesConditions(cover.conditions_)) {
    return std::nullopt;
  }
  if (RowRange range = rowkey::RangeOf(scan); !range.start.empty() || !range.stop.empty()) {
    cover.range_ = filter::RowSet::FromRanges({std::move(range)});
  }
  return cover;
}

std::optional<Cell> RowCover::CellOf(const Column& column, const EntryScanner::Entry& entry) const {
  if (entry.fetched != nullptr) {
    const Cell* const cell = entry.fetched->Find(column.family, column.qualifier);
    return cell == nullptr ? std::nullopt : std::optional(*cell);
  }
  const CoveredColumn* const covered = entry.Covered(column.number);
  if (covered == nullptr) {
    return std::nullopt;
  }
  return Cell{entry.row, column.family, column.qualifier, covered->timestamp_ms, CellType::kPut, covered->value, {}};
}

size_t RowCover::ColumnOf(const SingleColumnValue& test) const {
  const auto found = std::ranges::find_if(
      columns_, [&](const Column& one) { return one.family == test.family && one.qualifier == test.qualifier; });
  return static_cast<size_t>(found - columns_.begin());
}

// A filter sees only the scan's columns.
bool RowCover::TakesConditions(const rowkey::ColumnTest& test) {
  if (!test.column.has_value()) {
    return std::ranges::all_of(test.members,
                               [this](const rowkey::ColumnTest& member) { return TakesConditions(member); });
  }
  const size_t column = ColumnOf(*test.column);
  if (column == columns_.size()) {
    return false;
  }
  columns_[column].excluded = columns_[column].excluded || test.exclude;
  return true;
}

bool RowCover::Passes(const rowkey::ColumnTest& test, const EntryScanner::Entry& entry) const {
  const auto passes = [&](const rowkey::ColumnTest& member) { return Passes(member, entry); };
  if (!test.column.has_value()) {
    return test.op == ListOperator::kMustPassAll || test.members.empty() ? std::ranges::all_of(test.members, passes)
                                                                         : std::ranges::any_of(test.members, passes);
  }
  const SingleColumnValue& one = *test.column;
  const std::optional<Cell> cell = CellOf(columns_[ColumnOf(one)], entry);
  return !cell.has_value() ? !one.filter_if_missing : filter::Keeps(one.op, one.comparator->CompareTo(cell->value));
}

void RowCover::Add(const EntryScanner::Entry& entry) {
  if ((range_ != nullptr && !range_->Contains(entry.row)) || !Passes(conditions_, entry)) {
    return;
  }
  CoveredRows::Row row = {.row = std::string(entry.row), .first_cell = covered_.cells.size(), .cells = 0};
  for (const Column& column : columns_) {
    if (const std::optional<Cell> cell = CellOf(column, entry); cell.has_value() && !column.excluded) {
      covered_.cells.AppendCopy(*cell);
      bytes_ += sizeof(Cell) + cell->value.size() + row.row.size();
      ++row.cells;
    }
  }
  if (row.cells == 0) {
    return;  // a filter has excluded all of them
  }
  bytes_ += sizeof(row) + row.row.size();
  covered_.rows.push_back(std::move(row));
}

CoveredRows RowCover::Take() && {
  std::ranges::stable_sort(covered_.rows, {}, &CoveredRows::Row::row);
  const auto same = [](const CoveredRows::Row& a, const CoveredRows::Row& b) { return a.row == b.row; };
  covered_.rows.erase(std::unique(covered_.rows.begin(), covered_.rows.end(), same), covered_.rows.end());
  if (reversed_) {
    std::ranges::reverse(covered_.rows);
  }
  return std::move(covered_);
}

std::unique_ptr<ResultScanner> OpenCoveredScan(ScanRequest request) {
  return std::make_unique<CoveredScan>(std::move(request));
}

}  // namespace klip::table
