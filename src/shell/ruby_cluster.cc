// Klip::Connection's calls about servers, regions and the cluster: klip::Admin with Ruby's names.
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

VALUE FromRegion(const RegionInfo& region) {
  VALUE hash = rb_hash_new();
  Set(hash, "name", FromBytes(region.Name()));
  Set(hash, "encoded_name", FromText(region.encoded_name));
  Set(hash, "table", FromText(region.table));
  Set(hash, "start_key", FromBytes(region.start_key));
  Set(hash, "end_key", FromBytes(region.end_key));
  Set(hash, "region_id", FromInt(region.region_id));
  Set(hash, "server", FromServer(region.server));
  return hash;
}

VALUE FromRegionMetrics(const RegionMetrics& region) {
  VALUE hash = rb_hash_new();
  Set(hash, "name", FromBytes(region.name));
  Set(hash, "stores", FromInt(region.stores));
  Set(hash, "store_files", FromInt(region.store_files));
  Set(hash, "store_references", FromInt(region.store_references));
  Set(hash, "uncompressed_file_bytes", FromInt(region.uncompressed_file_bytes));
  Set(hash, "file_bytes", FromInt(region.file_bytes));
  Set(hash, "memstore_bytes", FromInt(region.memstore_bytes));
  Set(hash, "index_bytes", FromInt(region.index_bytes));
  Set(hash, "root_index_bytes", FromInt(region.root_index_bytes));
  Set(hash, "static_index_bytes", FromInt(region.static_index_bytes));
  Set(hash, "static_bloom_bytes", FromInt(region.static_bloom_bytes));
  Set(hash, "requests", FromInt(region.requests()));
  Set(hash, "read_requests", FromInt(region.read_requests));
  Set(hash, "filtered_read_requests", FromInt(region.filtered_read_requests));
  Set(hash, "write_requests", FromInt(region.write_requests));
  Set(hash, "compacting_cells", FromInt(region.compacting_cells));
  Set(hash, "compacted_cells", FromInt(region.compacted_cells));
  Set(hash, "compaction", FromText(CompactionStateName(region.compaction)));
  Set(hash, "last_major_compaction_ms", FromInt(region.last_major_compaction_ms));
  Set(hash, "completed_sequence_id", FromInt(region.completed_sequence_id));
  Set(hash, "data_locality", rb_float_new(region.data_locality));
  return hash;
}

VALUE FromTask(const ServerTask& task) {
  VALUE hash = rb_hash_new();
  Set(hash, "description", FromText(task.description));
  Set(hash, "status", FromText(task.status));
  Set(hash, "state", FromText(ServerTaskStateName(task.state)));
  Set(hash, "start_ms", FromInt(task.start_ms));
  Set(hash, "completion_ms", FromInt(task.completion_ms));
  return hash;
}

VALUE FromSource(const ReplicationSource& source) {
  VALUE hash = rb_hash_new();
  Set(hash, "peer_id", FromText(source.peer_id));
  Set(hash, "queue_id", FromText(source.queue_id));
  Set(hash, "recovered", FromFlag(source.recovered));
  Set(hash, "running", FromFlag(source.running));
  Set(hash, "edits_since_restart", FromFlag(source.edits_since_restart));
  Set(hash, "age_of_last_shipped_ms", FromInt(source.age_of_last_shipped_ms));
  Set(hash, "last_shipped_ms", FromInt(source.last_shipped_ms));
  Set(hash, "next_to_replicate_ms", FromInt(source.next_to_replicate_ms));
  Set(hash, "lag_ms", FromInt(source.lag_ms));
  Set(hash, "queued_logs", FromInt(source.queued_logs));
  Set(hash, "edits_read", FromInt(source.edits_read));
  Set(hash, "operations_shipped", FromInt(source.operations_shipped));
  return hash;
}

VALUE FromSink(const std::optional<ReplicationSink>& sink) {
  if (!sink.has_value()) {
    return Qnil;
  }
  VALUE hash = rb_hash_new();
  Set(hash, "started_ms", FromInt(sink->started_ms));
  Set(hash, "last_applied_ms", FromInt(sink->last_applied_ms));
  Set(hash, "age_of_last_applied_ms", FromInt(sink->age_of_last_applied_ms));
  return hash;
}

VALUE FromServerMetrics(const ServerMetrics& server) {
  VALUE hash = rb_hash_new();
  Set(hash, "name", FromServer(server.name));
  Set(hash, "requests_per_second", FromInt(server.requests_per_second));
  Set(hash, "requests", FromInt(server.requests));
  Set(hash, "used_heap_bytes", FromInt(server.used_heap_bytes));
  Set(hash, "max_heap_bytes", FromInt(server.max_heap_bytes));
  Set(hash, "regions", FromList(server.regions, FromRegionMetrics));
  Set(hash, "coprocessors", FromList(server.coprocessors, FromText));
  Set(hash, "tasks", FromList(server.tasks, FromTask));
  Set(hash, "replication_sources", FromList(server.replication_sources, FromSource));
  Set(hash, "replication_sink", FromSink(server.replication_sink));
  return hash;
}

