#include "replication/scope.h"

#include <string>

#include "base/names.h"

namespace klip::replication {
namespace {

bool Has(const TableFamilies& tables, const std::string& table, const std::string& family) {
  const auto found = tables.find(table);
  return found != tables.end() && (found->second.empty() || found->second.contains(family));
}

}  // namespace

bool Wants(const ReplicationPeerConfig& peer, std::string_view table, std::string_view family) {
  const std::string name_space(NamespaceOf(table));
  const std::string table_name(table);
  const std::string family_name(family);
  if (peer.replicate_all) {
    return !peer.exclude_namespaces.contains(name_space) && !Has(peer.exclude_table_families, table_name, family_name);
  }
  return peer.namespaces.contains(name_space) || Has(peer.table_families, table_name, family_name);
}

}  // namespace klip::replication
