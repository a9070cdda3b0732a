// Thrift2Handler: tables, namespaces, and information about the server.
#include <algorithm>

#include "klip/comparator.h"
#include "thrift/permissions.h"
#include "thrift/thrift2_convert.h"
#include "thrift/thrift2_handler.h"

namespace klip::thrift {
namespace {

Expected<bool> IsAvailable(Admin* admin, const std::string& table) {
  KLIP_ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(table));
  if (!enabled) {
    return false;
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, admin->GetRegions(table));
  return std::all_of(regions.begin(), regions.end(),
                     [](const RegionInfo& region) { return !region.server.host.empty(); });
}

}  // namespace

void Thrift2Handler::getRegionLocation(thrift2::THRegionLocation& location, Text table, Text row, bool) {
  for (const RegionInfo& region : Check2(connection_->admin().GetRegions(table))) {
    if (row >= region.start_key && (region.end_key.empty() || row < region.end_key)) {
      location = LocationOf(region);
      return;
    }
  }
  Check2(Status(Code::kNotServingRegion, "no region of '" + table + "' contains this row"));
}

void Thrift2Handler::getAllRegionLocations(std::vector<thrift2::THRegionLocation>& locations, Text table) {
  for (const RegionInfo& region : Check2(connection_->admin().GetRegions(table))) {
    locations.push_back(LocationOf(region));
  }
}

void Thrift2Handler::getTableDescriptor(thrift2::TTableDescriptor& descriptor, TableName table) {
  descriptor = TableOf(Check2(connection_->admin().GetDescriptor(NameFrom(table))));
}

// Of the tables that exist.
void Thrift2Handler::getTableDescriptors(std::vector<thrift2::TTableDescriptor>& descriptors,
                                         const std::vector<thrift2::TTableName>& tables) {
  for (const thrift2::TTableName& table : tables) {
    Expected<TableDescriptor> found = connection_->admin().GetDescriptor(NameFrom(table));
    if (found.status().code() != Code::kTableNotFound) {
      descriptors.push_back(TableOf(Check2(std::move(found))));
    }
  }
}

bool Thrift2Handler::tableExists(TableName table) { return Check2(connection_->admin().TableExists(NameFrom(table))); }

void Thrift2Handler::getTableDescriptorsByPattern(std::vector<thrift2::TTableDescriptor>& descriptors, Text regex,
                                                  bool) {
  for (const TableDescriptor& table : TablesLike(regex)) {
    descriptors.push_back(TableOf(table));
  }
}

void Thrift2Handler::getTableDescriptorsByNamespace(std::vector<thrift2::TTableDescriptor>& descriptors, Text name) {
  for (const TableDescriptor& table : Check2(connection_->admin().ListTables(name))) {
    descriptors.push_back(TableOf(table));
  }
}

void Thrift2Handler::getTableNamesByPattern(std::vector<thrift2::TTableName>& names, Text regex, bool) {
  for (const TableDescriptor& table : TablesLike(regex)) {
    names.push_back(TableNameOf(table.name));
  }
}

void Thrift2Handler::getTableNamesByNamespace(std::vector<thrift2::TTableName>& names, Text name) {
  for (const TableDescriptor& table : Check2(connection_->admin().ListTables(name))) {
    names.push_back(TableNameOf(table.name));
  }
}

void Thrift2Handler::createTable(const thrift2::TTableDescriptor& table, const std::vector<std::string>& split_keys) {
  Check2(connection_->admin().CreateTable(TableFrom(table), split_keys));
}

void Thrift2Handler::deleteTable(TableName table) { Check2(connection_->admin().DeleteTable(NameFrom(table))); }

void Thrift2Handler::truncateTable(TableName table, bool preserve_splits) {
  Check2(connection_->admin().TruncateTable(NameFrom(table), preserve_splits));
}

void Thrift2Handler::enableTable(TableName table) { Check2(connection_->admin().EnableTable(NameFrom(table))); }

void Thrift2Handler::disableTable(TableName table) { Check2(connection_->admin().DisableTable(NameFrom(table))); }

bool Thrift2Handler::isTableEnabled(TableName table) {
  return Check2(connection_->admin().IsTableEnabled(NameFrom(table)));
}

bool Thrift2Handler::isTableDisabled(TableName table) {
  return !Check2(connection_->admin().IsTableEnabled(NameFrom(table)));
}

// Unlike the two above, returns an answer for a missing table, as in HBase.
bool Thrift2Handler::isTableAvailable(TableName table) {
  Expected<bool> available = IsAvailable(&connection_->admin(), NameFrom(table));
  return available.status().code() != Code::kTableNotFound && Check2(std::move(available));
}

void Thrift2Handler::addColumnFamily(TableName table, const thrift2::TColumnFamilyDescriptor& family) {
  Check2(connection_->admin().AddFamily(NameFrom(table), FamilyFrom(family)));
}

void Thrift2Handler::deleteColumnFamily(TableName table, Text family) {
  Check2(connection_->admin().DeleteFamily(NameFrom(table), family));
}