VALUE FromRegionInTransition(const RegionInTransition& region) {
  VALUE hash = rb_hash_new();
  Set(hash, "region", FromBytes(region.region));
  Set(hash, "state", FromText(region.state));
  Set(hash, "since_ms", FromInt(region.since_ms));
  return hash;
}

// All of klip::ClusterMetrics, by the names of its members.
Answer Metrics(VALUE self, Arguments) {
  auto metrics = WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.GetClusterMetrics(); });
  KLIP_RETURN_IF_ERROR(metrics.status());
  VALUE hash = rb_hash_new();
  Set(hash, "version", FromText(metrics->version));
  Set(hash, "cluster_id", FromText(metrics->cluster_id));
  Set(hash, "active_master", metrics->active_master.has_value() ? FromServer(*metrics->active_master) : Qnil);
  Set(hash, "backup_masters", FromList(metrics->backup_masters, FromServer));
  Set(hash, "live_servers", FromList(metrics->live_servers, FromServerMetrics));
  Set(hash, "dead_servers", FromList(metrics->dead_servers, FromServer));
  Set(hash, "unknown_servers", FromList(metrics->unknown_servers, FromServer));
  Set(hash, "regions_in_transition", FromList(metrics->regions_in_transition, FromRegionInTransition));
  Set(hash, "master_coprocessors", FromList(metrics->master_coprocessors, FromText));
  Set(hash, "master_tasks", FromList(metrics->master_tasks, FromTask));
  Set(hash, "average_load", rb_float_new(metrics->average_load()));
  return hash;
}

// [{name:, encoded_name:, table:, start_key:, end_key:, region_id:, server:}, ...]
Answer Regions(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[0], "table"));
  auto regions = WithAdmin(self, [table](Admin& admin) { return admin.GetRegions(table); });
  KLIP_RETURN_IF_ERROR(regions.status());
  return FromList(*regions, FromRegion);
}

Answer RegionMetricsOf(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[0], "table"));
  auto metrics = WithAdmin(self, [table](Admin& admin) { return admin.GetRegionMetrics(table); });
  KLIP_RETURN_IF_ERROR(metrics.status());
  return FromList(*metrics, FromRegionMetrics);
}

// locate_region(table, row)
Answer LocateRegion(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[0], "table"));
  KLIP_ASSIGN_OR_RETURN(std::string row, ToBytes(args[1], "row"));
  auto region = WithAdmin(self, [table, row](Admin& admin) { return admin.LocateRegion(table, row); });
  KLIP_RETURN_IF_ERROR(region.status());
  return FromRegion(*region);
}

// The region with that encoded or full name, or nil.
Answer Region(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string name, ToBytes(args[0], "region"));
  auto region = WithAdmin(self, [name](Admin& admin) { return admin.GetRegion(name); });
  if (region.status().code() == Code::kDoNotRetry) {
    return Qnil;
  }
  KLIP_RETURN_IF_ERROR(region.status());
  return FromRegion(*region);
}

// move_region(region, server or nil)
Answer MoveRegion(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string region, ToBytes(args[0], "region"));
  std::optional<ServerName> to;
  if (!NIL_P(args[1])) {
    KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[1], "server"));
    KLIP_ASSIGN_OR_RETURN(to, ServerName::Parse(name));
  }
  return NilOr(WithAdmin(self, [region, to](Admin& admin) { return admin.MoveRegion(region, to); }));
}

// split_region(region, key)
Answer SplitRegion(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string region, ToBytes(args[0], "region"));
  KLIP_ASSIGN_OR_RETURN(std::string key, ToBytes(args[1], "split key"));
  return NilOr(WithAdmin(self, [region, key](Admin& admin) { return admin.SplitRegion(region, key); }));
}

// merge_regions(names, forcible)
Answer MergeRegions(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> names, ToByteList(args[0], "regions"));
  return NilOr(WithAdmin(
      self, [names, forcible = ToFlag(args[1])](Admin& admin) { return admin.MergeRegions(names, forcible); }));
}

Expected<MasterSwitch> ToSwitch(VALUE value) {
  constexpr std::array<std::string_view, 9> kNames = {"split",
                                                      "merge",
                                                      "balancer",
                                                      "normalizer",
                                                      "catalog janitor",
                                                      "cleaner chore",
                                                      "snapshot cleanup",
                                                      "rpc throttle",
                                                      "peer modification"};
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(value, "switch"));
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<MasterSwitch>(i);
    }
  }
  return Status(Code::kInvalidArgument, "unknown switch '" + name + "'");
}

// set_switch(name, on): the previous setting.
Answer SetSwitch(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const MasterSwitch which, ToSwitch(args[0]));
  return FlagOr(WithAdmin<ClusterAdmin>(
      self, [which, on = ToFlag(args[1])](ClusterAdmin& admin) { return admin.SetSwitch(which, on); }));
}

Answer IsSwitchOn(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const MasterSwitch which, ToSwitch(args[0]));
  return FlagOr(WithAdmin<ClusterAdmin>(self, [which](ClusterAdmin& admin) { return admin.IsSwitchOn(which); }));
}

