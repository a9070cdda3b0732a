// ToJson of ClusterMetrics: the output of `klip status --json`, C and Python.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "klip/bytes.h"
#include "klip/cluster_metrics.h"

namespace klip {
namespace {

using Json = nlohmann::ordered_json;

template <typename List, typename Convert>
Json ArrayOf(const List& list, Convert convert) {
  Json array = Json::array();
  for (const auto& one : list) {
    array.push_back(convert(one));
  }
  return array;
}

std::string FullServerName(const ServerName& server) { return server.ToString(); }

Json FromRegion(const RegionMetrics& region) {
  return {{"name", ToStringBinary(region.name)},
          {"stores", region.stores},
          {"store_files", region.store_files},
          {"file_bytes", region.file_bytes},
          {"uncompressed_file_bytes", region.uncompressed_file_bytes},
          {"memstore_bytes", region.memstore_bytes},
          {"read_requests", region.read_requests},
          {"filtered_read_requests", region.filtered_read_requests},
          {"write_requests", region.write_requests},
          {"compaction", CompactionStateName(region.compaction)},
          {"compacting_cells", region.compacting_cells},
          {"compacted_cells", region.compacted_cells},
          {"last_major_compaction_ms", region.last_major_compaction_ms},
          {"completed_sequence_id", region.completed_sequence_id},
          {"data_locality", region.data_locality}};
}

Json FromTask(const ServerTask& task) {
  return {{"description", task.description},
          {"status", task.status},
          {"state", ServerTaskStateName(task.state)},
          {"start_ms", task.start_ms},
          {"completion_ms", task.completion_ms}};
}

Json FromSource(const ReplicationSource& source) {
  return {{"peer_id", source.peer_id},
          {"queue_id", source.queue_id},
          {"recovered", source.recovered},
          {"running", source.running},
          {"age_of_last_shipped_ms", source.age_of_last_shipped_ms},
          {"last_shipped_ms", source.last_shipped_ms},
          {"lag_ms", source.lag_ms},
          {"queued_logs", source.queued_logs},
          {"edits_read", source.edits_read},
          {"operations_shipped", source.operations_shipped}};
}

Json FromServer(const ServerMetrics& server) {
  Json json = {{"name", FullServerName(server.name)},
               {"report_ms", server.report_ms},
               {"requests_per_second", server.requests_per_second},
               {"requests", server.requests},
               {"used_heap_bytes", server.used_heap_bytes},
               {"max_heap_bytes", server.max_heap_bytes},
               {"regions", ArrayOf(server.regions, FromRegion)},
               {"coprocessors", server.coprocessors},
               {"tasks", ArrayOf(server.tasks, FromTask)},
               {"replication_sources", ArrayOf(server.replication_sources, FromSource)},
               {"replication_sink", nullptr}};
  if (server.replication_sink.has_value()) {
    json["replication_sink"] = {{"started_ms", server.replication_sink->started_ms},
                                {"last_applied_ms", server.replication_sink->last_applied_ms},
                                {"age_of_last_applied_ms", server.replication_sink->age_of_last_applied_ms}};
  }
  return json;
}

Json FromTransition(const RegionInTransition& region) {
  return {{"region", ToStringBinary(region.region)}, {"state", region.state}, {"since_ms", region.since_ms}};
}

}  // namespace

std::string ToJson(const ClusterMetrics& metrics) {
  const Json json = {
      {"version", metrics.version},
      {"cluster_id", metrics.cluster_id},
      {"active_master", metrics.active_master.has_value() ? Json(FullServerName(*metrics.active_master)) : Json()},
      {"backup_masters", ArrayOf(metrics.backup_masters, FullServerName)},
      {"balancer_on", metrics.balancer_on},
      {"average_load", metrics.average_load()},
      {"live_servers", ArrayOf(metrics.live_servers, FromServer)},
      {"dead_servers", ArrayOf(metrics.dead_servers, FullServerName)},
      {"unknown_servers", ArrayOf(metrics.unknown_servers, FullServerName)},
      {"regions_in_transition", ArrayOf(metrics.regions_in_transition, FromTransition)},
      {"master_coprocessors", metrics.master_coprocessors},
      {"master_tasks", ArrayOf(metrics.master_tasks, FromTask)}};
  // Replaces bytes that are not UTF-8 by U+FFFD, since JSON allows no others.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace klip
