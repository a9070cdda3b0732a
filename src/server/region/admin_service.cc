// AdminService: the calls to a region server about its regions.
#include <set>
#include <string>
#include <utility>

#include "engine/store/storage.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "rpc/schema_messages.h"
#include "server/node/cluster_messages.h"
#include "server/node/log_entries.h"
#include "server/node/services.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

constexpr std::string_view kMobStartKey = ".mob";  // MobConstants.MOB_REGION_NAME

// HBase's master answers these requests about the large cells of a table, which klip stores with all others.
bool IsMobRegion(std::string_view name) {
  return name == RegionName(name.substr(0, name.find(',')), kMobStartKey, /*region_id=*/0, /*replica_id=*/0);
}

// By its name as on a region server, by its encoded name as on the master.
rpc::Error FindRegionToTell(Node* node, const RegionSpecifier& specifier, RegionRef* region) {
  return specifier.type() == RegionSpecifier::ENCODED_REGION_NAME ? node->regions.FindAny(specifier, region)
                                                                  : node->regions.Find(specifier, region);
}

rpc::Error GetRegionInfo(Node* node, const GetRegionInfoRequest& request, GetRegionInfoResponse* response) {
  if (IsMetaRegion(request.region().value())) {
    FillMetaRegionInfo(response->mutable_region_info());
    response->set_compaction_state(GetRegionInfoResponse::NONE);
    return {};
  }
  if (IsMobRegion(request.region().value())) {
    const std::string_view name = request.region().value();
    FillRegionInfo({.table = std::string(name.substr(0, name.find(','))), .start_key = std::string(kMobStartKey)},
                   response->mutable_region_info());
    response->set_compaction_state(GetRegionInfoResponse::NONE);
    return {};
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(FindRegionToTell(node, request.region(), &region));
  FillRegionInfo(*region.region, response->mutable_region_info());
  response->set_splittable(true);
  response->set_mergeable(true);
  if (request.compaction_state()) {
    const CompactionState state = node->compactor.StateOf(region.region->table);
    // their numbers are the same
    response->set_compaction_state(static_cast<GetRegionInfoResponse::CompactionState>(state));
  }
  if (request.best_split_row()) {
    const Expected<std::string> row = MiddleOf(&node->store().storage(), region);
    if (!row.ok()) {
      return row.status();
    }
    if (!row->empty()) {
      response->set_best_split_row(*row);
    }
  }
  return {};
}

rpc::Error FlushRegion(Node* node, const FlushRegionRequest& request, FlushRegionResponse* response) {
  response->set_last_flush_time(static_cast<uint64_t>(node->NowMs()));
  if (IsMetaRegion(request.region().value())) {
    if (request.has_family()) {
      KLIP_RPC_RETURN_IF_ERROR(CheckFamiliesToFlush(rpc::MetaDescriptor(), {&request.family(), 1}));
    }
    response->set_flushed(false);  // it is not in memory
    return {};
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  if (request.has_family()) {
    KLIP_RPC_RETURN_IF_ERROR(CheckFamiliesToFlush(region.table_regions->view->descriptor, {&request.family(), 1}));
  }
  KLIP_RPC_RETURN_IF_ERROR(node->admin().Flush(region.region->table, request.family()));
  response->set_flushed(true);
  response->set_wrote_flush_wal_marker(request.write_flush_wal_marker());
  return {};
}

rpc::Error GetStoreFile(Node* node, const GetStoreFileRequest& request, GetStoreFileResponse* response) {
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  const std::set<std::string> wanted(request.family().begin(), request.family().end());
  for (const engine::Family& family : region.table_regions->view->families) {
    if (wanted.empty() || wanted.contains(family.descriptor.name)) {
      for (std::string& name :
           node->store().storage().FileNames(family, region.region->start_key, region.region->end_key)) {
        response->add_store_file(std::move(name));
      }
    }
  }
  return {};
}

rpc::Error CompactRegion(Node* node, const CompactRegionRequest& request) {
  if (IsMetaRegion(request.region().value())) {
    return {};  // it has no files
  }
  RegionRef region;
  KLIP_RPC_RETURN_IF_ERROR(node->regions.Find(request.region(), &region));
  if (request.has_family() && region.table_regions->view->Find(request.family()) == nullptr) {
    return Status(Code::kNoSuchColumnFamily, "column family " + request.family() + " does not exist in region " +
                                                 ToStringBinary(region.region->name));
  }
  if (node->switches.compaction) {
    node->compactor.Add(region.region->table, request.major(), request.family());
  }
  return {};
}

void FillOnlineRegions(Node* node, GetOnlineRegionResponse* response) {
  FillMetaRegionInfo(response->add_region_info());
  for (const std::string& name : node->regions.Tables()) {
    const Expected<TableRegionsPtr> table = node->regions.Of(name);
    if (!table.ok() || !(*table)->view->enabled) {
      continue;
    }
    for (const ServedRegion& region : (*table)->regions) {
      FillRegionInfo(region, response->add_region_info());
      for (int32_t id = 1; id < (*table)->replicas; ++id) {
        FillRegionInfo((*table)->Replica(region, id), response->add_region_info());
      }
    }
  }
}

}  // namespace

Status CheckFamiliesToFlush(const TableDescriptor& table, std::span<const std::string> families) {
  std::string missing;
  for (const std::string& family : families) {
    if (table.Find(family) == nullptr) {
      missing += (missing.empty() ? "" : ", ") + family;
    }
  }
  return missing.empty() ? Status()
                         : Status(Code::kNoSuchColumnFamily,
                                  "Column families [" + missing + "] don't exist in table " + table.name);
}

void AddAdminService(Node* node, MethodTable* methods) {
  AddReplicationMethods(node, methods);
  methods->Add<GetRegionInfoRequest, GetRegionInfoResponse>(
      "GetRegionInfo",
      [node](const auto& request, auto* response, Call*) { return GetRegionInfo(node, request, response); });
  methods->Add<FlushRegionRequest, FlushRegionResponse>(
      "FlushRegion",
      [node](const auto& request, auto* response, Call*) { return FlushRegion(node, request, response); });
  methods->Add<GetStoreFileRequest, GetStoreFileResponse>(
      "GetStoreFile",
      [node](const auto& request, auto* response, Call*) { return GetStoreFile(node, request, response); });
  methods->Add<CompactRegionRequest, CompactRegionResponse>(
      "CompactRegion", [node](const auto& request, auto*, Call*) { return CompactRegion(node, request); });
  methods->Add<CompactionSwitchRequest, CompactionSwitchResponse>(
      "CompactionSwitch", [node](const auto& request, CompactionSwitchResponse* response, Call*) -> rpc::Error {
        response->set_prev_state(node->switches.compaction.exchange(request.enabled()));
        return {};
      });
  methods->Add<GetOnlineRegionRequest, GetOnlineRegionResponse>(
      "GetOnlineRegion", [node](const auto&, GetOnlineRegionResponse* response, Call*) -> rpc::Error {
        FillOnlineRegions(node, response);
        return {};
      });
  methods->Add<GetServerInfoRequest, GetServerInfoResponse>(
      "GetServerInfo", [node](const auto&, GetServerInfoResponse* response, Call*) -> rpc::Error {
        FillServerName(node->self, response->mutable_server_info()->mutable_server_name());
        return {};
      });
  // Would list files that are entirely in the cache, but RocksDB does not report that.
  methods->Add<GetCachedFilesListRequest, GetCachedFilesListResponse>(
      "GetCachedFilesList", [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  methods->Add<StopServerRequest, StopServerResponse>("StopServer",
                                                      [node](const auto&, auto*, Call*) { return node->AskToStop(); });
  methods->Add<GetRegionLoadRequest, GetRegionLoadResponse>(
      "GetRegionLoad", [node](const auto& request, GetRegionLoadResponse* response, Call*) -> rpc::Error {
        FillRegionLoads(node, request.has_table_name() ? TableNameOf(request.table_name()) : "",
                        response->mutable_region_loads());
        return {};
      });
  // The request says which one it wants.
  for (const char* name : {"GetSlowLogResponses", "GetLargeLogResponses"}) {
    methods->Add<SlowLogResponseRequest, SlowLogResponses>(
        name, [node](const auto& request, auto* response, Call*) -> rpc::Error {
          node->slow_calls.Select(request, response);
          return {};
        });
  }
  methods->Add<ClearSlowLogResponseRequest, ClearSlowLogResponses>(
      "ClearSlowLogsResponses", [node](const auto&, ClearSlowLogResponses* response, Call*) -> rpc::Error {
        node->slow_calls.Clear();
        response->set_is_cleaned(true);
        return {};
      });
  methods->Add<LogRequest, LogEntry>("GetLogEntries", [node](const auto& request, LogEntry* response, Call*) {
    SlowLogResponseRequest wanted;
    SlowLogResponses found;
    if (wanted.ParseFromString(request.log_message())) {
      node->slow_calls.Select(wanted, &found);
    }
    return AnswerLog(request, "$SlowLogResponseRequest", "$SlowLogResponses", found.SerializeAsString(), response);
  });
  methods->Add<GetSpaceQuotaSnapshotsRequest, GetSpaceQuotaSnapshotsResponse>(
      "GetSpaceQuotaSnapshots", [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  // The log is RocksDB's: each flush starts a new one, and starting a new one needs no flush.
  methods->Add<RollWALWriterRequest, RollWALWriterResponse>("RollWALWriter",
                                                            [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  methods->Add<UpdateConfigurationRequest, UpdateConfigurationResponse>(
      "UpdateConfiguration", [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  methods->Add<ClearCompactionQueuesRequest, ClearCompactionQueuesResponse>(
      "ClearCompactionQueues", [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  // All tables share one cache: it is emptied completely.
  methods->Add<ClearRegionBlockCacheRequest, ClearRegionBlockCacheResponse>(
      "ClearRegionBlockCache", [node](const auto&, ClearRegionBlockCacheResponse* response, Call*) -> rpc::Error {
        const CacheEviction evicted = node->store().storage().ClearBlockCache();
        response->mutable_stats()->set_evicted_blocks(evicted.blocks);
        response->mutable_stats()->set_bytes_evicted(evicted.bytes);
        response->mutable_stats()->set_max_cache_size(evicted.max_cache_bytes);
        return {};
      });
}

}  // namespace klip::server