void Thrift2Handler::modifyColumnFamily(TableName table, const thrift2::TColumnFamilyDescriptor& family) {
  Check2(connection_->admin().ModifyFamily(NameFrom(table), FamilyFrom(family)));
}

void Thrift2Handler::modifyTable(const thrift2::TTableDescriptor& table) {
  Check2(connection_->admin().ModifyTable(TableFrom(table)));
}

void Thrift2Handler::createNamespace(const thrift2::TNamespaceDescriptor& descriptor) {
  Check2(connection_->admin().CreateNamespace({descriptor.name, descriptor.configuration}));
}

void Thrift2Handler::modifyNamespace(const thrift2::TNamespaceDescriptor& descriptor) {
  Check2(connection_->admin().ModifyNamespace({descriptor.name, descriptor.configuration}));
}

void Thrift2Handler::deleteNamespace(Text name) { Check2(connection_->admin().DeleteNamespace(name)); }

void Thrift2Handler::getNamespaceDescriptor(thrift2::TNamespaceDescriptor& descriptor, Text name) {
  descriptor = NamespaceOf(Check2(connection_->admin().GetNamespace(name)));
}

void Thrift2Handler::listNamespaceDescriptors(std::vector<thrift2::TNamespaceDescriptor>& descriptors) {
  for (const NamespaceDescriptor& descriptor : Check2(connection_->admin().ListNamespaces())) {
    descriptors.push_back(NamespaceOf(descriptor));
  }
}

void Thrift2Handler::listNamespaces(std::vector<std::string>& names) {
  for (NamespaceDescriptor& descriptor : Check2(connection_->admin().ListNamespaces())) {
    names.push_back(std::move(descriptor.name));
  }
}

thrift2::TThriftServerType::type Thrift2Handler::getThriftServerType() { return thrift2::TThriftServerType::TWO; }

void Thrift2Handler::getClusterId(std::string& id) {
  id = Check2(connection_->admin().cluster().GetClusterMetrics()).cluster_id;
}

void Thrift2Handler::getSlowLogResponses(std::vector<thrift2::TOnlineLogRecord>& records,
                                         const std::set<thrift2::TServerName>& servers,
                                         const thrift2::TLogQueryFilter& filter) {
  if (servers.empty()) {  // makes no call
    return;
  }
  const SlowCallQuery query = Check2(SlowCallQueryFrom(servers, filter));
  for (const SlowCall& call : Check2(connection_->admin().servers().GetSlowCalls(query))) {
    records.push_back(LogRecordOf(call));
  }
}

void Thrift2Handler::clearSlowLogResponses(std::vector<bool>& cleared, const std::set<thrift2::TServerName>& servers) {
  if (servers.empty()) {
    return;
  }
  const std::vector<ServerName> names = Check2(ServersFrom(servers));
  for (const auto& [server, done] : Check2(connection_->admin().servers().ClearSlowCalls(names))) {
    cleared.push_back(done);
  }
}

bool Thrift2Handler::grant(const thrift2::TAccessControlEntity& entity) {
  const UserPermission permission = Check2(PermissionFrom(entity, thrift2::TPermissionScope::NAMESPACE));
  Check2(Check2(connection_->admin().security())->Grant(permission));
  return true;
}

bool Thrift2Handler::revoke(const thrift2::TAccessControlEntity& entity) {
  const UserPermission permission = Check2(PermissionFrom(entity, thrift2::TPermissionScope::NAMESPACE));
  Check2(Check2(connection_->admin().security())->Revoke(permission));
  return true;
}

thrift2::THRegionLocation Thrift2Handler::LocationOf(const RegionInfo& region) const {
  thrift2::THRegionLocation location;
  const bool here =
      region.server.port == 0 && !region.server.host.empty();  // for an embedded store, this gateway serves it
  location.serverName.hostName = here ? address_.host : region.server.host;
  location.serverName.__set_port(here ? address_.port : region.server.port);
  location.serverName.__set_startCode(region.server.start_code);
  location.regionInfo.regionId = region.region_id;
  location.regionInfo.tableName = region.table;
  location.regionInfo.__set_startKey(region.start_key);
  location.regionInfo.__set_endKey(region.end_key);
  location.regionInfo.__set_offline(false);
  location.regionInfo.__set_split(false);
  location.regionInfo.__set_replicaId(0);
  return location;
}

// The tables whose whole name matches the regular expression; without one, all.
std::vector<TableDescriptor> Thrift2Handler::TablesLike(Text regex) const {
  std::vector<TableDescriptor> tables = Check2(connection_->admin().ListTables());
  if (!regex.empty()) {
    ComparatorPtr whole = Check2(RegexStringComparator({.pattern = "^(?:" + regex + ")$"}));
    std::erase_if(tables, [&](const TableDescriptor& table) { return whole->CompareTo(table.name) != 0; });
  }
  return tables;
}

}  // namespace klip::thrift
