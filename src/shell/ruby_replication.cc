// Klip::Connection's calls about replication peers.
#include <set>
#include <string>

#include "shell/cluster_values.h"
#include "shell/objects.h"
#include "shell/ruby_value.h"

namespace klip::shell {
namespace {

// [[table, [family, ...]], ...]
VALUE FromTableFamilies(const TableFamilies& tables) {
  return FromList(tables, [](const auto& one) {
    return rb_ary_new_from_args(2, FromText(one.first), FromList(one.second, FromText));
  });
}

Expected<TableFamilies> ToTableFamilies(VALUE value) {
  TableFamilies tables;
  if (!RB_TYPE_P(value, T_ARRAY)) {
    return Status(Code::kInvalidArgument, "tables must be an Array");
  }
  for (long i = 0; i < RARRAY_LEN(value); ++i) {
    VALUE pair = RARRAY_AREF(value, i);
    if (!RB_TYPE_P(pair, T_ARRAY) || RARRAY_LEN(pair) != 2) {
      return Status(Code::kInvalidArgument, "a table must be [name, families]");
    }
    KLIP_ASSIGN_OR_RETURN(std::string table, ToBytes(RARRAY_AREF(pair, 0), "table"));
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> families, ToByteList(RARRAY_AREF(pair, 1), "families"));
    tables[std::move(table)] = {families.begin(), families.end()};
  }
  return tables;
}

Expected<std::set<std::string>> ToNames(VALUE value) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ToByteList(value, "namespaces"));
  return std::set<std::string>(names.begin(), names.end());
}

VALUE FromPeerConfig(const ReplicationPeerConfig& config) {
  VALUE hash = rb_hash_new();
  Set(hash, "cluster_key", FromText(config.cluster_key));
  Set(hash, "endpoint_class", FromText(config.endpoint_class));
  Set(hash, "configuration", FromTextMap(config.configuration));
  Set(hash, "data", FromTextMap(config.data));
  Set(hash, "replicate_all", FromFlag(config.replicate_all));
  Set(hash, "table_families", FromTableFamilies(config.table_families));
  Set(hash, "namespaces", FromList(config.namespaces, FromText));
  Set(hash, "exclude_table_families", FromTableFamilies(config.exclude_table_families));
  Set(hash, "exclude_namespaces", FromList(config.exclude_namespaces, FromText));
  Set(hash, "bandwidth", FromInt(config.bandwidth));
  Set(hash, "serial", FromFlag(config.serial));
  return hash;
}

Expected<ReplicationPeerConfig> ToPeerConfig(VALUE hash) {
  ReplicationPeerConfig config;
  HashReader reader(hash, "peer");
  reader.Read("cluster_key", &config.cluster_key);
  reader.Read("endpoint_class", &config.endpoint_class);
  reader.Read("configuration", &config.configuration);
  reader.Read("data", &config.data);
  reader.Read("replicate_all", &config.replicate_all);
  reader.Read("bandwidth", &config.bandwidth);
  reader.Read("serial", &config.serial);
  KLIP_RETURN_IF_ERROR(reader.status());
  KLIP_ASSIGN_OR_RETURN(config.table_families, ToTableFamilies(reader.At("table_families")));
  KLIP_ASSIGN_OR_RETURN(config.namespaces, ToNames(reader.At("namespaces")));
  KLIP_ASSIGN_OR_RETURN(config.exclude_table_families, ToTableFamilies(reader.At("exclude_table_families")));
  KLIP_ASSIGN_OR_RETURN(config.exclude_namespaces, ToNames(reader.At("exclude_namespaces")));
  return config;
}

// [{id:, enabled:, config:}, ...]
Answer Peers(VALUE self, Arguments) {
  auto peers = WithAdmin<ReplicationAdmin>(self, [](ReplicationAdmin& admin) { return admin.ListReplicationPeers(); });
  KLIP_RETURN_IF_ERROR(peers.status());
  return FromList(*peers, [](const ReplicationPeer& peer) {
    VALUE hash = rb_hash_new();
    Set(hash, "id", FromText(peer.id));
    Set(hash, "enabled", FromFlag(peer.enabled));
    Set(hash, "config", FromPeerConfig(peer.config));
    return hash;
  });
}

Answer PeerConfig(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string id, ToBytes(args[0], "peer"));
  auto config =
      WithAdmin<ReplicationAdmin>(self, [id](ReplicationAdmin& admin) { return admin.GetReplicationPeerConfig(id); });
  KLIP_RETURN_IF_ERROR(config.status());
  return FromPeerConfig(*config);
}

// add_peer(id, config, enabled)
Answer AddPeer(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string id, ToBytes(args[0], "peer"));
  KLIP_ASSIGN_OR_RETURN(ReplicationPeerConfig config, ToPeerConfig(args[1]));
  return NilOr(WithAdmin(self, [id, config, enabled = ToFlag(args[2])](Admin& admin) {
    return admin.replication().AddReplicationPeer(id, config, enabled);
  }));
}

// update_peer(id, config): replaces it.
Answer UpdatePeer(VALUE self, Arguments args) {
  KLIP_ASSIGN_OR_RETURN(std::string id, ToBytes(args[0], "peer"));
  KLIP_ASSIGN_OR_RETURN(ReplicationPeerConfig config, ToPeerConfig(args[1]));
  return NilOr(WithAdmin<ReplicationAdmin>(
      self, [id, config](ReplicationAdmin& admin) { return admin.UpdateReplicationPeerConfig(id, config); }));
}

Answer DrainPeerModifications(VALUE self, Arguments) {
  return NilOr(
      WithAdmin<ReplicationAdmin>(self, [](ReplicationAdmin& admin) { return admin.DrainPeerModifications(); }));
}

}  // namespace

void DefineReplicationMethods(VALUE connection) {
  DefineMethod<Peers, 0>(connection, "peers");
  DefineMethod<PeerConfig, 1>(connection, "peer");
  DefineMethod<AddPeer, 3>(connection, "add_peer");
  DefineMethod<UpdatePeer, 2>(connection, "update_peer");
  DefineMethod<ByName<&ReplicationAdmin::RemoveReplicationPeer, ReplicationAdmin>, 1>(connection, "remove_peer");
  DefineMethod<ByName<&ReplicationAdmin::EnableReplicationPeer, ReplicationAdmin>, 1>(connection, "enable_peer");
  DefineMethod<ByName<&ReplicationAdmin::DisableReplicationPeer, ReplicationAdmin>, 1>(connection, "disable_peer");
  DefineMethod<DrainPeerModifications, 0>(connection, "drain_peer_modifications");
}

}  // namespace klip::shell
