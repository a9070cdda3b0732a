// AdminService.ReplicateWALEntry: applies the edits of another cluster, like HBase's ReplicationSink.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "klip/caller.h"
#include "proto/Admin.pb.h"
#include "replication/cluster_ids.h"
#include "server/node/services.h"
#include "table/embedded_table.h"

namespace klip::server {
namespace {

using hbase::pb::ReplicateWALEntryRequest;
using hbase::pb::ReplicateWALEntryResponse;
using hbase::pb::WALEntry;

// HBase's family name for log entries that are not cells.
constexpr std::string_view kMetaFamily = "METAFAMILY";

// Cells of one table that have been in the same clusters, in the order of their log.
using CellsByOrigin = std::map<std::pair<std::string, engine::ClusterIds>, std::vector<Cell>>;

Status TakeCells(const ReplicateWALEntryRequest& request, rpc::CellBlockReader* block, CellsByOrigin* taken) {
  for (const WALEntry& entry : request.entry()) {
    engine::ClusterIds clusters;
    for (const hbase::pb::UUID& cluster : entry.key().cluster_ids()) {
      clusters.push_back(replication::ToClusterId(cluster));
    }
    std::string table = entry.key().table_name();
    if (constexpr std::string_view kDefault = "default:"; table.starts_with(kDefault)) {
      table.erase(0, kDefault.size());
    }
    std::vector<Cell>& cells = (*taken)[{std::move(table), std::move(clusters)}];
    for (int32_t i = 0; i < entry.associated_cell_count(); ++i) {
      Cell cell;
      if (!block->Next(&cell)) {
        KLIP_RETURN_IF_ERROR(block->status());
        return {Code::kInvalidArgument, "Expected=" + std::to_string(entry.associated_cell_count()) +
                                            " cells of an entry, but the block ends after " + std::to_string(i)};
      }
      if (cell.family == kMetaFamily) {
        return {Code::kUnsupported, "an entry of table " + entry.key().table_name() + " contains '" +
                                        std::string(cell.qualifier) + "': bulk loads are not replicated into klip"};
      }
      cells.push_back(cell);
    }
  }
  return Status::Ok();
}

Status Apply(Node* node, const CellsByOrigin& taken) {
  for (const auto& [origin, cells] : taken) {
    const auto& [name, clusters] = origin;
    const Expected<std::unique_ptr<table::EmbeddedTable>> table = node->embedded->OpenTable(name);
    if (!table.ok()) {
      return table.status().code() == Code::kTableNotFound ? Status(Code::kTableNotFound, "'" + name + "'")
                                                           : table.status();
    }
    KLIP_RETURN_IF_ERROR((*table)->Replicate(cells, clusters));
  }
  return Status::Ok();
}

rpc::Error Replicate(Node* node, const ReplicateWALEntryRequest& request, Call* call) {
  Caller replication = Caller::Current();
  replication.door = Door::kReplication;
  const CallerScope scope(&replication);
  CellsByOrigin taken;
  KLIP_RPC_RETURN_IF_ERROR(TakeCells(request, &call->cells, &taken));
  KLIP_RPC_RETURN_IF_ERROR(Apply(node, taken));
  int64_t cells = 0;
  for (const auto& [origin, of_origin] : taken) {
    cells += static_cast<int64_t>(of_origin.size());
  }
  call->rows = cells;
  if (request.entry_size() > 0) {
    node->sink.Applied(cells, static_cast<int64_t>(request.entry(request.entry_size() - 1).key().write_time()),
                       node->NowMs());
  }
  return {};
}

}  // namespace

void AddReplicationMethods(Node* node, MethodTable* methods) {
  methods->Add<ReplicateWALEntryRequest, ReplicateWALEntryResponse>(
      "ReplicateWALEntry", [node](const auto& request, auto*, Call* call) { return Replicate(node, request, call); });
  // For replicas of regions, which here are only names of the region.
  methods->Add<ReplicateWALEntryRequest, ReplicateWALEntryResponse>(
      "Replay", [](const auto&, auto*, Call*) -> rpc::Error {
        return Status(Code::kUnsupported,
                      "klip's region replicas are the region itself, so edits cannot be replayed into them");
      });
}

}  // namespace klip::server
