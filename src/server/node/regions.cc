#include "server/node/regions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/store/descriptor_checks.h"
#include "engine/store/views.h"
#include "klip/bytes.h"
#include "rowkey/index_definition.h"

namespace klip::server {
namespace {

TableRegionsPtr MakeRegions(engine::TablePtr view) {
  auto made = std::make_shared<TableRegions>();
  made->regions.reserve(view->regions->size());
  for (const engine::Region& region : *view->regions) {
    made->regions.push_back(ServedAs(view->descriptor.name, region));
  }
  made->replicas = static_cast<int32_t>(std::clamp<int64_t>(
      engine::NumberIn(view->descriptor.attributes, "REGION_REPLICATION", 1), 1, engine::kMostReplicas));
  made->view = std::move(view);
  return made;
}

// The replica's number in "table,start,id_0001.encoded."; 0 without one.
int32_t ReplicaIdOf(std::string_view name) {
  const size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos || underscore < name.rfind(',')) {
    return 0;
  }
  const std::string_view digits = name.substr(underscore + 1);
  int32_t id = 0;
  constexpr int kHexadecimal = 16;
  std::from_chars(digits.data(), digits.data() + digits.size(), id, kHexadecimal);
  return id;
}

// Bytes of each family of the region. With `enough` > 0: the row after the one in which `family` reaches so many, or that
// row itself if it is the last.
Expected<std::string> CountBytes(const RegionRef& region, std::string_view family, int64_t enough,
                                 std::map<std::string, int64_t, std::less<>>* bytes) {
  const Scan scan = {
      .start_row = region.region->start_key, .stop_row = region.region->end_key, .max_versions = kAllVersions};
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> rows, region.table->Scan(scan));
  std::string reached;
  Result row;
  for (;;) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more || !reached.empty()) {
      return more ? std::string(row.row()) : std::move(reached);
    }
    for (const Cell& cell : row) {
      int64_t& sum = (*bytes)[std::string(cell.family)];
      sum += static_cast<int64_t>(cell.row.size() + cell.qualifier.size() + cell.value.size());
      if (enough > 0 && cell.family == family && sum >= enough) {
        reached = cell.row;
      }
    }
  }
}

Expected<std::string> CountedMiddle(const RegionRef& region) {
  std::map<std::string, int64_t, std::less<>> bytes;
  KLIP_RETURN_IF_ERROR(CountBytes(region, {}, 0, &bytes).status());
  const auto largest =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == bytes.end()) {
    return std::string();
  }
  std::map<std::string, int64_t, std::less<>> again;
  KLIP_ASSIGN_OR_RETURN(std::string middle, CountBytes(region, largest->first, largest->second / 2 + 1, &again));
  return middle == region.region->start_key ? std::string() : std::move(middle);
}

// The start key in "table,start key,id..."; empty if it is not such a name.
std::string_view StartKeyIn(std::string_view region_name) {
  const size_t first = region_name.find(',');
  const size_t last = region_name.rfind(',');
  return first == last ? std::string_view() : region_name.substr(first + 1, last - first - 1);
}

}  // namespace

const ServedRegion& TableRegions::RegionOf(std::string_view row) const {
  const auto above =
      std::upper_bound(regions.begin(), regions.end(), row,
                       [](std::string_view wanted, const ServedRegion& one) { return wanted < one.start_key; });
  return above == regions.begin() ? regions.front() : *std::prev(above);
}

const ServedRegion* TableRegions::Named(std::string_view name) const {
  const ServedRegion& region = RegionOf(StartKeyIn(name));
  return region.name == name ? &region : nullptr;
}

int32_t TableRegions::ReplicaNamed(const ServedRegion& region, std::string_view encoded_name) const {
  if (region.encoded_name == encoded_name) {
    return 0;
  }
  for (int32_t id = 1; id < replicas; ++id) {
    if (EncodedRegionName(region.table, region.start_key, region.region_id, id) == encoded_name) {
      return id;
    }
  }
  return -1;
}

ServedRegion TableRegions::Replica(const ServedRegion& region, int32_t replica_id) const {
  return ServedAs(region.table, (*view->regions)[static_cast<size_t>(&region - regions.data())], replica_id);
}

ServedRegion ServedAs(std::string_view table, const engine::Region& region, int32_t replica_id) {
  ServedRegion served;
  served.table = table;
  served.start_key = region.start_key;
  served.end_key = region.end_key;
  served.region_id = region.region_id;
  served.requests = region.requests;
  served.replica_id = replica_id;
  served.encoded_name = EncodedRegionName(table, region.start_key, region.region_id, replica_id);
  served.name = RegionName(table, region.start_key, region.region_id, replica_id);
  return served;
}

void FillRegionInfo(const ServedRegion& region, hbase::pb::RegionInfo* info) {
  info->set_region_id(static_cast<uint64_t>(region.region_id));
  FillTableName(region.table, info->mutable_table_name());
  info->set_start_key(region.start_key);
  info->set_end_key(region.end_key);
  info->set_offline(false);
  info->set_split(false);
  info->set_replica_id(region.replica_id);
}

void FillMetaRegionInfo(hbase::pb::RegionInfo* info) {
  info->set_region_id(1);
  FillTableName(kMetaTable, info->mutable_table_name());
  info->set_start_key("");
  info->set_end_key("");
  info->set_offline(false);
  info->set_split(false);
  info->set_replica_id(0);
}

