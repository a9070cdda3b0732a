// EmbeddedReplicationAdmin: its checks are those of HBase's ReplicationPeerManager.
#include <string>

#include "base/names.h"
#include "engine/store/peers.h"
#include "hbase/cluster/peer_cluster.h"
#include "table/admin/embedded_parts.h"

namespace klip::table {
namespace {

constexpr std::string_view kEndpoint =
    "org.apache.hadoop.hbase.replication.regionserver.HBaseInterClusterReplicationEndpoint";
constexpr const char* kEntryFilters = "hbase.replication.source.custom.walentryfilters";
// A peer that does not answer within this time is not this process.
constexpr int64_t kSelfCheckMs = 1000;

Status Refused(std::string text) { return {Code::kDoNotRetry, std::move(text)}; }

Status CheckConflict(const std::set<std::string>& namespaces, const TableFamilies& tables) {
  for (const auto& [table, families] : tables) {
    if (const std::string name_space(NamespaceOf(table)); namespaces.contains(name_space)) {
      return Refused("Table-cfs " + table + " is conflict with namespaces " + name_space + " in peer config");
    }
  }
  return Status::Ok();
}

Status CheckPeerConfig(const ReplicationPeerConfig& config) {
  if (!config.endpoint_class.empty() && config.endpoint_class != kEndpoint) {
    return Refused("Can not instantiate configured replication endpoint class=" + config.endpoint_class +
                   ": klip replicates into clusters only");
  }
  if (!client::ParseClusterKey(config.cluster_key).ok()) {
    return Refused("Invalid cluster key: " + config.cluster_key);
  }
  if (config.replicate_all) {
    if (!config.namespaces.empty() || !config.table_families.empty()) {
      return Refused("Need clean namespaces or table-cfs config firstly when you want replicate all cluster");
    }
    KLIP_RETURN_IF_ERROR(CheckConflict(config.exclude_namespaces, config.exclude_table_families));
  } else {
    if (!config.exclude_namespaces.empty() || !config.exclude_table_families.empty()) {
      return Refused(
          "Need clean exclude-namespaces or exclude-table-cfs config firstly when replicate_all flag is false");
    }
    KLIP_RETURN_IF_ERROR(CheckConflict(config.namespaces, config.table_families));
  }
  if (const auto filters = config.configuration.find(kEntryFilters);
      filters != config.configuration.end() && !filters->second.empty()) {
    return Refused("Configured WALEntryFilter " + filters->second +
                   " could not be created. Failing add/update peer operation.");
  }
  return Status::Ok();
}

}  // namespace

Status EmbeddedReplicationAdmin::CheckMayChangePeers() const {
  return served_->IsOn(MasterSwitch::kPeerModification)
             ? Status()
             : Status(Code::kIoError, "Replication peer modification disabled");
}

Status EmbeddedReplicationAdmin::AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config,
                                                    bool enabled) {
  if (served_->cluster_id().empty()) {
    return {Code::kUnsupported,
            "klip serve replicates, a store in a directory does not: add the peer by way of the server"};
  }
  KLIP_RETURN_IF_ERROR(CheckMayChangePeers());
  if (id.empty() || id.find('-') != std::string_view::npos) {
    return Refused("Found invalid peer name: " + std::string(id));
  }
  KLIP_RETURN_IF_ERROR(CheckPeerConfig(config));
  KLIP_ASSIGN_OR_RETURN(const auto cluster, client::PeerCluster::Open(config.cluster_key));
  if (const auto state = cluster->Ask(kSelfCheckMs); state.ok() && state->cluster_id == served_->cluster_id()) {
    return Refused("Invalid cluster key: " + config.cluster_key +
                   ", should not replicate to itself for HBaseInterClusterReplicationEndpoint");
  }
  return served_->store()->peers().Add({.id = std::string(id), .enabled = enabled, .config = config});
}

Status EmbeddedReplicationAdmin::RemoveReplicationPeer(std::string_view id) {
  KLIP_RETURN_IF_ERROR(CheckMayChangePeers());
  return served_->store()->peers().Remove(id);
}

Status EmbeddedReplicationAdmin::EnableReplicationPeer(std::string_view id) {
  KLIP_RETURN_IF_ERROR(CheckMayChangePeers());
  return served_->store()->peers().SetEnabled(id, true);
}

Status EmbeddedReplicationAdmin::DisableReplicationPeer(std::string_view id) {
  KLIP_RETURN_IF_ERROR(CheckMayChangePeers());
  return served_->store()->peers().SetEnabled(id, false);
}

Expected<ReplicationPeerConfig> EmbeddedReplicationAdmin::GetReplicationPeerConfig(std::string_view id) {
  KLIP_ASSIGN_OR_RETURN(ReplicationPeer peer, served_->store()->peers().Find(id));
  return std::move(peer.config);
}

Status EmbeddedReplicationAdmin::UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) {
  KLIP_RETURN_IF_ERROR(CheckMayChangePeers());
  KLIP_RETURN_IF_ERROR(CheckPeerConfig(config));
  KLIP_ASSIGN_OR_RETURN(const ReplicationPeerConfig before, GetReplicationPeerConfig(id));
  const auto fixed = [&](const std::string& what, const std::string& kind, const std::string& old_value,
                         const std::string& new_value) {
    return old_value == new_value ? Status()
                                  : Refused("Changing the " + what + " on an existing peer is not allowed. Existing " +
                                            kind + " '" + old_value + "' for peer " + std::string(id) +
                                            " does not match new " + kind + " '" + new_value + "'");
  };
  KLIP_RETURN_IF_ERROR(fixed("cluster key", "key", before.cluster_key, config.cluster_key));
  KLIP_RETURN_IF_ERROR(
      fixed("replication endpoint implementation class", "class", before.endpoint_class, config.endpoint_class));
  ReplicationPeerConfig merged = config;
  merged.configuration.insert(before.configuration.begin(), before.configuration.end());
  return served_->store()->peers().Update(id, merged);
}

Expected<std::vector<ReplicationPeer>> EmbeddedReplicationAdmin::ListReplicationPeers() {
  return served_->store()->peers().List();
}
// A change is complete when its call returns.
Status EmbeddedReplicationAdmin::DrainPeerModifications() { return Status::Ok(); }

}  // namespace klip::table
