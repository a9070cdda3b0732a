#include "rpc/cluster_messages.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rpc/names.h"

namespace klip::rpc {
namespace {

constexpr int64_t kKilobyte = 1 << 10;
constexpr int64_t kMegabyte = 1 << 20;

int32_t Clamp(uint64_t value) {
  return static_cast<int32_t>(std::min<uint64_t>(value, std::numeric_limits<int32_t>::max()));
}

// Rounds as HBase does: down, but to at least one if there is anything.
uint32_t Whole(int64_t bytes, int64_t unit) {
  return bytes <= 0 ? 0 : static_cast<uint32_t>(Clamp(static_cast<uint64_t>(std::max<int64_t>(bytes / unit, 1))));
}

CompactionState ToCompactionState(hbase::pb::RegionLoad::CompactionState state) {
  switch (state) {
    case hbase::pb::RegionLoad::MINOR:
      return CompactionState::kMinor;
    case hbase::pb::RegionLoad::MAJOR:
      return CompactionState::kMajor;
    case hbase::pb::RegionLoad::MAJOR_AND_MINOR:
      return CompactionState::kMajorAndMinor;
    case hbase::pb::RegionLoad::NONE:
      break;
  }
  return CompactionState::kNone;
}

ServerTask ToTask(const hbase::pb::ServerTask& message) {
  constexpr ServerTask::State kStates[] = {ServerTask::State::kRunning, ServerTask::State::kWaiting,
                                           ServerTask::State::kComplete, ServerTask::State::kAborted};
  return {.description = message.description(),
          .status = message.status(),
          .state = kStates[message.state()],
          .start_ms = static_cast<int64_t>(message.starttime()),
          .completion_ms = static_cast<int64_t>(message.completiontime())};
}

ReplicationSource ToSource(const hbase::pb::ReplicationLoadSource& message) {
  return {.peer_id = message.peerid(),
          .queue_id = message.queueid(),
          .recovered = message.recovered(),
          .running = message.running(),
          .edits_since_restart = message.editssincerestart(),
          .age_of_last_shipped_ms = static_cast<int64_t>(message.ageoflastshippedop()),
          .last_shipped_ms = static_cast<int64_t>(message.timestampoflastshippedop()),
          .next_to_replicate_ms = static_cast<int64_t>(message.timestampofnexttoreplicate()),
          .lag_ms = static_cast<int64_t>(message.replicationlag()),
          .queued_logs = message.sizeoflogqueue(),
          .edits_read = static_cast<int64_t>(message.editsread()),
          .operations_shipped = static_cast<int64_t>(message.opsshipped())};
}

ServerMetrics ToServerMetrics(const hbase::pb::LiveServerInfo& info) {
  const hbase::pb::ServerLoad& load = info.server_load();
  ServerMetrics server;
  server.name = ToServerName(info.server());
  server.requests_per_second = static_cast<int64_t>(load.number_of_requests());
  server.requests = static_cast<int64_t>(load.total_number_of_requests());
  server.used_heap_bytes = load.used_heap_mb() * kMegabyte;
  server.max_heap_bytes = load.max_heap_mb() * kMegabyte;
  for (const hbase::pb::RegionLoad& region : load.region_loads()) {
    server.regions.push_back(ToRegionMetrics(region));
  }
  std::ranges::sort(server.regions, {}, &RegionMetrics::name);
  for (const hbase::pb::Coprocessor& coprocessor : load.coprocessors()) {
    server.coprocessors.push_back(coprocessor.name());
  }
  std::ranges::sort(server.coprocessors);  // HBase lists one for each region that has it
  const auto twice = std::ranges::unique(server.coprocessors);
  server.coprocessors.erase(twice.begin(), twice.end());
  for (const hbase::pb::ServerTask& task : load.tasks()) {
    server.tasks.push_back(ToTask(task));
  }
  for (const hbase::pb::ReplicationLoadSource& source : load.replloadsource()) {
    server.replication_sources.push_back(ToSource(source));
  }
  if (load.has_replloadsink()) {
    const hbase::pb::ReplicationLoadSink& sink = load.replloadsink();
    server.replication_sink = {.started_ms = static_cast<int64_t>(sink.timestampstarted()),
                               .last_applied_ms = static_cast<int64_t>(sink.timestampsoflastappliedop()),
                               .age_of_last_applied_ms = static_cast<int64_t>(sink.ageoflastappliedop())};
  }
  server.report_ms = static_cast<int64_t>(load.report_end_time());
  return server;
}

RegionInTransition ToRegionInTransition(const hbase::pb::RegionInTransition& message) {
  const hbase::pb::RegionState& state = message.region_state();
  const hbase::pb::RegionInfo& region = state.region_info();
  return {.region = RegionName(TableNameOf(region.table_name()), region.start_key(),
                               static_cast<int64_t>(region.region_id())),
          .state = hbase::pb::RegionState::State_Name(state.state()),
          .since_ms = static_cast<int64_t>(state.stamp())};
}

}  // namespace

void FillReplicationSource(const ReplicationSource& source, hbase::pb::ReplicationLoadSource* message) {
  message->set_peerid(source.peer_id);
  message->set_queueid(source.queue_id);
  message->set_recovered(source.recovered);
  message->set_running(source.running);
  message->set_editssincerestart(source.edits_since_restart);
  message->set_ageoflastshippedop(static_cast<uint64_t>(source.age_of_last_shipped_ms));
  message->set_timestampoflastshippedop(static_cast<uint64_t>(source.last_shipped_ms));
  message->set_timestampofnexttoreplicate(static_cast<uint64_t>(source.next_to_replicate_ms));
  message->set_replicationlag(static_cast<uint64_t>(source.lag_ms));
  message->set_sizeoflogqueue(static_cast<uint32_t>(source.queued_logs));
  message->set_editsread(static_cast<uint64_t>(source.edits_read));
  message->set_opsshipped(static_cast<uint64_t>(source.operations_shipped));
}

ServerName ToServerName(const hbase::pb::ServerName& message) {
  return {message.host_name(), static_cast<uint16_t>(message.port()), static_cast<int64_t>(message.start_code())};
}

std::vector<ServerName> ToServerNames(const google::protobuf::RepeatedPtrField<hbase::pb::ServerName>& messages) {
  std::vector<ServerName> names;
  for (const hbase::pb::ServerName& message : messages) {
    names.push_back(ToServerName(message));
  }
  std::ranges::sort(names);
  return names;
}

void FillServerName(const ServerName& server, hbase::pb::ServerName* message) {
  message->set_host_name(server.host);
  message->set_port(server.port);
  message->set_start_code(static_cast<uint64_t>(server.start_code));
}

RegionMetrics ToRegionMetrics(const hbase::pb::RegionLoad& message) {
  return {.name = message.region_specifier().value(),
          .stores = Clamp(message.stores()),
          .store_files = Clamp(message.storefiles()),
          .store_references = message.store_ref_count(),
          .uncompressed_file_bytes = message.store_uncompressed_size_mb() * kMegabyte,
          .file_bytes = message.storefile_size_mb() * kMegabyte,
          .memstore_bytes = message.mem_store_size_mb() * kMegabyte,
          .index_bytes = static_cast<int64_t>(message.storefile_index_size_kb()) * kKilobyte,
          .root_index_bytes = message.root_index_size_kb() * kKilobyte,
          .static_index_bytes = message.total_static_index_size_kb() * kKilobyte,
          .static_bloom_bytes = message.total_static_bloom_size_kb() * kKilobyte,
          .read_requests = static_cast<int64_t>(message.read_requests_count()),
          .filtered_read_requests = static_cast<int64_t>(message.filtered_read_requests_count()),
          .write_requests = static_cast<int64_t>(message.write_requests_count()),
          .compacting_cells = static_cast<int64_t>(message.total_compacting_kvs()),
          .compacted_cells = static_cast<int64_t>(message.current_compacted_kvs()),
          .compaction = ToCompactionState(message.compaction_state()),
          .last_major_compaction_ms = static_cast<int64_t>(message.last_major_compaction_ts()),
          .completed_sequence_id = static_cast<int64_t>(message.complete_sequence_id()),
          .data_locality = message.data_locality()};
}

void FillRegionLoad(const RegionMetrics& region, hbase::pb::RegionLoad* message) {
  message->mutable_region_specifier()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  message->mutable_region_specifier()->set_value(region.name);
  message->set_stores(static_cast<uint32_t>(region.stores));
  message->set_storefiles(static_cast<uint32_t>(region.store_files));
  message->set_store_uncompressed_size_mb(Whole(region.uncompressed_file_bytes, kMegabyte));
  message->set_storefile_size_mb(Whole(region.file_bytes, kMegabyte));
  message->set_mem_store_size_mb(Whole(region.memstore_bytes, kMegabyte));
  message->set_region_size_mb(Whole(region.file_bytes, kMegabyte));
  message->set_read_requests_count(static_cast<uint64_t>(region.read_requests));
  message->set_filtered_read_requests_count(static_cast<uint64_t>(region.filtered_read_requests));
  message->set_write_requests_count(static_cast<uint64_t>(region.write_requests));
  message->set_last_major_compaction_ts(static_cast<uint64_t>(region.last_major_compaction_ms));
  message->set_data_locality(region.data_locality);
  message->set_compaction_state(static_cast<hbase::pb::RegionLoad::CompactionState>(region.compaction));
}

ClusterMetrics ToClusterMetrics(const hbase::pb::ClusterStatus& message) {
  ClusterMetrics metrics;
  metrics.version = message.hbase_version().version();
  metrics.cluster_id = message.cluster_id().cluster_id();
  if (message.has_master()) {
    metrics.active_master = ToServerName(message.master());
  }
  metrics.backup_masters = ToServerNames(message.backup_masters());
  for (const hbase::pb::LiveServerInfo& server : message.live_servers()) {
    metrics.live_servers.push_back(ToServerMetrics(server));
  }
  std::ranges::sort(metrics.live_servers, {}, &ServerMetrics::name);
  metrics.dead_servers = ToServerNames(message.dead_servers());
  metrics.unknown_servers = ToServerNames(message.unknown_servers());
  for (const hbase::pb::RegionInTransition& region : message.regions_in_transition()) {
    metrics.regions_in_transition.push_back(ToRegionInTransition(region));
  }
  for (const hbase::pb::Coprocessor& coprocessor : message.master_coprocessors()) {
    metrics.master_coprocessors.push_back(coprocessor.name());
  }
  for (const hbase::pb::ServerTask& task : message.master_tasks()) {
    metrics.master_tasks.push_back(ToTask(task));
  }
  metrics.balancer_on = message.balancer_on();
  return metrics;
}

SlowCall ToSlowCall(const hbase::pb::SlowLogPayload& message) {
  return {.start_ms = message.start_time(),
          .processing_ms = message.processing_time(),
          .queue_ms = message.queue_time(),
          .response_bytes = message.response_size(),
          .block_bytes_scanned = message.block_bytes_scanned(),
          .file_read_ms = message.fs_read_time(),
          .client = message.client_address(),
          .server_class = message.server_class(),
          .method = message.method_name(),
          .call = message.call_details(),
          .parameters = message.param(),
          .user = message.user_name(),
          .region = message.region_name(),
          .gets = message.multi_gets(),
          .mutations = message.multi_mutations(),
          .service_calls = message.multi_service_calls()};
}

hbase::pb::SlowLogResponseRequest ToSlowLogRequest(const SlowCallQuery& query) {
  hbase::pb::SlowLogResponseRequest request;
  if (!query.region.empty()) {
    request.set_region_name(query.region);
  }
  if (!query.table.empty()) {
    request.set_table_name(query.table);
  }
  if (!query.client.empty()) {
    request.set_client_address(query.client);
  }
  if (!query.user.empty()) {
    request.set_user_name(query.user);
  }
  request.set_limit(static_cast<uint32_t>(std::max(query.limit, 0)));
  request.set_filter_by_operator(query.match_all ? hbase::pb::SlowLogResponseRequest::AND
                                                 : hbase::pb::SlowLogResponseRequest::OR);
  request.set_log_type(query.large ? hbase::pb::SlowLogResponseRequest::LARGE_LOG
                                   : hbase::pb::SlowLogResponseRequest::SLOW_LOG);
  return request;
}

}  // namespace klip::rpc
