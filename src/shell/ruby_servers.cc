// Klip::Connection's calls about procedures, locks, compactions, caches, logs, slow calls, the balancer's log, stopping
// servers and ZooKeeper.
#include <map>
#include <string>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

VALUE FromProcedure(const ProcedureInfo& procedure) {
  VALUE hash = rb_hash_new();
  Set(hash, "id", FromInt(procedure.id));
  Set(hash, "parent_id", procedure.parent_id.has_value() ? FromInt(*procedure.parent_id) : Qnil);
  Set(hash, "class_name", FromText(procedure.class_name));
  Set(hash, "state", FromText(procedure.state));
  Set(hash, "owner", FromText(procedure.owner));
  Set(hash, "submitted_ms", FromInt(procedure.submitted_ms));
  Set(hash, "last_update_ms", FromInt(procedure.last_update_ms));
  Set(hash, "state_types", FromList(procedure.state_types, FromText));
  return hash;
}

VALUE FromLock(const ProcedureLock& lock) {
  VALUE hash = rb_hash_new();
  Set(hash, "resource_type", FromText(lock.resource_type));
  Set(hash, "resource_name", FromText(lock.resource_name));
  Set(hash, "exclusive", FromFlag(lock.exclusive));
  Set(hash, "owner", lock.owner.has_value() ? FromProcedure(*lock.owner) : Qnil);
  Set(hash, "shared_count", FromInt(lock.shared_count));
  Set(hash, "waiting", FromList(lock.waiting, FromProcedure));
  return hash;
}

VALUE FromSlowCall(const SlowCall& call) {
  VALUE hash = rb_hash_new();
  Set(hash, "start_ms", FromInt(call.start_ms));
  Set(hash, "processing_ms", FromInt(call.processing_ms));
  Set(hash, "queue_ms", FromInt(call.queue_ms));
  Set(hash, "response_bytes", FromInt(call.response_bytes));
  Set(hash, "block_bytes_scanned", FromInt(call.block_bytes_scanned));
  Set(hash, "file_read_ms", FromInt(call.file_read_ms));
  Set(hash, "client", FromText(call.client));
  Set(hash, "server_class", FromText(call.server_class));
  Set(hash, "method", FromText(call.method));
  Set(hash, "call", FromText(call.call));
  Set(hash, "parameters", FromText(call.parameters));
  Set(hash, "user", FromText(call.user));
  Set(hash, "region", FromText(call.region));
  Set(hash, "gets", FromInt(call.gets));
  Set(hash, "mutations", FromInt(call.mutations));
  Set(hash, "service_calls", FromInt(call.service_calls));
  return hash;
}

VALUE FromDecision(const BalancerDecision& decision) {
  VALUE hash = rb_hash_new();
  Set(hash, "initial_function_costs", FromText(decision.initial_function_costs));
  Set(hash, "final_function_costs", FromText(decision.final_function_costs));
  Set(hash, "initial_cost", rb_float_new(decision.initial_cost));
  Set(hash, "final_cost", rb_float_new(decision.final_cost));
  Set(hash, "steps", FromInt(decision.steps));
  Set(hash, "region_plans", FromList(decision.region_plans, FromText));
  return hash;
}

VALUE FromRejection(const BalancerRejection& rejection) {
  VALUE hash = rb_hash_new();
  Set(hash, "reason", FromText(rejection.reason));
  Set(hash, "function_costs", FromList(rejection.function_costs, FromText));
  return hash;
}

// {"host,port,startcode" => flag}
Answer FlagsOr(const Expected<std::map<ServerName, bool>>& flags) {
  KLIP_RETURN_IF_ERROR(flags.status());
  VALUE hash = rb_hash_new();
  for (const auto& [server, flag] : *flags) {
    rb_hash_aset(hash, FromServer(server), FromFlag(flag));
  }
  return hash;
}

Answer Procedures(VALUE self, Arguments) {
  return ListOr(WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.ListProcedures(); }),
                FromProcedure);
}

Answer Locks(VALUE self, Arguments) {
  return ListOr(WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.ListLocks(); }), FromLock);
}

// set_compactions(servers, on): the previous settings.
Answer SetCompactions(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> servers, ToServers(args[0]));
  return FlagsOr(WithAdmin<ServerAdmin>(
      self, [servers, on = ToFlag(args[1])](ServerAdmin& admin) { return admin.SetCompactions(servers, on); }));
}

// compact_server(server, major)
Answer CompactServer(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[0], "server"));
  KLIP_ASSIGN_OR_RETURN(const ServerName server, ServerName::Parse(name));
  return NilOr(WithAdmin<ServerAdmin>(
      self, [server, major = ToFlag(args[1])](ServerAdmin& admin) { return admin.CompactServer(server, major); }));
}

// clear_compaction_queues(server, queues)
Answer ClearCompactionQueues(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[0], "server"));
  KLIP_ASSIGN_OR_RETURN(const ServerName server, ServerName::Parse(name));
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> queues, ToByteList(args[1], "queues"));
  return NilOr(WithAdmin<ServerAdmin>(
      self, [server, queues](ServerAdmin& admin) { return admin.ClearCompactionQueues(server, queues); }));
}

