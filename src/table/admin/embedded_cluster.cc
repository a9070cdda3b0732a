// EmbeddedAdmin: the store as a cluster of one server, this process.
#include <algorithm>
#include <utility>

#include "base/process.h"
#include "engine/rocks/block_cache.h"
#include "klip/bytes.h"
#include "table/admin/embedded_admin.h"

namespace klip::table {
EmbeddedAdmin::EmbeddedAdmin(engine::Store* store) : store_(store), server_({base::HostName(), 0, store->NowMs()}) {}

void EmbeddedAdmin::Serve(ServerName server, std::string cluster_id) {
  server_ = std::move(server);
  cluster_id_ = std::move(cluster_id);
}

RegionInfo EmbeddedAdmin::InfoOf(const engine::TableView& table, const engine::Region& region) const {
  RegionInfo info = store_->InfoOf(table, region);
  info.server = server_;
  return info;
}

Expected<std::vector<RegionInfo>> EmbeddedAdmin::GetRegions(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->GetTable(table));
  std::vector<RegionInfo> regions = store_->Regions(*view);
  for (RegionInfo& region : regions) {
    region.server = server_;
  }
  return regions;
}

Expected<RegionInfo> EmbeddedAdmin::LocateRegion(std::string_view table, std::string_view row) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->GetTable(table));
  return InfoOf(*view, view->RegionOf(row));
}

Expected<RegionInfo> EmbeddedAdmin::GetRegion(std::string_view region) {
  for (const TableDescriptor& table : store_->ListTables()) {
    const Expected<engine::TablePtr> view = store_->GetTable(table.name);
    if (!view.ok()) {
      continue;  // dropped meanwhile
    }
    if (const engine::Region* found = (*view)->RegionNamed(region); found != nullptr) {
      return InfoOf(**view, *found);
    }
  }
  return Status(Code::kDoNotRetry, "Unknown region " + ToStringBinary(region));
}

void EmbeddedAdmin::AddMetrics(const engine::TableView& table, bool compacts, std::vector<RegionMetrics>* metrics) {
  if (!table.enabled) {
    return;  // then its regions are on no server
  }
  const std::vector<RegionInfo> regions = store_->Regions(table);
  const std::vector<int32_t> files = store_->FileCounts(table);
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionInfo& region = regions[i];
    RegionMetrics one;
    one.compaction = compacts ? CompactionState::kMinor : CompactionState::kNone;
    one.name = region.Name();
    one.stores = static_cast<int32_t>(table.families.size());
    one.file_bytes = store_->ApproximateBytes(table, region.start_key, region.end_key, /*memory=*/false);
    one.uncompressed_file_bytes = one.file_bytes;
    one.memstore_bytes = std::max<int64_t>(0, region.size_bytes - one.file_bytes);
    one.store_files = files[i];
    one.data_locality = 1;
    metrics->push_back(std::move(one));
  }
}

Expected<std::vector<RegionMetrics>> EmbeddedAdmin::GetRegionMetrics(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->GetTable(table));
  std::vector<RegionMetrics> metrics;
  AddMetrics(*view, store_->Metrics().running_compactions > 0, &metrics);
  return metrics;
}

Status EmbeddedAdmin::FlushRegion(std::string_view region, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return store_->Flush(found.table, family);
}

Status EmbeddedAdmin::CompactRegion(std::string_view region, bool major, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return store_->Compact(found.table, major, family);
}

Status EmbeddedAdmin::SplitRegion(std::string_view region, std::string_view split_key) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  if (split_key.empty()) {
    KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->GetTable(found.table));
    std::vector<std::string> middle = store_->SplitPoints(*view, found.start_key, found.end_key, 2);
    if (middle.empty()) {
      return {Code::kDoNotRetry,
              "Region " + ToStringBinary(found.Name()) + " is not splittable because bestSplitPoint = null"};
    }
    return store_->SplitRegion(found.table, middle[0]);
  }
  if (split_key < found.start_key || (!found.end_key.empty() && split_key >= found.end_key)) {
    return {Code::kDoNotRetry, "Split row is not inside region key range splitKey:" + ToStringBinary(split_key) +
                                   " region: " + ToStringBinary(found.Name())};
  }
  return store_->SplitRegion(found.table, split_key);
}

