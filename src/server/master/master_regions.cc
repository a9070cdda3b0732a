// MasterService: splitting, merging and placing regions. There is one server, so every region is in the right place.
#include <string>
#include <utility>
#include <vector>

#include "klip/bytes.h"
#include "proto/Master.pb.h"
#include "server/master/master_service.h"
#include "table/admin/region_truncation.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

// The region that a RegionInfo describes.
rpc::Error FindRegion(Node* node, const hbase::pb::RegionInfo& info, RegionRef* region) {
  RegionSpecifier specifier;
  specifier.set_type(RegionSpecifier::REGION_NAME);
  specifier.set_value(RegionName(TableNameOf(info.table_name()), info.start_key(),
                                 static_cast<int64_t>(info.region_id()), info.replica_id()));
  return node->regions.FindAny(specifier, region);
}

rpc::Error SplitRegion(Node* node, const SplitTableRegionRequest& request, SplitTableRegionResponse* response) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    RegionRef region;
    KLIP_RPC_RETURN_IF_ERROR(FindRegion(node, request.region_info(), &region));
    std::string row = request.split_row();
    if (row.empty()) {
      Expected<std::string> middle = MiddleOf(&node->store().storage(), region);
      if (!middle.ok()) {
        return middle.status();
      }
      row = *std::move(middle);
      if (row.empty()) {
        return Status(Code::kDoNotRetry, "Region " + ToStringBinary(region.region->name) +
                                             " is not splittable because bestSplitPoint = null");
      }
    }
    if (row == region.region->start_key) {
      return Status(Code::kDoNotRetry, "Split row is equal to startkey: " + ToStringBinary(row));
    }
    if (!region.region->Contains(row)) {
      return Status(Code::kDoNotRetry, "Split row is not inside region key range splitKey:" + ToStringBinary(row) +
                                           " region: " + ToStringBinary(region.region->name));
    }
    return node->admin().Split(region.region->table, row);
  });
}

rpc::Error TruncateRegion(Node* node, const TruncateRegionRequest& request, TruncateRegionResponse* response) {
  const bool meta = TableNameOf(request.region_info().table_name()) == kMetaTable;
  const auto truncate = [&]() -> rpc::Error {
    if (meta) {
      return Status(Code::kIoError, "Can't truncate region in catalog tables");
    }
    if (request.region_info().replica_id() != 0) {
      return Status(Code::kDoNotRetry,
                    "Can't truncate replicas directly. Replicas are auto-truncated when their primary is truncated.");
    }
    RegionRef region;
    KLIP_RPC_RETURN_IF_ERROR(FindRegion(node, request.region_info(), &region));
    return table::TruncateRegion(&node->embedded->shared(), region.region->table, region.region->start_key);
  };
  return RunProcedure(node, request, response, truncate, /*error_when_polled=*/meta);
}

rpc::Error MergeRegions(Node* node, const MergeTableRegionsRequest& request, MergeTableRegionsResponse* response) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    std::vector<std::string> names;
    for (const RegionSpecifier& specifier : request.region()) {
      RegionRef region;
      KLIP_RPC_RETURN_IF_ERROR(node->regions.FindAny(specifier, &region));
      names.push_back(region.region->encoded_name);
    }
    const Status merged = node->admin().MergeRegions(names, request.forcible());
    return merged.code() == Code::kDoNotRetry
               ? rpc::Error::Hbase("exceptions.MergeRegionException", merged.message(), true)
               : rpc::Error(merged);
  });
}

rpc::Error MoveRegion(Node* node, const MoveRegionRequest& request) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.FindAny(request.region(), &region));
  return node->admin().MoveRegion(
      region.region->encoded_name,
      request.has_dest_server_name() ? std::optional(rpc::ToServerName(request.dest_server_name())) : std::nullopt);
}

rpc::Error RefuseOffline(Node* node, const RegionSpecifier& specifier) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.FindAny(specifier, &region));
  return node->admin().UnassignRegion(region.region->encoded_name);
}

}  // namespace

void AddRegionMethods(Node* node, MethodTable* methods) {
  methods->Add<SplitTableRegionRequest, SplitTableRegionResponse>(
      "SplitRegion",
      [node](const auto& request, auto* response, Call*) { return SplitRegion(node, request, response); });
  methods->Add<TruncateRegionRequest, TruncateRegionResponse>(
      "TruncateRegion",
      [node](const auto& request, auto* response, Call*) { return TruncateRegion(node, request, response); });
  methods->Add<MergeTableRegionsRequest, MergeTableRegionsResponse>(
      "MergeTableRegions",
      [node](const auto& request, auto* response, Call*) { return MergeRegions(node, request, response); });
  methods->Add<MoveRegionRequest, MoveRegionResponse>(
      "MoveRegion", [node](const auto& request, auto*, Call*) { return MoveRegion(node, request); });
  methods->Add<AssignRegionRequest, AssignRegionResponse>("AssignRegion",
                                                          [node](const auto& request, auto*, Call*) -> rpc::Error {
                                                            RegionRef region;
                                                            return node->regions.FindAny(request.region(), &region);
                                                          });
  methods->Add<UnassignRegionRequest, UnassignRegionResponse>(
      "UnassignRegion", [node](const auto& request, auto*, Call*) { return RefuseOffline(node, request.region()); });
  methods->Add<OfflineRegionRequest, OfflineRegionResponse>(
      "OfflineRegion", [node](const auto& request, auto*, Call*) { return RefuseOffline(node, request.region()); });
}

}  // namespace klip::server
