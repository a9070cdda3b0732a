// Lists of regions, splits and merges, storage and snapshots.
#include <algorithm>
#include <cctype>
#include <utility>

#include "hbase/admin/procedure.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/Master.pb.h"
#include "proto/Snapshot.pb.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

void FillRegionInfo(const Region& region, hbase::pb::RegionInfo* info) {
  info->set_region_id(static_cast<uint64_t>(region.region_id));
  rpc::FillTableName(region.table, info->mutable_table_name());
  info->set_start_key(region.start_key);
  info->set_end_key(region.end_key);
  info->set_offline(false);
  info->set_split(false);
  info->set_replica_id(0);
}

}  // namespace

std::string EncodedNameOf(std::string_view region_name) {
  if (region_name == rpc::kMetaRegion) {
    return std::string(rpc::kMetaEncodedName);
  }
  if (region_name.ends_with('.')) {
    const std::string_view inner = region_name.substr(0, region_name.size() - 1);
    return std::string(inner.substr(inner.rfind('.') + 1));
  }
  return std::string(region_name);
}

Status RemoteAdmin::ListRegions(std::string_view table, std::vector<RegionPtr>* regions) {
  const Deadline deadline = cluster_->OperationDeadline();
  const std::string name(table);
  KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
    regions->clear();
    return cluster_->locations().List(name, cluster_->CallDeadline(deadline), regions);
  }));
  return regions->empty() ? IsTableEnabled(table).status() : Status();
}

Expected<std::vector<RegionInfo>> RemoteAdmin::GetRegions(std::string_view table) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  std::vector<RegionInfo> infos;
  for (const RegionPtr& region : regions) {
    infos.push_back(InfoOf(*region));
  }
  return infos;
}

Status RemoteAdmin::SplitOne(const Region& region, std::string_view split_key) {
  hbase::pb::SplitTableRegionRequest request;
  FillRegionInfo(region, request.mutable_region_info());
  if (!split_key.empty()) {
    request.set_split_row(std::string(split_key));
  }
  hbase::pb::SplitTableRegionResponse response;
  return RunProcedure("SplitRegion", std::move(request), &response);
}

Status RemoteAdmin::Split(std::string_view table, std::string_view split_key) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  for (const RegionPtr& region : regions) {
    if (split_key.empty() || region->Contains(split_key)) {
      KLIP_RETURN_IF_ERROR(SplitOne(*region, split_key));
    }
  }
  return Status::Ok();
}

Status RemoteAdmin::SplitRegion(std::string_view region, std::string_view split_key) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  return SplitOne(*found, split_key);
}

Status RemoteAdmin::MergeRegions(std::span<const std::string> regions, bool forcible) {
  hbase::pb::MergeTableRegionsRequest request;
  for (const std::string& region : regions) {
    hbase::pb::RegionSpecifier* specifier = request.add_region();
    specifier->set_type(hbase::pb::RegionSpecifier::ENCODED_REGION_NAME);
    specifier->set_value(EncodedNameOf(region));
  }
  request.set_forcible(forcible);
  hbase::pb::MergeTableRegionsResponse response;
  return RunProcedure("MergeTableRegions", std::move(request), &response);
}

Expected<int> RemoteAdmin::RunSplitPolicies() {
  return Status(Code::kUnsupported, "split policies run in the cluster's region servers");
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
  // The master takes any name.
  const auto legal = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (snapshot.empty() || snapshot[0] == '.' || snapshot[0] == '-' || !std::ranges::all_of(snapshot, legal)) {
    return {Code::kInvalidArgument, "'" + std::string(snapshot) +
                                        "' is no name of a snapshot: letters, digits, '_', '-' and '.', the first of "
                                        "them a letter, digit or '_'"};
  }
  KLIP_RETURN_IF_ERROR(IsTableEnabled(table).status());  // else HBase says SnapshotCreationException, whatever it was
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
  // The master would restore into a table that is there.
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