Status EmbeddedAdmin::MoveRegion(std::string_view region, const std::optional<ServerName>& to) {
  KLIP_RETURN_IF_ERROR(GetRegion(region).status());
  return to.has_value() ? CheckServers({&*to, 1}) : Status::Ok();
}

Status EmbeddedAdmin::AssignRegion(std::string_view region) { return GetRegion(region).status(); }

Status EmbeddedAdmin::UnassignRegion(std::string_view region) {
  KLIP_ASSIGN_OR_RETURN(const RegionInfo found, GetRegion(region));
  return {Code::kUnsupported, "a single region cannot be taken off line; disable table " + found.table};
}

Expected<ClusterMetrics> EmbeddedAdmin::GetClusterMetrics() {
  ClusterMetrics metrics;
  metrics.version = kHBaseVersion;
  metrics.cluster_id = cluster_id_;
  metrics.active_master = server_;
  ServerMetrics& server = metrics.live_servers.emplace_back();
  server.name = server_;
  server.used_heap_bytes = base::ResidentBytes();
  const bool compacts = store_->Metrics().running_compactions > 0;
  for (const TableDescriptor& table : store_->ListTables()) {
    if (const Expected<engine::TablePtr> view = store_->GetTable(table.name); view.ok()) {
      AddMetrics(**view, compacts, &server.regions);
    }
  }
  std::ranges::sort(server.regions, {}, &RegionMetrics::name);
  server.report_ms = store_->NowMs();
  metrics.balancer_on = switches_[static_cast<size_t>(MasterSwitch::kBalancer)];
  return metrics;
}

Expected<bool> EmbeddedAdmin::SetSwitch(MasterSwitch which, bool on) {
  switch (which) {
    case MasterSwitch::kSplit:
      return store_->SetSplitEnabled(on);
    case MasterSwitch::kMerge:
      return store_->SetMergeEnabled(on);
    default:
      return switches_[static_cast<size_t>(which)].exchange(on);
  }
}

Expected<bool> EmbeddedAdmin::IsSwitchOn(MasterSwitch which) {
  switch (which) {
    case MasterSwitch::kSplit:
      return store_->IsSplitEnabled();
    case MasterSwitch::kMerge:
      return store_->IsMergeEnabled();
    default:
      return switches_[static_cast<size_t>(which)].load();
  }
}

// Everything is where it belongs.
Expected<BalanceResult> EmbeddedAdmin::Balance(const BalanceOptions&) {
  return BalanceResult{.ran = switches_[static_cast<size_t>(MasterSwitch::kBalancer)]};
}

// RocksDB and the split policies look after these.
Expected<bool> EmbeddedAdmin::Normalize() { return switches_[static_cast<size_t>(MasterSwitch::kNormalizer)].load(); }
Expected<int> EmbeddedAdmin::RunCatalogJanitor() { return store_->ForgetRegionChanges(); }
Expected<bool> EmbeddedAdmin::RunCleanerChore() {
  if (switches_[static_cast<size_t>(MasterSwitch::kSnapshotCleanup)]) {
    KLIP_RETURN_IF_ERROR(store_->DeleteExpiredSnapshots());
  }
  return true;
}
Expected<bool> EmbeddedAdmin::RunHbckChore() { return true; }  // the store is checked when it is opened
Expected<bool> EmbeddedAdmin::IsInMaintenanceMode() { return false; }
Expected<std::vector<std::string>> EmbeddedAdmin::GetSecurityCapabilities() {
  return std::vector<std::string>{"SIMPLE_AUTHENTICATION"};
}
Status EmbeddedAdmin::FlushMasterStore() { return {Code::kUnsupported, "klip has no master with a store of its own"}; }
Status EmbeddedAdmin::StopMaster() { return StopServer(server_); }

