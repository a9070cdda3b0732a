#include "table/read/shown_entries.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/rows/made_rows.h"
#include "filter/rows/row_set.h"
#include "rowkey/column_filter.h"
#include "rowkey/query_names.h"
#include "table/read/index_entry.h"

namespace klip::table {
namespace {

// Makes the rows. Keeps the table, so that scanners may outlive a change of it.
class EntryRows {
 public:
  EntryRows(RowSource source, InfoPtr info)
      : source_(std::move(source)), info_(std::move(info)), now_ms_(source_.now_ms()) {}

  // `entry`: all stored cells of a row. Null: it is no entry, or a stale one. Errors: those of reading the row.
  Expected<filter::MadeRow> Make(const Result& entry) {
    const Cell* const state = entry.Find(kEntryFamily, "");
    if (state == nullptr || entry.row().empty()) {
      return filter::MadeRow();
    }
    auto row = std::make_unique<Result>();
    key_ = row->Store(entry.row());
    if (ReadEntryValue(definition(), state->value, now_ms_, &covered_)) {
      for (const CoveredColumn& column : covered_) {
        AddColumn(column.column, column.timestamp_ms, column.value, row.get());
      }
    } else {
      KLIP_ASSIGN_OR_RETURN(const std::string_view of, rowkey::TableRowOf(definition(), entry.row()));
      KLIP_RETURN_IF_ERROR(source_.Get(*info_->shown.table, ColumnsOf(*info_->shown.index, of), &fetched_));
      if (!HasEntry(*info_->shown.index, entry.row(), of, fetched_)) {
        return filter::MadeRow();
      }
      for (const size_t column : definition().include) {
        const rowkey::IndexColumn& name = definition().columns[column];
        if (const Cell* const cell = fetched_.Find(name.family, name.qualifier); cell != nullptr) {
          AddColumn(column, cell->timestamp_ms, cell->value, row.get());
        }
      }
    }
    row->Append({key_, kShownFamily, "", state->timestamp_ms, CellType::kPut, "", {}});
    Sort(row.get());
    return row;
  }

 private:
  const rowkey::IndexDefinition& definition() const { return info_->shown.index->definition; }

  void AddColumn(size_t column, int64_t timestamp_ms, std::string_view value, Result* row) const {
    const rowkey::IndexColumn& name = definition().columns[column];
    if (name.family != kShownFamily || !name.qualifier.empty()) {
      row->Append({key_,
                   row->Store(name.family),
                   row->Store(name.qualifier),
                   timestamp_ms,
                   CellType::kPut,
                   row->Store(value),
                   {}});
    }
  }

  static void Sort(Result* row) {
    std::vector<Cell> cells(row->begin(), row->end());
    std::ranges::sort(cells, [](const Cell& a, const Cell& b) {
      return std::pair(a.family, a.qualifier) < std::pair(b.family, b.qualifier);
    });
    for (size_t i = 0; i < cells.size(); ++i) {
      row->Mutable(i) = cells[i];
    }
  }

  const RowSource source_;
  const InfoPtr info_;
  const int64_t now_ms_;
  std::string_view key_;
  Result fetched_;
  std::vector<CoveredColumn> covered_;
};

class ShownEntries final : public filter::MadeRowScanner {
 public:
  ShownEntries(const Scan& scan, EntryRows rows, std::unique_ptr<ResultScanner> entries)
      : MadeRowScanner(scan), rows_(std::move(rows)), entries_(std::move(entries)) {}

  ScanStatistics statistics() const override {
    ScanStatistics all = entries_->statistics();
    all.rows_returned = MadeRowScanner::statistics().rows_returned;
    return all;
  }
  klip::Explain explain() const override {
    klip::Explain out = entries_->explain();
    out.actual = statistics();
    return out;
  }

