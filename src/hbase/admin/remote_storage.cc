// RemoteAdmin: flushes, compactions, metrics of storage and snapshots.
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "proto/Snapshot.pb.h"
#include "rpc/names.h"

namespace klip::client {

Expected<CacheEviction> RemoteAdmin::ClearBlockCache(std::string_view table) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  std::map<Address, hbase::pb::ClearRegionBlockCacheRequest> requests;
  for (const RegionPtr& region : regions) {
    if (!region->server.host.empty()) {
      FillRegion(*region, requests[region->server].add_region());
    }
  }
  const Deadline deadline = cluster_->OperationDeadline();
  std::vector<CallPtr> calls;
  for (const auto& [server, request] : requests) {
    calls.push_back(cluster_->StartAdmin(server, "ClearRegionBlockCache", request, deadline));
  }
  CacheEviction evicted;
  for (const CallPtr& call : calls) {
    hbase::pb::ClearRegionBlockCacheResponse response;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
    evicted.blocks += response.stats().evicted_blocks();
    evicted.bytes += response.stats().bytes_evicted();
    evicted.max_cache_bytes += response.stats().max_cache_size();
  }
  return evicted;
}

Status RemoteAdmin::Flush(std::string_view table, std::string_view family) {
  hbase::pb::FlushTableRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  if (!family.empty()) {
    request.add_column_family(std::string(family));
  }
  hbase::pb::FlushTableResponse response;
  return RunProcedure("FlushTable", std::move(request), &response);
}

Status RemoteAdmin::WaitForCompactions(std::vector<RegionPtr> regions, Deadline deadline) {
  constexpr std::chrono::milliseconds kFirstPause{10};
  constexpr std::chrono::milliseconds kLongestPause{500};
  Status failed;
  for (auto pause = kFirstPause;; pause = std::min(pause * 3 / 2, kLongestPause)) {
    std::vector<CallPtr> calls;
    for (const RegionPtr& region : regions) {
      hbase::pb::GetRegionInfoRequest request;
      FillRegion(*region, request.mutable_region());
      request.set_compaction_state(true);
      calls.push_back(cluster_->StartAdmin(region->server, "GetRegionInfo", request, deadline));
    }
    std::vector<RegionPtr> busy;
    for (size_t i = 0; i < calls.size(); ++i) {
      hbase::pb::GetRegionInfoResponse response;
      const Status told = calls[i]->WaitFor(&response);
      if (!told.ok()) {
        failed = failed.ok() ? told : failed;
      } else if (response.compaction_state() != hbase::pb::GetRegionInfoResponse::NONE) {
        busy.push_back(std::move(regions[i]));
      }
    }
    if (busy.empty()) {
      return failed;
    }
    if (!cluster_->Sleep(pause, deadline)) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      const std::string others = busy.size() == 1 ? "" : ", as do " + std::to_string(busy.size() - 1) + " others";
      return failed.ok()
                 ? Status(Code::kTimedOut, "region " + ToStringBinary(busy[0]->name) + " still compacts" + others)
                 : failed;
    }
    regions = std::move(busy);
  }
}

Status RemoteAdmin::CompactRegions(std::span<const RegionPtr> regions, bool major, std::string_view family) {
  const Deadline deadline = cluster_->OperationDeadline();
  std::vector<CallPtr> calls;
  for (const RegionPtr& region : regions) {
    hbase::pb::CompactRegionRequest request;
    FillRegion(*region, request.mutable_region());
    request.set_major(major);
    if (!family.empty()) {
      request.set_family(std::string(family));
    }
    calls.push_back(cluster_->StartAdmin(region->server, "CompactRegion", request, deadline));
  }
  Status failed;
  std::vector<RegionPtr> asked;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (const Status status = calls[i]->Wait().failure.status; status.ok()) {
      asked.push_back(regions[i]);
    } else if (failed.ok()) {
      failed = status;
    }
  }
  const Status waited = WaitForCompactions(std::move(asked), deadline);
  return failed.ok() ? waited : failed;
}

Status RemoteAdmin::CompactTable(std::string_view table, bool major, std::string_view family) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  std::erase_if(regions, [](const RegionPtr& region) { return region->server.host.empty(); });
  return CompactRegions(regions, major, family);
}

Status RemoteAdmin::Compact(std::string_view table, std::string_view family) {
  return CompactTable(table, /*major=*/false, family);
}
Status RemoteAdmin::MajorCompact(std::string_view table, std::string_view family) {
  return CompactTable(table, /*major=*/true, family);
}

Status RemoteAdmin::FlushRegion(std::string_view region, std::string_view family) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindServedRegion(region, &found));
  hbase::pb::FlushRegionRequest request;
  FillRegion(*found, request.mutable_region());
  if (!family.empty()) {
    request.set_family(std::string(family));
  }
  return cluster_->StartAdmin(found->server, "FlushRegion", request, cluster_->OperationDeadline())
      ->Wait()
      .failure.status;
}

