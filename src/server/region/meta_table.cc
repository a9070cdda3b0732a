#include "server/region/meta_table.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "klip/filter_state.h"
#include "proto/HBase.pb.h"

namespace klip::server {
namespace {

using RowPtr = std::unique_ptr<Result>;

struct Part {
  std::string_view text;
  bool more = false;  // a delimiter follows
};

// -1, 0, 1; a part at the end of the row is below one that is followed by others.
int ComparePart(const Part& a, const Part& b) {
  const int order = a.text.compare(b.text);
  if (order != 0) {
    return order < 0 ? -1 : 1;
  }
  return a.more == b.more ? 0 : (a.more ? 1 : -1);
}

struct MetaRowParts {
  explicit MetaRowParts(std::string_view row) {
    const size_t first = row.find(',');
    table = {row.substr(0, first), first != std::string_view::npos};
    if (!table.more) {
      return;
    }
    row.remove_prefix(first + 1);
    const size_t last = row.rfind(',');
    start_key = {row.substr(0, last), last != std::string_view::npos};
    if (start_key.more) {
      id = {row.substr(last + 1), false};
    }
  }

  Part table;
  Part start_key;
  Part id;
};

// Adds cells to a row of hbase:meta, in the order of their columns.
class RowBuilder {
 public:
  RowBuilder(std::string_view row, std::string_view family, int64_t timestamp_ms, Result* result)
      : result_(result), row_(result->Store(row)), family_(family), timestamp_ms_(timestamp_ms) {}

  void Add(std::string_view qualifier, std::string_view value) {
    result_->Append(
        {row_, family_, result_->Store(qualifier), timestamp_ms_, CellType::kPut, result_->Store(value), {}});
  }