 private:
  Expected<filter::MadeRow> NextRow() override {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, entries_->Next(&entry_));
      if (!more) {
        return filter::MadeRow();
      }
      if (entry_.empty()) {
        return std::make_unique<Result>();  // a pause
      }
      KLIP_ASSIGN_OR_RETURN(filter::MadeRow row, rows_.Make(entry_));
      if (row != nullptr) {
        return row;
      }
    }
  }

  EntryRows rows_;
  const std::unique_ptr<ResultScanner> entries_;
  Result entry_;
};

Status CheckFamilies(const TableInfo& info, const std::vector<ColumnSpec>& columns) {
  for (const ColumnSpec& column : columns) {
    if (info.view->descriptor.Find(column.family) == nullptr) {
      return {Code::kNoSuchColumnFamily, "Column family " + column.family + " does not exist in table " + info.name() +
                                             ": it has the families of "
                                             "INCLUDE, and " +
                                             kShownFamily};
    }
  }
  return Status::Ok();
}

// The scan of stored entries that finds all rows of `scan`.
Scan EntriesOf(const Scan& scan) {
  Scan entries = {.start_row = scan.start_row,
                  .stop_row = scan.stop_row,
                  .include_start = scan.include_start,
                  .include_stop = scan.include_stop,
                  .reversed = scan.reversed,
                  .where = scan.where,
                  .rows = scan.rows,
                  .cache_blocks = scan.cache_blocks,
                  .plan = scan.plan,
                  .order_by_index = scan.order_by_index};
  if (scan.filter != nullptr && !scan.where.has_value()) {  // with `where`, its rows must be few combinations
    bool exact = false;
    if (auto rows = scan.filter->Rows(scan.reversed, &exact); rows != nullptr) {
      auto both = entries.rows == nullptr ? rows : filter::RowSet::Intersect(*entries.rows, *rows);
      entries.rows = both != nullptr ? std::move(both) : entries.rows;
    }
  }
  return entries;
}

}  // namespace

Expected<std::unique_ptr<ResultScanner>> OpenShownEntries(const RowSource& source, const InfoPtr& info,
                                                          const Scan& asked, const OpenEntries& open) {
  Scan scan = asked;
  if (rowkey::HasWhereAttribute(scan)) {
    KLIP_ASSIGN_OR_RETURN(const rowkey::QueryNames names, rowkey::QueryNamesOf(info->view->descriptor));
    KLIP_ASSIGN_OR_RETURN(scan, rowkey::WithWhereOfAttribute(names, std::move(scan)));
  }
  if (scan.where.has_value() && rowkey::AsksColumns(*scan.where)) {
    KLIP_ASSIGN_OR_RETURN(scan, rowkey::WithColumnFilter(scan, &*info->schema, /*mixed=*/true));
  }
  KLIP_RETURN_IF_ERROR(CheckFamilies(*info, scan.columns));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> entries, open(EntriesOf(scan)));
  return std::unique_ptr<ResultScanner>(
      std::make_unique<ShownEntries>(scan, EntryRows(source, info), std::move(entries)));
}

Status GetShownEntry(const RowSource& source, const InfoPtr& info, const Get& get, Result* result) {
  // A scan of one row that the store has read already.
  class OneEntry final : public filter::MadeRowScanner {
   public:
    OneEntry(const Get& get, filter::MadeRow row) : MadeRowScanner(filter::ScanOf(get)), row_(std::move(row)) {}
    klip::Explain explain() const override { return {}; }

   private:
    Expected<filter::MadeRow> NextRow() override { return std::move(row_); }
    filter::MadeRow row_;
  };
  KLIP_RETURN_IF_ERROR(CheckFamilies(*info, get.columns));
  Result entry;
  KLIP_RETURN_IF_ERROR(source.Get(*info, {.row = get.row, .cache_blocks = get.cache_blocks}, &entry));
  KLIP_ASSIGN_OR_RETURN(filter::MadeRow row, EntryRows(source, info).Make(entry));
  OneEntry scanner(get, std::move(row));
  KLIP_ASSIGN_OR_RETURN(*result, filter::AnswerOf(get, &scanner));
  return Status::Ok();
}

}  // namespace klip::table