Status RemoteAdmin::CompactRegion(std::string_view region, bool major, std::string_view family) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindServedRegion(region, &found));
  return CompactRegions({&found, 1}, major, family);
}

Expected<StoreMetrics> RemoteAdmin::Metrics() {
  hbase::pb::GetClusterStatusRequest request;
  request.add_options(hbase::pb::LIVE_SERVERS);
  hbase::pb::GetClusterStatusResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetClusterStatus", request, &response));
  StoreMetrics metrics;
  for (const hbase::pb::LiveServerInfo& server : response.cluster_status().live_servers()) {
    for (const hbase::pb::RegionLoad& region : server.server_load().region_loads()) {
      metrics.files += region.storefiles();
      metrics.bytes_on_disk += int64_t{region.storefile_size_mb()} << 20;
      metrics.memtable_bytes += int64_t{region.mem_store_size_mb()} << 20;
    }
  }
  return metrics;
}

Status RemoteAdmin::Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) {
  // The master accepts any name.
  const auto legal = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (snapshot.empty() || snapshot[0] == '.' || snapshot[0] == '-' || !std::ranges::all_of(snapshot, legal)) {
    return {Code::kInvalidArgument,
            "'" + std::string(snapshot) +
                "' is not a valid name of a snapshot: letters, digits, '_', '-' and '.', the first of "
                "them a letter, digit or '_'"};
  }
  // otherwise HBase throws SnapshotCreationException, whatever the cause
  KLIP_RETURN_IF_ERROR(IsTableEnabled(table).status());
  hbase::pb::SnapshotRequest request;
  request.mutable_snapshot()->set_name(std::string(snapshot));
  request.mutable_snapshot()->set_table(std::string(table));
  request.mutable_snapshot()->set_ttl(options.ttl_s > 0 ? options.ttl_s : -1);  // hbase.master.snapshot.ttl
  request.mutable_snapshot()->set_max_file_size(options.max_file_bytes);
  request.mutable_snapshot()->set_type(options.skip_flush ? hbase::pb::SnapshotDescription::SKIPFLUSH
                                                          : hbase::pb::SnapshotDescription::FLUSH);
  hbase::pb::SnapshotResponse response;
  return RunProcedure("Snapshot", std::move(request), &response);
}

Expected<std::vector<SnapshotInfo>> RemoteAdmin::ListSnapshots() {
  hbase::pb::GetCompletedSnapshotsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetCompletedSnapshots", hbase::pb::GetCompletedSnapshotsRequest(), &response));
  std::vector<SnapshotInfo> snapshots;
  for (const hbase::pb::SnapshotDescription& one : response.snapshots()) {
    snapshots.push_back({.name = one.name(),
                         .table = one.table(),
                         .created_ms = one.creation_time(),
                         .ttl_s = one.ttl(),
                         .max_file_bytes = one.max_file_size(),
                         .type = static_cast<SnapshotType>(one.type())});
  }
  std::ranges::sort(snapshots, {}, &SnapshotInfo::name);
  return snapshots;
}

Status RemoteAdmin::DeleteSnapshot(std::string_view snapshot) {
  hbase::pb::DeleteSnapshotRequest request;
  request.mutable_snapshot()->set_name(std::string(snapshot));
  hbase::pb::DeleteSnapshotResponse response;
  return CallMaster("DeleteSnapshot", request, &response);
}

Status RemoteAdmin::RunRestore(std::string_view snapshot, std::string_view table) {
  hbase::pb::RestoreSnapshotRequest request;
  request.mutable_snapshot()->set_name(std::string(snapshot));
  request.mutable_snapshot()->set_table(std::string(table));
  hbase::pb::RestoreSnapshotResponse response;
  return RunProcedure("RestoreSnapshot", std::move(request), &response);
}

Status RemoteAdmin::CloneSnapshot(std::string_view snapshot, std::string_view new_table) {
  // The master would restore into an existing table.
  KLIP_ASSIGN_OR_RETURN(const bool exists, TableExists(new_table));
  return exists ? Status(Code::kTableExists, std::string(new_table)) : RunRestore(snapshot, new_table);
}

Status RemoteAdmin::RestoreSnapshot(std::string_view snapshot) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> snapshots, ListSnapshots());
  const auto found = std::ranges::find(snapshots, snapshot, &SnapshotInfo::name);
  if (found == snapshots.end()) {
    return {Code::kSnapshotNotFound, "Unable to find the table name for snapshot=" + std::string(snapshot)};
  }
  const Expected<bool> enabled = IsTableEnabled(found->table);
  if (enabled.ok() && *enabled) {
    return {Code::kTableNotDisabled, found->table};
  }
  if (!enabled.ok() && enabled.status().code() != Code::kTableNotFound) {
    return enabled.status();
  }
  return RunRestore(snapshot, found->table);
}

}  // namespace klip::client