 private:
  Result* result_;
  std::string_view row_;
  std::string_view family_;
  int64_t timestamp_ms_;
};

RowPtr StateRow(const TableRegions& table) {
  auto row = std::make_unique<Result>();
  RowBuilder builder(table.view->descriptor.name, "table", table.regions.front().region_id, row.get());
  hbase::pb::TableState state;
  state.set_state(table.view->enabled ? hbase::pb::TableState::ENABLED : hbase::pb::TableState::DISABLED);
  builder.Add("state", state.SerializeAsString());
  return row;
}

std::string RegionInfoValue(const hbase::pb::RegionInfo& info) { return "PBUF" + info.SerializeAsString(); }
std::string RegionInfoValue(const ServedRegion& region) {
  hbase::pb::RegionInfo info;
  FillRegionInfo(region, &info);
  return RegionInfoValue(info);
}

// The location of a region, with columns for each replica.
void AddColumn(RowBuilder* builder, int32_t replicas, const std::string& qualifier, std::string_view value) {
  for (int32_t id = 0; id < replicas; ++id) {
    builder->Add(qualifier + ReplicaSuffix(id), value);
  }
}
void AddPlace(RowBuilder* builder, int32_t replicas, const ServerName& server) {
  AddColumn(builder, replicas, "seqnumDuringOpen", BigEndian(int64_t{2}));
  AddColumn(builder, replicas, "server", base::Address{server.host, server.port}.ToString());
  AddColumn(builder, replicas, "serverstartcode", BigEndian(server.start_code));
  AddColumn(builder, replicas, "sn", server.ToString());
}

// `merged`: the merge that created the region; null: none.
RowPtr RegionRow(const TableRegions& table, const ServedRegion& region, const engine::RegionChange* merged,
                 const ServerName& server) {
  auto row = std::make_unique<Result>();
  RowBuilder builder(region.name, "info", region.region_id, row.get());
  for (size_t i = 0; merged != nullptr && i < merged->before.size(); ++i) {
    std::string number = std::to_string(i);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    builder.Add("merge" + number, RegionInfoValue(ServedAs(region.table, merged->before[i])));
  }
  builder.Add("regioninfo", RegionInfoValue(region));
  AddPlace(&builder, table.replicas, server);
  AddColumn(&builder, table.replicas, "state", table.view->enabled ? "OPEN" : "CLOSED");
  return row;
}

// A region that was split and does not exist any more.
RowPtr SplitRow(const ServedRegion& region, const engine::RegionChange& split, const ServerName& server) {
  auto row = std::make_unique<Result>();
  RowBuilder builder(region.name, "info", region.region_id, row.get());
  hbase::pb::RegionInfo info;
  FillRegionInfo(region, &info);
  info.set_offline(true);
  info.set_split(true);
  builder.Add("regioninfo", RegionInfoValue(info));
  AddPlace(&builder, /*replicas=*/1, server);
  builder.Add("splitA", RegionInfoValue(ServedAs(region.table, split.after.front())));
  builder.Add("splitB", RegionInfoValue(ServedAs(region.table, split.after.back())));
  builder.Add("state", "CLOSED");
  return row;
}

// The change whose first result is the region, or null.
const engine::RegionChange* ChangeBehind(const engine::TableView& view, const ServedRegion& region) {
  for (const engine::RegionChange& change : view.changes) {
    if (change.after.front().region_id == region.region_id && change.after.front().start_key == region.start_key) {
      return &change;
    }
  }
  return nullptr;
}

bool Selected(const std::vector<ColumnSpec>& columns, const Cell& cell) {
  return columns.empty() || std::any_of(columns.begin(), columns.end(), [&](const ColumnSpec& column) {
           return column.family == cell.family &&
                  (!column.qualifier.has_value() || *column.qualifier == cell.qualifier);
         });
}

// Keeps the requested cells of a row.
void Select(const klip::Scan& read, Result* row) {
  size_t kept = 0;
  for (size_t i = 0; i < row->size(); ++i) {
    const Cell cell = (*row)[i];
    const auto own = read.family_time_ranges.find(std::string(cell.family));
    const TimeRange& range = own == read.family_time_ranges.end() ? read.time_range : own->second;
    if (Selected(read.columns, cell) && cell.timestamp_ms >= range.min_ms && cell.timestamp_ms < range.max_ms) {
      row->Mutable(kept++) = cell;
    }
  }
  row->Truncate(kept);
}

// Of the only family.
void Limit(const klip::Scan& scan, std::vector<Cell>* cells) {
  const auto passed = std::min(cells->size(), static_cast<size_t>(std::max(scan.row_offset_per_family, 0)));
  cells->erase(cells->begin(), cells->begin() + static_cast<std::ptrdiff_t>(passed));
  if (scan.max_results_per_family >= 0) {
    cells->resize(std::min(cells->size(), static_cast<size_t>(scan.max_results_per_family)));
  }
}

bool InRange(const klip::Scan& scan, std::string_view row) {
  const auto above = [&](std::string_view bound,
                         bool include) {  // the first bound in the direction of the scan
    const int order = CompareMetaRows(row, bound) * (scan.reversed ? -1 : 1);
    return order > 0 || (order == 0 && include);
  };
  const auto below = [&](std::string_view bound, bool include) {
    const int order = CompareMetaRows(row, bound) * (scan.reversed ? -1 : 1);
    return order < 0 || (order == 0 && include);
  };
  return (scan.start_row.empty() || above(scan.start_row, scan.include_start)) &&
         (scan.stop_row.empty() || below(scan.stop_row, scan.include_stop));
}

// Produces the rows of one table after another, so that looking up one region does not produce the rows of all.
class MetaScanner final : public ResultScanner {
 public:
  MetaScanner(RegionDirectory* regions, const ServerName* server, const klip::Scan& scan)
      : regions_(regions), server_(server), scan_(scan), tables_(regions->Tables()) {
    if (scan_.reversed) {
      std::reverse(tables_.begin(), tables_.end());
    }
    if (scan_.filter != nullptr) {
      filter_ = scan_.filter->NewState(scan_.reversed);
    }
  }

  Expected<bool> Next(Result* result) override {
    result->Clear();
    for (;;) {
      if (rest_ != nullptr) {
        TakePiece(result);
        return true;
      }
      while (!rows_.empty()) {
        RowPtr row = std::move(rows_.front());
        rows_.pop_front();
        const bool pass = Pass(row.get());
        if (filter_ != nullptr && filter_->Error() != nullptr) {
          return *filter_->Error();
        }
        if (pass) {
          ++statistics_.rows_returned;
          if (scan_.batch > 0) {
            rest_ = std::move(row);
            TakePiece(result);
          } else {
            *result = std::move(*row);
          }
          return true;
        }
      }
      if (next_table_ == tables_.size()) {
        return false;
      }
      ReadTable(tables_[next_table_++]);
    }
  }

  ScanStatistics statistics() const override { return statistics_; }
  klip::Explain explain() const override { return {}; }

 private:
  // Whether the table can have rows in the range, without reading its regions.
  bool MayHaveRows(std::string_view table) const {
    const std::string_view low = scan_.reversed ? scan_.stop_row : scan_.start_row;
    const std::string_view high = scan_.reversed ? scan_.start_row : scan_.stop_row;
    return (low.empty() || table >= MetaRowParts(low).table.text) &&
           (high.empty() || table <= MetaRowParts(high).table.text);
  }

