// The servers: load, memory, compactions, replication, slow calls.
#include <algorithm>

#include "console/api.h"

namespace klip::console {
namespace {

constexpr size_t kMaxServers = 500;
constexpr int32_t kSlowCalls = 50;

Json ServerJson(const ServerMetrics& server) {
  int64_t reads = 0;
  int64_t writes = 0;
  int64_t memstore_bytes = 0;
  int64_t compacting = 0;
  for (const RegionMetrics& region : server.regions) {
    reads += region.read_requests;
    writes += region.write_requests;
    memstore_bytes += region.memstore_bytes;
    compacting += region.compaction == CompactionState::kNone ? 0 : 1;
  }
  Json sources = Json::array();
  for (const ReplicationSource& source : server.replication_sources) {
    sources.push_back({{"peer", source.peer_id},
                       {"running", source.running},
                       {"lag_ms", source.lag_ms},
                       {"queued_logs", source.queued_logs},
                       {"shipped", source.operations_shipped}});
  }
  Json tasks = Json::array();
  for (const ServerTask& task : server.tasks) {
    tasks.push_back({{"what", task.description}, {"status", task.status}, {"state", ServerTaskStateName(task.state)}});
  }
  return {{"name", server.name.ToString()},
          {"requests_per_second", server.requests_per_second},
          {"reads", reads},
          {"writes", writes},
          {"regions", server.regions.size()},
          {"compacting_regions", compacting},
          {"memstore_bytes", memstore_bytes},
          {"memory_bytes", server.used_heap_bytes},
          {"most_memory_bytes", server.max_heap_bytes},
          {"coprocessors", server.coprocessors},
          {"replication", std::move(sources)},
          {"tasks", std::move(tasks)}};
}

Json StoreJson(const StoreMetrics& store) {
  return {{"files", store.files},
          {"disk_bytes", store.bytes_on_disk},
          {"memtable_bytes", store.memtable_bytes},
          {"cache_bytes", store.block_cache_bytes},
          {"cache_hits", store.block_cache_hits},
          {"cache_misses", store.block_cache_misses},
          {"index_bytes", store.table_reader_bytes},
          {"wal_syncs", store.wal_syncs},
          {"compactions", store.running_compactions}};
}

Json SlowCallsJson(Admin& admin) {
  Json list = Json::array();
  const Expected<std::vector<SlowCall>> calls = admin.servers().GetSlowCalls({.limit = kSlowCalls});
  if (!calls.ok()) {
    return list;
  }
  for (const SlowCall& call : *calls) {
    list.push_back({{"start_ms", call.start_ms},
                    {"ms", call.processing_ms},
                    {"queue_ms", call.queue_ms},
                    {"bytes", call.response_bytes},
                    {"method", call.method},
                    {"user", call.user},
                    {"client", call.client},
                    {"region", Shown(call.region)}});
  }
  return list;
}

Json PeersJson(Admin& admin) {
  Json list = Json::array();
  if (const auto peers = admin.replication().ListReplicationPeers(); peers.ok()) {
    for (const ReplicationPeer& peer : *peers) {
      list.push_back({{"id", peer.id}, {"enabled", peer.enabled}, {"cluster", peer.config.cluster_key}});
    }
  }
  return list;
}

}  // namespace

Expected<Json> Servers(Connection* connection, const Parameters& /*parameters*/) {
  Admin& admin = connection->admin();
  KLIP_ASSIGN_OR_RETURN(const ClusterMetrics cluster, admin.cluster().GetClusterMetrics());
  Json servers = Json::array();
  for (const ServerMetrics& server : cluster.live_servers) {
    if (servers.size() == kMaxServers) {
      break;
    }
    servers.push_back(ServerJson(server));
  }
  Json json = {{"version", cluster.version},
               {"cluster_id", cluster.cluster_id},
               {"servers", std::move(servers)},
               {"dead_servers", cluster.dead_servers.size()},
               {"regions_in_transition", cluster.regions_in_transition.size()},
               {"slow_calls", SlowCallsJson(admin)},
               {"peers", PeersJson(admin)}};
  if (const Expected<StoreMetrics> store = admin.Metrics(); store.ok()) {
    json["store"] = StoreJson(*store);
  }
  return json;
}

}  // namespace klip::console