// [blocks, bytes, size of the caches]
Answer ClearBlockCache(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(args[0], "table"));
  auto evicted = WithAdmin(self, [table](Admin& admin) { return admin.ClearBlockCache(table); });
  KLIP_RETURN_IF_ERROR(evicted.status());
  return rb_ary_new_from_args(3, FromInt(evicted->blocks), FromInt(evicted->bytes), FromInt(evicted->max_cache_bytes));
}

// slow_calls(servers, {large:, region:, table:, client:, user:, match_all:, limit:})
Answer SlowCalls(VALUE self, Arguments args) {
  SlowCallQuery query;
  KLIP_ASSIGN_OR_RETURN(query.servers, ToServers(args[0]));
  HashReader reader(args[1], "slow calls");
  reader.Read("large", &query.large);
  reader.Read("region", &query.region);
  reader.Read("table", &query.table);
  reader.Read("client", &query.client);
  reader.Read("user", &query.user);
  reader.Read("match_all", &query.match_all);
  reader.Read("limit", &query.limit);
  KLIP_RETURN_IF_ERROR(reader.status());
  return ListOr(WithAdmin<ServerAdmin>(self, [query](ServerAdmin& admin) { return admin.GetSlowCalls(query); }),
                FromSlowCall);
}

Answer ClearSlowCalls(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> servers, ToServers(args[0]));
  return FlagsOr(WithAdmin<ServerAdmin>(self, [servers](ServerAdmin& admin) { return admin.ClearSlowCalls(servers); }));
}

Expected<int32_t> ToLimit(VALUE value) {
  KLIP_ASSIGN_OR_RETURN(const int64_t limit, ToInt(value, "limit"));
  return limit < 0 || limit > INT32_MAX ? Expected<int32_t>(Status(Code::kInvalidArgument, "limit: out of range"))
                                        : static_cast<int32_t>(limit);
}

Answer BalancerDecisions(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const int32_t limit, ToLimit(args[0]));
  return ListOr(
      WithAdmin<ClusterAdmin>(self, [limit](ClusterAdmin& admin) { return admin.GetBalancerDecisions(limit); }),
      FromDecision);
}

Answer BalancerRejections(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const int32_t limit, ToLimit(args[0]));
  return ListOr(
      WithAdmin<ClusterAdmin>(self, [limit](ClusterAdmin& admin) { return admin.GetBalancerRejections(limit); }),
      FromRejection);
}

Answer UpdateConfiguration(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::vector<ServerName> servers, ToServers(args[0]));
  return NilOr(
      WithAdmin<ServerAdmin>(self, [servers](ServerAdmin& admin) { return admin.UpdateConfiguration(servers); }));
}

// Methods about one server that return nil.
template <Status (ServerAdmin::*kCall)(const ServerName&)>
Answer OfServer(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(const std::string name, ToBytes(args[0], "server"));
  KLIP_ASSIGN_OR_RETURN(const ServerName server, ServerName::Parse(name));
  return NilOr(WithAdmin<ServerAdmin>(self, [server](ServerAdmin& admin) { return (admin.*kCall)(server); }));
}

template <Status (ClusterAdmin::*kCall)()>
Answer Do(VALUE self, Arguments) {
  return NilOr(WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return (admin.*kCall)(); }));
}

Answer SecurityCapabilities(VALUE self, Arguments) {
  return ListOr(WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.GetSecurityCapabilities(); }),
                FromText);
}

Answer DumpZooKeeper(VALUE self, Arguments) {
  auto dump = WithAdmin<ClusterAdmin>(self, [](ClusterAdmin& admin) { return admin.DumpZooKeeper(); });
  KLIP_RETURN_IF_ERROR(dump.status());
  return FromText(*dump);
}

}  // namespace

// If a method takes servers, an empty list means all.
void DefineServerMethods(VALUE connection) {
  DefineMethod<Procedures, 0>(connection, "procedures");
  DefineMethod<Locks, 0>(connection, "locks");
  DefineMethod<SetCompactions, 2>(connection, "set_compactions");
  DefineMethod<CompactServer, 2>(connection, "compact_server");
  DefineMethod<ClearCompactionQueues, 2>(connection, "clear_compaction_queues");
  DefineMethod<ClearBlockCache, 1>(connection, "clear_block_cache");
  DefineMethod<SlowCalls, 2>(connection, "slow_calls");
  DefineMethod<ClearSlowCalls, 1>(connection, "clear_slow_calls");
  DefineMethod<BalancerDecisions, 1>(connection, "balancer_decisions");
  DefineMethod<BalancerRejections, 1>(connection, "balancer_rejections");
  DefineMethod<UpdateConfiguration, 1>(connection, "update_configuration");
  DefineMethod<OfServer<&ServerAdmin::RollWal>, 1>(connection, "roll_wal");
  DefineMethod<OfServer<&ServerAdmin::StopServer>, 1>(connection, "stop_server");
  DefineMethod<Do<&ClusterAdmin::StopMaster>, 0>(connection, "stop_master");
  DefineMethod<Do<&ClusterAdmin::FlushMasterStore>, 0>(connection, "flush_master_store");
  DefineMethod<SecurityCapabilities, 0>(connection, "security_capabilities");
  DefineMethod<DumpZooKeeper, 0>(connection, "zookeeper_dump");
}

}  // namespace klip::shell