template <Expected<bool> (ClusterAdmin::*kCall)()>
Answer Ask(VALUE self, Arguments) {
  return FlagOr(WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return (admin.*kCall)(); }));
}

// balance(dry_run, ignore_regions_in_transition): [ran, moves planned, moves made]
Answer Balance(VALUE self, Arguments args) {
  const BalanceOptions options = {.dry_run = ToFlag(args[0]), .ignore_regions_in_transition = ToFlag(args[1])};
  auto result = WithAdmin<ClusterAdmin>(self, [options](ClusterAdmin& admin) { return admin.Balance(options); });
  KLIP_RETURN_IF_ERROR(result.status());
  return rb_ary_new_from_args(3, FromFlag(result->ran), FromInt(result->moves_planned), FromInt(result->moves_made));
}

Answer RunCatalogJanitor(VALUE self, Arguments) {
  auto cleaned = WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.RunCatalogJanitor(); });
  KLIP_RETURN_IF_ERROR(cleaned.status());
  return FromInt(*cleaned);
}

// compact_region(region, major, family)
Answer CompactRegion(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string region, ToBytes(args[0], "region"));
  KLIP_ASSIGN_OR_RETURN(std::string family, ToBytes(args[2], "family"));
  return NilOr(WithAdmin(self, [region, family, major = ToFlag(args[1])](Admin& admin) {
    return admin.CompactRegion(region, major, family);
  }));
}

Answer ServersOr(const Expected<std::vector<ServerName>>& servers) {
  KLIP_RETURN_IF_ERROR(servers.status());
  return FromList(*servers, FromServer);
}

// decommission_servers(servers, offload)
Answer DecommissionServers(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> servers, ToServers(args[0]));
  return NilOr(WithAdmin(self, [servers, offload = ToFlag(args[1])](Admin& admin) {
    return admin.cluster().DecommissionServers(servers, offload);
  }));
}

Answer DecommissionedServers(VALUE self, Arguments) {
  return ServersOr(
      WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.ListDecommissionedServers(); }));
}

// recommission_server(server, encoded names of regions)
Answer RecommissionServer(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[0], "server"));
  KLIP_ASSIGN_OR_RETURN(const ServerName server, ServerName::Parse(name));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> regions, ToByteList(args[1], "regions"));
  return NilOr(WithAdmin<ClusterAdmin>(
      self, [server, regions](ClusterAdmin& admin) { return admin.RecommissionServer(server, regions); }));
}

Answer ClearDeadServers(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> servers, ToServers(args[0]));
  return ServersOr(
      WithAdmin<ClusterAdmin>(self, [servers](ClusterAdmin& admin) { return admin.ClearDeadServers(servers); }));
}

}  // namespace

Expected<std::vector<ServerName>> ToServers(VALUE value) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ToByteList(value, "servers"));
  std::vector<ServerName> servers;
  for (const std::string& name : names) {
    KLIP_ASSIGN_OR_RETURN(ServerName server, ServerName::Parse(name));
    servers.push_back(std::move(server));
  }
  return servers;
}

void DefineClusterMethods(VALUE connection) {
  DefineMethod<Metrics, 0>(connection, "cluster_metrics");

  DefineMethod<Regions, 1>(connection, "regions");
  DefineMethod<RegionMetricsOf, 1>(connection, "region_metrics");
  DefineMethod<LocateRegion, 2>(connection, "locate_region");
  DefineMethod<Region, 1>(connection, "region");
  DefineMethod<MoveRegion, 2>(connection, "move_region");
  DefineMethod<ByName<&Admin::AssignRegion>, 1>(connection, "assign_region");
  DefineMethod<ByName<&Admin::UnassignRegion>, 1>(connection, "unassign_region");
  DefineMethod<SplitRegion, 2>(connection, "split_region");
  DefineMethod<MergeRegions, 2>(connection, "merge_regions");

  DefineMethod<ByTwoNames<&Admin::FlushRegion>, 2>(connection, "flush_region");
  DefineMethod<CompactRegion, 3>(connection, "compact_region");

  DefineMethod<DecommissionServers, 2>(connection, "decommission_servers");
  DefineMethod<DecommissionedServers, 0>(connection, "decommissioned_servers");
  DefineMethod<RecommissionServer, 2>(connection, "recommission_server");
  DefineMethod<ClearDeadServers, 1>(connection, "clear_dead_servers");

  DefineMethod<SetSwitch, 2>(connection, "set_switch");
  DefineMethod<IsSwitchOn, 1>(connection, "switch_on?");
  DefineMethod<Balance, 2>(connection, "balance");
  DefineMethod<Ask<&ClusterAdmin::Normalize>, 0>(connection, "normalize");
  DefineMethod<RunCatalogJanitor, 0>(connection, "run_catalog_janitor");
  DefineMethod<Ask<&ClusterAdmin::RunCleanerChore>, 0>(connection, "run_cleaner_chore");
  DefineMethod<Ask<&ClusterAdmin::RunHbckChore>, 0>(connection, "run_hbck_chore");
  DefineMethod<Ask<&ClusterAdmin::IsInMaintenanceMode>, 0>(connection, "in_maintenance_mode?");
}

}  // namespace klip::shell
