#include "table/read/index_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "klip/cancel.h"
#include "rowkey/column_filter.h"
#include "rowkey/scan_planner.h"
#include "table/read/index_entry.h"
#include "table/read/index_rows.h"

namespace klip::table {
namespace {

class IndexOrderScan final : public ResultScanner {
 public:
  IndexOrderScan(InfoPtr table, const TableIndex* index, EntryScanner entries, const Scan& scan, OpenRows open)
      : table_(std::move(table)),
        index_(index),
        entries_(std::move(entries)),
        limit_(scan.limit_rows),
        reversed_(scan.reversed),
        rows_of_group_(scan),
        open_(std::move(open)) {
    rows_of_group_.order_by_index.clear();
    rows_of_group_.limit_rows = 0;
    rows_of_group_.reversed = false;
    rows_of_group_.threads = 1;
    rowkey::SetRange(rowkey::RangeOf(scan), &rows_of_group_);
    group_rows_ = limit_ > 0 ? std::clamp<size_t>(static_cast<size_t>(limit_), kFirstRows, kMostRows) : kFirstRows;
  }

  Expected<bool> Next(Result* result) override {
    result->Clear();
    while (limit_ <= 0 || statistics_.rows_returned < limit_) {
      if (next_ == order_.size()) {
        KLIP_ASSIGN_OR_RETURN(const bool more, ReadGroup());
        if (!more) {
          return false;
        }
      }
      if (const auto row = found_.find(order_[next_++]); row != found_.end()) {
        *result = std::move(row->second);
        ++statistics_.rows_returned;
        return true;
      }
    }
    return false;
  }

  ScanStatistics statistics() const override {
    ScanStatistics all = statistics_;
    all += entries_.statistics();
    return all;
  }

  klip::Explain explain() const override {
    klip::Explain out = {.table = table_->name(), .index = index_->name(), .kind = PlanKind::kRange};
    out.reversed = reversed_;
    out.actual = statistics();
    return out;
  }

 private:
  // TUNING: most ordered scans want few rows. Later groups are larger, so that their rows are close together.
  static constexpr size_t kFirstRows = 16;
  static constexpr size_t kMostRows = 4096;
  static constexpr size_t kGrowth = 4;

  // False: no more entries.
  Expected<bool> ReadGroup() {
    const CancelScope scope(cancel_);
    KLIP_RETURN_IF_ERROR(cancel_.status());
    order_.clear();
    next_ = 0;
    found_.clear();
    EntryScanner::Entry entry;
    while (order_.size() < group_rows_) {
      KLIP_ASSIGN_OR_RETURN(const bool more, entries_.Next(&entry));
      if (!more) {
        break;
      }
      order_.emplace_back(entry.row);
    }
    if (order_.empty()) {
      return false;
    }
    group_rows_ = std::min(group_rows_ * kGrowth, kMostRows);
    Scan scan = rows_of_group_;
    scan.rows = filter::RowSet::FromRows(order_);
    if (rows_of_group_.rows != nullptr) {
      scan.rows = filter::RowSet::Intersect(*scan.rows, *rows_of_group_.rows);
    }
    KLIP_ASSIGN_OR_RETURN(const auto rows, open_(scan));
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
      if (!more) {
        break;
      }
      std::string key(row.row());
      found_.emplace(std::move(key), std::exchange(row, Result()));
    }
    ScanStatistics read = rows->statistics();
    read.rows_returned = 0;
    statistics_ += read;
    IndexCounters& counters = *index_->counters;
    IndexCounters::Add(&counters.entries_read, static_cast<int64_t>(order_.size()));
    IndexCounters::Add(&counters.rows_fetched, read.rows_read);
    IndexCounters::Add(&counters.rows_dropped, read.rows_read - static_cast<int64_t>(found_.size()));
    return true;
  }

  const InfoPtr table_;
  const TableIndex* const index_;
  EntryScanner entries_;
  const int64_t limit_;
  const bool reversed_;
  Scan rows_of_group_;
  const OpenRows open_;
  const CancelToken cancel_ = CancelToken::Current();  // of the call that opened the scan
  size_t group_rows_ = kFirstRows;
  std::vector<std::string> order_;       // the group's rows
  size_t next_ = 0;                      // of these
  std::map<std::string, Result> found_;  // the ones that the scan returns
  ScanStatistics statistics_;
};

Status CheckCanOrder(const TableInfo& table, const TableIndex* index, const Scan& scan) {
  const auto refuse = [&](const std::string& why) {
    return Status(Code::kInvalidArgument, "the order of index '" + scan.order_by_index + "': " + why);
  };
  if (index == nullptr) {
    return refuse("table '" + table.name() + "' has no such index");
  }
  if (index->why_unused() != nullptr) {
    return refuse(index->why_unused());
  }
  if (scan.raw || scan.batch > 0 || scan.allow_partial_results) {
    return refuse("raw scans and parts of rows cannot be in the order of an index");
  }
  if (scan.filter != nullptr && scan.filter->RemembersRows()) {
    return refuse("a filter that counts rows works only in the order of row keys");
  }
  return Status::Ok();
}

}  // namespace

Expected<std::unique_ptr<ResultScanner>> OpenIndexOrder(const RowSource& source, const InfoPtr& table, const Scan& scan,
                                                        OpenRows open) {
  const TableIndex* const index = table->indexes == nullptr ? nullptr : table->indexes->Find(scan.order_by_index);
  KLIP_RETURN_IF_ERROR(CheckCanOrder(*table, index, scan));
  KLIP_ASSIGN_OR_RETURN(
      const Scan filtered,
      rowkey::WithColumnFilter(scan, table->schema.has_value() ? &*table->schema : nullptr, /*mixed=*/true));
  engine::RowScanSpec spec;
  spec.scan.reversed = scan.reversed;
  spec.rows = rowkey::EntriesFor(index->definition, rowkey::ColumnConditionsOf(filtered), filtered, /*rows=*/nullptr,
                                 /*only_entries=*/true)
                  .entries;
  KLIP_ASSIGN_OR_RETURN(EntryScanner entries, EntryScanner::Open(source, *table, *index, std::move(spec)));
  IndexCounters::Add(&index->counters->reads, 1);
  return std::unique_ptr<ResultScanner>(
      std::make_unique<IndexOrderScan>(table, index, std::move(entries), scan, std::move(open)));
}

}  // namespace klip::table