Status EmbeddedAdmin::DecommissionServers(std::span<const ServerName>, bool) {
  return {Code::kUnsupported, "klip is one server: its regions have nowhere to go"};
}
Expected<std::vector<ServerName>> EmbeddedAdmin::ListDecommissionedServers() { return std::vector<ServerName>(); }
Status EmbeddedAdmin::RecommissionServer(const ServerName&, std::span<const std::string>) { return Status::Ok(); }
Expected<std::vector<ServerName>> EmbeddedAdmin::ClearDeadServers(std::span<const ServerName>) {
  return std::vector<ServerName>();
}

Expected<std::vector<ProcedureInfo>> EmbeddedAdmin::ListProcedures() { return std::vector<ProcedureInfo>(); }
Expected<std::vector<ProcedureLock>> EmbeddedAdmin::ListLocks() { return std::vector<ProcedureLock>(); }

Status EmbeddedAdmin::CheckServers(std::span<const ServerName> servers) const {
  for (const ServerName& server : servers) {
    if (server.host != server_.host || server.port != server_.port) {
      return {Code::kDoNotRetry, "there is no server " + server.ToString() + ": klip is one, " + server_.ToString()};
    }
  }
  return Status::Ok();
}

Expected<std::map<ServerName, bool>> EmbeddedAdmin::SetCompactions(std::span<const ServerName> servers, bool on) {
  KLIP_RETURN_IF_ERROR(CheckServers(servers));
  if (!on) {
    return Status(Code::kUnsupported, "the storage engine decides when it compacts");
  }
  return std::map<ServerName, bool>{{server_, true}};
}

Status EmbeddedAdmin::CompactServer(const ServerName& server, bool major) {
  KLIP_RETURN_IF_ERROR(CheckServers({&server, 1}));
  for (const TableDescriptor& table : store_->ListTables()) {
    KLIP_RETURN_IF_ERROR(store_->Compact(table.name, major));
  }
  return Status::Ok();
}

// RocksDB has no queue that could be emptied: what is due is found anew.
Status EmbeddedAdmin::ClearCompactionQueues(const ServerName& server, std::span<const std::string>) {
  return CheckServers({&server, 1});
}

Expected<CacheEviction> EmbeddedAdmin::ClearBlockCache(std::string_view table) {
  KLIP_RETURN_IF_ERROR(store_->GetTable(table).status());
  return engine::ClearBlockCache(*store_);
}

// A store in a directory answers no calls.
Expected<std::vector<SlowCall>> EmbeddedAdmin::GetSlowCalls(const SlowCallQuery& query) {
  KLIP_RETURN_IF_ERROR(CheckServers(query.servers));
  return std::vector<SlowCall>();
}

Status EmbeddedAdmin::RollWal(const ServerName& server) {
  KLIP_RETURN_IF_ERROR(CheckServers({&server, 1}));
  return {Code::kUnsupported, "klip has one log, which RocksDB looks after"};
}

Status EmbeddedAdmin::StopServer(const ServerName& server) {
  KLIP_RETURN_IF_ERROR(CheckServers({&server, 1}));
  return {Code::kUnsupported, "klip ends with its process, and is not stopped by a call"};
}

Expected<std::map<ServerName, bool>> EmbeddedAdmin::ClearSlowCalls(std::span<const ServerName> servers) {
  KLIP_RETURN_IF_ERROR(CheckServers(servers));
  return std::map<ServerName, bool>{{server_, false}};
}

Expected<std::vector<BalancerDecision>> EmbeddedAdmin::GetBalancerDecisions(int32_t) {
  return std::vector<BalancerDecision>();
}
Expected<std::vector<BalancerRejection>> EmbeddedAdmin::GetBalancerRejections(int32_t) {
  return std::vector<BalancerRejection>();
}

Status EmbeddedAdmin::UpdateConfiguration(std::span<const ServerName> servers) { return CheckServers(servers); }
Expected<std::string> EmbeddedAdmin::DumpZooKeeper() {
  return Status(Code::kUnsupported, "a store in a directory has no ZooKeeper");
}

}  // namespace klip::table