  void ReadTable(const std::string& name) {
    if (!MayHaveRows(name)) {
      return;
    }
    const Expected<TableRegionsPtr> table = regions_->Of(name);
    if (!table.ok()) {
      return;  // dropped meanwhile
    }
    if (InRange(scan_, name)) {
      rows_.push_back(StateRow(**table));
    }
    for (const ServedRegion& region : (*table)->regions) {
      const engine::RegionChange* change = ChangeBehind(*(*table)->view, region);
      if (change != nullptr && change->before.size() == 1) {
        // It has the same start key and is older: it precedes its first daughter.
        if (const ServedRegion parent = ServedAs(name, change->before.front()); InRange(scan_, parent.name)) {
          rows_.push_back(SplitRow(parent, *change, *server_));
        }
        change = nullptr;
      }
      if (InRange(scan_, region.name)) {
        rows_.push_back(RegionRow(**table, region, change, *server_));
      }
    }
    if (scan_.reversed) {
      std::reverse(rows_.begin(), rows_.end());
    }
  }

  // The next Scan::batch cells of a row.
  void TakePiece(Result* result) {
    const size_t end = std::min(rest_->size(), told_ + static_cast<size_t>(scan_.batch));
    for (; told_ < end; ++told_) {
      result->AppendCopy((*rest_)[told_]);
    }
    result->set_has_more_cells_in_row(told_ < rest_->size());
    if (told_ == rest_->size()) {
      rest_.reset();
      told_ = 0;
    }
  }

  // The steps of HBase's read path, for a complete row.
  bool Pass(Result* row) {
    ++statistics_.rows_read;
    Select(scan_, row);
    if (row->empty()) {
      return false;
    }
    std::vector<Cell> cells;
    if (filter_ == nullptr) {
      cells = row->cells();
      Limit(scan_, &cells);
    } else if (!PassFilter(row, &cells)) {
      return false;
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      row->Mutable(i) = cells[i];
    }
    row->Truncate(cells.size());
    return !cells.empty();
  }

  bool PassFilter(Result* row, std::vector<Cell>* cells) {
    filter_->Reset();
    if (filter_->FilterAllRemaining()) {
      next_table_ = tables_.size();
      rows_.clear();
      return false;
    }
    if (filter_->FilterRowKey(row->row())) {
      return false;
    }
    for (const Cell& cell : *row) {
      const filter::ReturnCode code = filter_->FilterCell(cell);
      if (code == filter::ReturnCode::kInclude || code == filter::ReturnCode::kIncludeAndNextCol ||
          code == filter::ReturnCode::kIncludeAndSeekNextRow) {
        cells->push_back(cell);
        filter_->TransformCell(&cells->back(), row);
      }
      if (code == filter::ReturnCode::kNextRow || code == filter::ReturnCode::kIncludeAndSeekNextRow) {
        break;
      }
    }
    Limit(scan_, cells);
    filter_->FilterRowCells(cells);
    return !filter_->HasFilterRow() || !filter_->FilterRow();
  }

  RegionDirectory* const regions_;
  const ServerName* const server_;
  const klip::Scan scan_;
  std::vector<std::string> tables_;
  size_t next_table_ = 0;
  std::deque<RowPtr> rows_;
  RowPtr rest_;  // of which `told_` cells were returned; null: none
  size_t told_ = 0;
  std::unique_ptr<filter::FilterState> filter_;
  ScanStatistics statistics_;
};

}  // namespace

int CompareMetaRows(std::string_view a, std::string_view b) {
  const MetaRowParts left(a);
  const MetaRowParts right(b);
  if (const int order = ComparePart(left.table, right.table); order != 0) {
    return order;
  }
  if (const int order = ComparePart(left.start_key, right.start_key); order != 0) {
    return order;
  }
  return ComparePart(left.id, right.id);
}

Expected<Result> MetaTable::Get(const klip::Get& get) const {
  klip::Scan scan = {.start_row = get.row, .stop_row = get.row, .include_stop = true};
  scan.columns = get.columns;
  scan.time_range = get.time_range;
  scan.family_time_ranges = get.family_time_ranges;
  scan.max_results_per_family = get.max_results_per_family;
  scan.row_offset_per_family = get.row_offset_per_family;
  scan.filter = get.filter;
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, Scan(scan));
  Result result;
  KLIP_RETURN_IF_ERROR(scanner->Next(&result).status());
  if (get.check_existence_only) {
    Result exists;
    exists.set_exists(!result.empty());
    return exists;
  }
  return result;
}

Expected<std::unique_ptr<ResultScanner>> MetaTable::Scan(const klip::Scan& scan) const {
  for (const ColumnSpec& column : scan.columns) {
    if (column.family != "info" && column.family != "table" && column.family != "rep_barrier") {
      return Status(Code::kNoSuchColumnFamily,
                    "Column family " + column.family +
                        " does not exist in region hbase:meta,,1.1588230740 in table 'hbase:meta'");
    }
  }
  return std::unique_ptr<ResultScanner>(std::make_unique<MetaScanner>(regions_, server_, scan));
}

}  // namespace klip::server
