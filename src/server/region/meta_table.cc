#include "server/region/meta_table.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "filter/rows/made_rows.h"
#include "klip/bytes.h"
#include "proto/HBase.pb.h"
#include "rowkey/index_definition.h"

namespace klip::server {
namespace {

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

filter::MadeRow StateRow(const TableRegions& table) {
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
filter::MadeRow RegionRow(const TableRegions& table, const ServedRegion& region, const engine::RegionChange* merged,
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
filter::MadeRow SplitRow(const ServedRegion& region, const engine::RegionChange& split, const ServerName& server) {
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
class MetaScanner final : public filter::MadeRowScanner {
 public:
  MetaScanner(RegionDirectory* regions, const ServerName* server, const klip::Scan& scan)
      : MadeRowScanner(scan), regions_(regions), server_(server), tables_(regions->Tables()) {
    AddIndexTable();
    if (scan.reversed) {
      std::reverse(tables_.begin(), tables_.end());
    }
  }

  klip::Explain explain() const override { return {}; }

 private:
  Expected<filter::MadeRow> NextRow() override {
    while (rows_.empty() && next_table_ < tables_.size()) {
      ReadTable(tables_[next_table_++]);
    }
    if (rows_.empty()) {
      return filter::MadeRow();
    }
    filter::MadeRow row = std::move(rows_.front());
    rows_.pop_front();
    return row;
  }

  std::string_view low() const { return scan().reversed ? scan().stop_row : scan().start_row; }
  std::string_view high() const { return scan().reversed ? scan().start_row : scan().stop_row; }

  // Clients that look for one table find those of entries of indexes, too. Nobody else does, as balancers and repairs need
  // not know them.
  void AddIndexTable() {
    const std::string table(MetaRowParts(low()).table.text);
    const auto at = std::ranges::lower_bound(tables_, table);
    if (rowkey::IsIndexTable(table) && (at == tables_.end() || *at != table) && regions_->Of(table).ok()) {
      tables_.insert(at, table);
    }
  }

  // Whether the table can have rows in the range, without reading its regions.
  bool MayHaveRows(std::string_view table) const {
    return (low().empty() || table >= MetaRowParts(low()).table.text) &&
           (high().empty() || table <= MetaRowParts(high()).table.text);
  }

  void ReadTable(const std::string& name) {
    if (!MayHaveRows(name)) {
      return;
    }
    const Expected<TableRegionsPtr> table = regions_->Of(name);
    if (!table.ok()) {
      return;  // dropped meanwhile
    }
    if (InRange(scan(), name)) {
      rows_.push_back(StateRow(**table));
    }
    for (const ServedRegion& region : (*table)->regions) {
      const engine::RegionChange* change = ChangeBehind(*(*table)->view, region);
      if (change != nullptr && change->before.size() == 1) {
        // It has the same start key and is older: it precedes its first daughter.
        if (const ServedRegion parent = ServedAs(name, change->before.front()); InRange(scan(), parent.name)) {
          rows_.push_back(SplitRow(parent, *change, *server_));
        }
        change = nullptr;
      }
      if (InRange(scan(), region.name)) {
        rows_.push_back(RegionRow(**table, region, change, *server_));
      }
    }
    if (scan().reversed) {
      std::reverse(rows_.begin(), rows_.end());
    }
  }

  RegionDirectory* const regions_;
  const ServerName* const server_;
  std::vector<std::string> tables_;
  size_t next_table_ = 0;
  std::deque<filter::MadeRow> rows_;
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
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, Scan(filter::ScanOf(get)));
  return filter::AnswerOf(get, scanner.get());
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
