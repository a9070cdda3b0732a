#include "rpc/replication_messages.h"

#include <string>

#include "rpc/names.h"

namespace klip::rpc {
namespace {

template <typename Messages>
TableFamilies ToTableFamilies(const Messages& messages) {
  TableFamilies tables;
  for (const hbase::pb::TableCF& message : messages) {
    tables[TableNameOf(message.table_name())] = {message.families().begin(), message.families().end()};
  }
  return tables;
}

template <typename Messages>
void FillTableFamilies(const TableFamilies& tables, Messages* messages) {
  for (const auto& [table, families] : tables) {
    hbase::pb::TableCF* message = messages->Add();
    FillTableName(table, message->mutable_table_name());
    for (const std::string& family : families) {
      message->add_families(family);
    }
  }
}

}  // namespace

ReplicationPeerConfig ToPeerConfig(const hbase::pb::ReplicationPeer& message) {
  ReplicationPeerConfig config;
  config.cluster_key = message.clusterkey();
  config.endpoint_class = message.replicationendpointimpl();
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    config.configuration[pair.name()] = pair.value();
  }
  for (const hbase::pb::BytesBytesPair& pair : message.data()) {
    config.data[pair.first()] = pair.second();
  }
  config.replicate_all = !message.has_replicate_all() || message.replicate_all();
  config.table_families = ToTableFamilies(message.table_cfs());
  config.namespaces = {message.namespaces().begin(), message.namespaces().end()};
  config.exclude_table_families = ToTableFamilies(message.exclude_table_cfs());
  config.exclude_namespaces = {message.exclude_namespaces().begin(), message.exclude_namespaces().end()};
  config.bandwidth = message.bandwidth();
  config.serial = message.serial();
  return config;
}

void FillPeerConfig(const ReplicationPeerConfig& config, hbase::pb::ReplicationPeer* message) {
  if (!config.cluster_key.empty()) {
    message->set_clusterkey(config.cluster_key);
  }
  if (!config.endpoint_class.empty()) {
    message->set_replicationendpointimpl(config.endpoint_class);
  }
  for (const auto& [name, value] : config.configuration) {
    hbase::pb::NameStringPair* pair = message->add_configuration();
    pair->set_name(name);
    pair->set_value(value);
  }
  for (const auto& [first, second] : config.data) {
    hbase::pb::BytesBytesPair* pair = message->add_data();
    pair->set_first(first);
    pair->set_second(second);
  }
  message->set_replicate_all(config.replicate_all);
  FillTableFamilies(config.table_families, message->mutable_table_cfs());
  for (const std::string& one : config.namespaces) {
    message->add_namespaces(one);
  }
  FillTableFamilies(config.exclude_table_families, message->mutable_exclude_table_cfs());
  for (const std::string& one : config.exclude_namespaces) {
    message->add_exclude_namespaces(one);
  }
  message->set_bandwidth(config.bandwidth);
  message->set_serial(config.serial);
}

}  // namespace klip::rpc