Expected<std::string> MiddleOf(engine::Storage* storage, const RegionRef& region) {
  KLIP_RETURN_IF_ERROR(region.table->CheckReadable());
  const engine::TableView& view = *region.table_regions->view;
  const ServedRegion& at = *region.region;
  constexpr int64_t kSmallBytes = 16 << 20;  // TUNING: read in a tenth of a second; samples are 64 KB apart
  if (storage->ApproximateBytes(view, at.start_key, at.end_key) <= kSmallBytes) {
    return CountedMiddle(region);
  }
  std::vector<std::string> points = storage->SplitPoints(view, at.start_key, at.end_key, 2);
  if (points.empty()) {  // all of it is still in memory
    KLIP_RETURN_IF_ERROR(storage->Flush(view.descriptor.name));
    points = storage->SplitPoints(view, at.start_key, at.end_key, 2);
  }
  return points.empty() ? std::string() : points.front();
}

RegionDirectory::RegionDirectory(table::EmbeddedConnection* connection, const ServerName* server)
    : connection_(connection),
      server_(server),
      watch_(connection->store().views().WatchTables([this](const std::string& table) { Renew(table); })) {}

RegionDirectory::~RegionDirectory() { connection_->store().views().Unwatch(watch_); }

Expected<RegionDirectory::Entry> RegionDirectory::EntryOf(std::string_view table) {
  table = engine::CanonicalTableName(table);
  {
    const std::shared_lock lock(mutex_);
    if (const auto at = entries_.find(table); at != entries_.end()) {
      Expected<table::InfoPtr> info = at->second.slot->Current();
      if (info.ok() && (*info)->view == at->second.regions->view) {
        return at->second;
      }
    }
  }
  Entry before;  // released outside the lock
  const std::unique_lock lock(mutex_);
  if (const auto at = entries_.find(table); at != entries_.end()) {
    before = std::move(at->second);
    entries_.erase(at);
  }
  KLIP_ASSIGN_OR_RETURN(const table::SlotPtr slot, connection_->FindSlot(table));
  // Under the lock, so that no entry is kept for a table that another thread has seen dropped.
  KLIP_ASSIGN_OR_RETURN(const table::InfoPtr info, slot->Current());
  Entry entry = {connection_->OpenTable(slot), slot, MakeRegions(info->view)};
  entries_[std::string(table)] = entry;
  return entry;
}

void RegionDirectory::Renew(const std::string& table) {
  std::vector<std::string> changed;  // and the tables that show its indexes
  {
    const std::shared_lock lock(mutex_);
    const std::string shown = rowkey::IndexTableOf(table, "");
    for (auto at = entries_.lower_bound(table); at != entries_.end() && at->first.starts_with(table); ++at) {
      if (at->first == table || at->first.starts_with(shown)) {
        changed.push_back(at->first);
      }
    }
  }
  for (const std::string& name : changed) {
    (void)EntryOf(name);
  }
}

Expected<TableRegionsPtr> RegionDirectory::Of(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(Entry entry, EntryOf(table));
  return std::move(entry.regions);
}

std::vector<std::string> RegionDirectory::Tables() {
  std::vector<std::string> names;
  for (const TableDescriptor& descriptor : connection_->store().views().ListTables()) {
    names.push_back(descriptor.name);
  }
  return names;
}

bool RegionDirectory::FindByName(std::string_view name, RegionRef* ref) {
  const size_t comma = name.find(',');
  if (comma == std::string_view::npos) {
    return false;
  }
  Expected<Entry> entry = EntryOf(name.substr(0, comma));
  if (!entry.ok()) {
    return false;
  }
  const ServedRegion& region = entry->regions->RegionOf(StartKeyIn(name));
  if (region.name == name) {
    ref->region = &region;
  } else if (const int32_t id = ReplicaIdOf(name); id <= 0 || id >= entry->regions->replicas) {
    return false;
  } else {
    ref->replica = std::make_shared<const ServedRegion>(entry->regions->Replica(region, id));
    if (ref->replica->name != name) {
      return false;
    }
    ref->region = ref->replica.get();
  }
  ref->table_regions = std::move(entry->regions);
  ref->table = std::move(entry->table);
  return true;
}

bool RegionDirectory::FindByEncodedName(std::string_view encoded_name, RegionRef* ref) {
  for (const std::string& table : Tables()) {
    Expected<Entry> entry = EntryOf(table);
    if (!entry.ok()) {
      continue;
    }
    for (const ServedRegion& region : entry->regions->regions) {
      const int32_t id = entry->regions->ReplicaNamed(region, encoded_name);
      if (id < 0) {
        continue;
      }
      if (id > 0) {
        ref->replica = std::make_shared<const ServedRegion>(entry->regions->Replica(region, id));
      }
      ref->region = id > 0 ? ref->replica.get() : &region;
      ref->table_regions = std::move(entry->regions);
      ref->table = std::move(entry->table);
      return true;
    }
  }
  return false;
}

rpc::Error RegionDirectory::NotServing(std::string_view name) const {
  if (IsMetaRegion(name)) {  // clients would retry for minutes
    return Status(Code::kDoNotRetry, "hbase:meta is read-only: klip derives it from the catalog");
  }
  return rpc::Error::Hbase("NotServingRegionException",
                           ToStringBinary(name) + " is not online on " + server_->ToString(), false);
}

rpc::Error RegionDirectory::Find(const hbase::pb::RegionSpecifier& specifier, RegionRef* ref) {
  if (!FindByName(specifier.value(), ref) || !ref->table_regions->view->enabled) {
    return NotServing(specifier.value());
  }
  return {};
}

rpc::Error RegionDirectory::FindAny(const hbase::pb::RegionSpecifier& specifier, RegionRef* ref) {
  const bool found = specifier.type() == hbase::pb::RegionSpecifier::ENCODED_REGION_NAME
                         ? FindByEncodedName(specifier.value(), ref)
                         : FindByName(specifier.value(), ref);
  return found ? rpc::Error() : rpc::Error::Hbase("UnknownRegionException", ToStringBinary(specifier.value()), true);
}

}  // namespace klip::server
