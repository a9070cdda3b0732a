// RemoteAdmin: locations of regions, splits and merges.
#include <algorithm>
#include <cctype>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/Master.pb.h"
#include "proto/Snapshot.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

void FillRegionName(std::string_view name, hbase::pb::RegionSpecifier* region) {
  region->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  region->set_value(std::string(name));
}

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

RegionInfo InfoOf(const Region& region) {
  return {.table = region.table,
          .start_key = region.start_key,
          .end_key = region.end_key,
          .region_id = region.region_id,
          .encoded_name = EncodedNameOf(region.name),
          .server = {region.server.host, region.server.port, region.start_code}};
}

Expected<RegionInfo> RemoteAdmin::LocateRegion(std::string_view table, std::string_view row) {
  const Deadline deadline = cluster_->OperationDeadline();
  RegionPtr region;
  KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
    return cluster_->locations().Look(std::string(table), row, Where::kHolds, cluster_->CallDeadline(deadline),
                                      &region);
  }));
  return InfoOf(*region);
}

Status RemoteAdmin::FindRegion(std::string_view name, RegionPtr* region) {
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->Retry(
      deadline, [&] { return cluster_->locations().FindByName(name, cluster_->CallDeadline(deadline), region); }));
  return *region == nullptr ? Status(Code::kDoNotRetry, "Unknown region " + ToStringBinary(name)) : Status::Ok();
}

Status RemoteAdmin::FindServedRegion(std::string_view name, RegionPtr* region) {
  KLIP_RETURN_IF_ERROR(FindRegion(name, region));
  return (*region)->server.host.empty()
             ? Status(Code::kNotServingRegion, "region " + ToStringBinary((*region)->name) + " is on no server")
             : Status::Ok();
}

Expected<RegionInfo> RemoteAdmin::GetRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  return InfoOf(*found);
}

Expected<std::vector<RegionMetrics>> RemoteAdmin::GetRegionMetrics(std::string_view table) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  hbase::pb::GetRegionLoadRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  const Deadline deadline = cluster_->OperationDeadline();
  std::map<Address, CallPtr> calls;
  for (const RegionPtr& region : regions) {
    if (!region->server.host.empty() && !calls.contains(region->server)) {
      calls[region->server] = cluster_->StartAdmin(region->server, "GetRegionLoad", request, deadline);
    }
  }
  std::map<std::string, RegionMetrics> by_name;
  for (const auto& [server, call] : calls) {
    hbase::pb::GetRegionLoadResponse response;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
    for (const hbase::pb::RegionLoad& load : response.region_loads()) {
      RegionMetrics one = rpc::ToRegionMetrics(load);
      by_name[one.name] = std::move(one);
    }
  }
  std::vector<RegionMetrics> metrics;
  for (const RegionPtr& region : regions) {
    if (const auto found = by_name.find(region->name); found != by_name.end()) {
      metrics.push_back(std::move(found->second));
    }
  }
  return metrics;
}

// The master answers when the region has arrived.
Status RemoteAdmin::MoveRegion(std::string_view region, const std::optional<ServerName>& to) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::MoveRegionRequest request;
  request.mutable_region()->set_type(hbase::pb::RegionSpecifier::ENCODED_REGION_NAME);
  request.mutable_region()->set_value(EncodedNameOf(found->name));
  if (to.has_value()) {
    rpc::FillServerName(*to, request.mutable_dest_server_name());
  }
  hbase::pb::MoveRegionResponse response;
  return CallMaster("MoveRegion", request, &response);
}

Status RemoteAdmin::AssignRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::AssignRegionRequest request;
  FillRegionName(found->name, request.mutable_region());
  hbase::pb::AssignRegionResponse response;
  return CallMaster("AssignRegion", request, &response);
}

Status RemoteAdmin::UnassignRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::UnassignRegionRequest request;
  FillRegionName(found->name, request.mutable_region());
  hbase::pb::UnassignRegionResponse response;
  return CallMaster("UnassignRegion", request, &response);
}

}  // namespace klip::client
