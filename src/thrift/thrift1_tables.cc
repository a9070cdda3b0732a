// Thrift1Handler: tables, regions, and information about the server.
#include <algorithm>

#include "klip/bytes.h"
#include "thrift/permissions.h"
#include "thrift/thrift1_convert.h"
#include "thrift/thrift1_handler.h"

namespace klip::thrift {
namespace {

constexpr int8_t kRegionVersion = 1;  // sent by HBase since regions have no versions

// Clients may name a region, "table,start,id.encoded.", instead of a table. Files are those of the whole table.
std::string TableOf(const std::string& table_or_region) { return table_or_region.substr(0, table_or_region.find(',')); }

}  // namespace

void Thrift1Handler::enableTable(Text table) { Check(connection_->admin().EnableTable(table)); }

void Thrift1Handler::disableTable(Text table) { Check(connection_->admin().DisableTable(table)); }

bool Thrift1Handler::isTableEnabled(Text table) { return Check(connection_->admin().IsTableEnabled(table)); }

void Thrift1Handler::compact(Text table_or_region) { Check(connection_->admin().Compact(TableOf(table_or_region))); }

// As in HBase's gateway, majorCompact requests a minor compaction.
void Thrift1Handler::majorCompact(Text table_or_region) {
  Check(connection_->admin().Compact(TableOf(table_or_region)));
}

void Thrift1Handler::getTableNames(std::vector<std::string>& names) {
  for (TableDescriptor& table : Check(connection_->admin().ListTables())) {
    names.push_back(std::move(table.name));
  }
}

void Thrift1Handler::getTableNamesWithIsTableEnabled(std::map<std::string, bool>& tables) {
  for (TableDescriptor& table : Check(connection_->admin().ListTables())) {
    bool enabled = Check(connection_->admin().IsTableEnabled(table.name));
    tables.emplace(std::move(table.name), enabled);
  }
}

void Thrift1Handler::getColumnDescriptors(std::map<std::string, thrift1::ColumnDescriptor>& columns, Text table) {
  for (const FamilyDescriptor& family : Check(connection_->admin().GetDescriptor(table)).families) {
    columns.emplace(family.name + ":", ColumnDescriptorOf(family));
  }
}

void Thrift1Handler::getTableRegions(std::vector<thrift1::TRegionInfo>& regions, Text table) {
  Expected<std::vector<RegionInfo>> found = connection_->admin().GetRegions(table);
  if (found.status().code() == Code::kTableNotFound) {
    return;  // an empty list is HBase's answer
  }
  for (const RegionInfo& region : Check(std::move(found))) {
    regions.push_back(RegionOf(region));
  }
}

void Thrift1Handler::createTable(Text table, const std::vector<thrift1::ColumnDescriptor>& families) {
  if (CheckArguments(connection_->admin().TableExists(table))) {
    thrift1::AlreadyExists exists;
    exists.__set_message("table name already in use");
    throw exists;
  }
  TableDescriptor descriptor{.name = table};
  for (const thrift1::ColumnDescriptor& family : families) {
    descriptor.families.push_back(CheckArguments(FamilyFrom(family)));
  }
  CheckArguments(connection_->admin().CreateTable(descriptor));
}

void Thrift1Handler::deleteTable(Text table) {
  if (!Check(connection_->admin().TableExists(table))) {
    Check(Status(Code::kIoError, "table does not exist"));
  }
  Check(connection_->admin().DeleteTable(table));
}

// `meta_row` is a key of hbase:meta, "table,row,id": the region is the last one whose name is not above it.
void Thrift1Handler::getRegionInfo(thrift1::TRegionInfo& region, Text meta_row) {
  size_t first = meta_row.find(',');
  size_t last = meta_row.rfind(',');
  Expected<std::vector<RegionInfo>> regions = Status(Code::kTableNotFound, "");
  if (first != std::string::npos) {
    regions = connection_->admin().GetRegions(meta_row.substr(0, first));
  }
  if (regions.status().code() == Code::kTableNotFound) {
    Check(Status(Code::kIoError, "Cannot find row in hbase:meta, row=" + ToStringBinary(meta_row)));
  }
  std::string row = last == first ? meta_row.substr(first + 1) : meta_row.substr(first + 1, last - first - 1);
  const std::vector<RegionInfo> all = Check(std::move(regions));
  for (const RegionInfo& candidate : all) {
    bool inside = row >= candidate.start_key && (candidate.end_key.empty() || row < candidate.end_key);
    if (inside) {
      region = RegionOf(candidate);
      return;
    }
  }
  Check(Status(Code::kIoError, "Cannot find row in hbase:meta, row=" + ToStringBinary(meta_row)));
}

thrift1::TThriftServerType::type Thrift1Handler::getThriftServerType() { return thrift1::TThriftServerType::ONE; }

void Thrift1Handler::getClusterId(std::string& id) {
  id = Check(connection_->admin().cluster().GetClusterMetrics()).cluster_id;
}

bool Thrift1Handler::grant(const thrift1::TAccessControlEntity& entity) {
  const UserPermission permission = Check(PermissionFrom(entity, thrift1::TPermissionScope::NAMESPACE));
  Check(Check(connection_->admin().security())->Grant(permission));
  return true;
}

bool Thrift1Handler::revoke(const thrift1::TAccessControlEntity& entity) {
  const UserPermission permission = Check(PermissionFrom(entity, thrift1::TPermissionScope::NAMESPACE));
  Check(Check(connection_->admin().security())->Revoke(permission));
  return true;
}

std::unique_ptr<Table> Thrift1Handler::OpenTable(Text name) const { return Check(connection_->GetTable(name)); }

thrift1::TRegionInfo Thrift1Handler::RegionOf(const RegionInfo& region) const {
  thrift1::TRegionInfo out;
  out.__set_startKey(region.start_key);
  out.__set_endKey(region.end_key);
  out.__set_id(region.region_id);
  out.__set_name(region.Name());
  out.__set_version(kRegionVersion);
  const bool here =
      region.server.port == 0 && !region.server.host.empty();  // for an embedded store, this gateway serves it
  out.__set_serverName(here ? address_.host : region.server.host);
  out.__set_port(here ? address_.port : region.server.port);
  return out;
}

}  // namespace klip::thrift
