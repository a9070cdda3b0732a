#include "hbase/admin/remote_admin.h"

#include <algorithm>
#include <utility>

#include "base/coprocessor_spec.h"
#include "klip/bytes.h"
#include "proto/Master.pb.h"
#include "rpc/names.h"
#include "rpc/schema_messages.h"

namespace klip::client {
namespace {

constexpr const char* kFileTracker = "hbase.store.file-tracker.impl";
constexpr const char* kDefaultTracker = "DEFAULT";

// Drops what HBase adds to every descriptor and what is klip's default. KeepFileTracker handles the tracker.
void DropDefaults(TableDescriptor* table) {
  const auto drop = [](std::map<std::string, std::string>* attributes, const char* name, std::string_view value) {
    if (const auto found = attributes->find(name); found != attributes->end() && found->second == value) {
      attributes->erase(found);
    }
  };
  drop(&table->attributes, "IS_META", "false");
  drop(&table->attributes, kFileTracker, kDefaultTracker);
  for (FamilyDescriptor& family : table->families) {
    for (const char* encoding : rpc::kEncodings) {
      drop(&family.attributes, encoding, "NONE");
    }
  }
  std::ranges::sort(table->families, {}, &FamilyDescriptor::name);
}

// Rejects families that the master accepts but HBase's own client rejects.
Status CheckFamilies(std::span<const FamilyDescriptor> families) {
  for (const FamilyDescriptor& family : families) {
    if (family.max_versions <= 0) {
      return {Code::kInvalidArgument, "Maximum versions must be positive"};
    }
  }
  return Status::Ok();
}

}  // namespace

RemoteAdmin::RemoteAdmin(Cluster* cluster, ClientIndexes* indexes)
    : MasterCalls(cluster),
      cluster_admin_(cluster),
      server_admin_(cluster),
      quota_admin_(cluster),
      replication_admin_(cluster),
      rs_group_admin_(cluster),
      security_admin_(cluster),
      label_admin_(cluster),
      index_admin_(cluster, this, indexes) {}

Status RemoteAdmin::CreateNamespace(const NamespaceDescriptor& descriptor) {
  hbase::pb::CreateNamespaceRequest request;
  rpc::FillNamespace(descriptor, request.mutable_namespacedescriptor());
  hbase::pb::CreateNamespaceResponse response;
  return RunProcedure("CreateNamespace", std::move(request), &response);
}

Status RemoteAdmin::ModifyNamespace(const NamespaceDescriptor& descriptor) {
  hbase::pb::ModifyNamespaceRequest request;
  rpc::FillNamespace(descriptor, request.mutable_namespacedescriptor());
  hbase::pb::ModifyNamespaceResponse response;
  return RunProcedure("ModifyNamespace", std::move(request), &response);
}

Status RemoteAdmin::DeleteNamespace(std::string_view name) {
  hbase::pb::DeleteNamespaceRequest request;
  request.set_namespacename(std::string(name));
  hbase::pb::DeleteNamespaceResponse response;
  return RunProcedure("DeleteNamespace", std::move(request), &response);
}

Expected<NamespaceDescriptor> RemoteAdmin::GetNamespace(std::string_view name) {
  hbase::pb::GetNamespaceDescriptorRequest request;
  request.set_namespacename(std::string(name));
  hbase::pb::GetNamespaceDescriptorResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetNamespaceDescriptor", request, &response));
  return rpc::ToNamespace(response.namespacedescriptor());
}

Expected<std::vector<NamespaceDescriptor>> RemoteAdmin::ListNamespaces() {
  hbase::pb::ListNamespaceDescriptorsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("ListNamespaceDescriptors", hbase::pb::ListNamespaceDescriptorsRequest(), &response));
  std::vector<NamespaceDescriptor> namespaces;
  for (const hbase::pb::NamespaceDescriptor& message : response.namespacedescriptor()) {
    namespaces.push_back(rpc::ToNamespace(message));
  }
  std::ranges::sort(namespaces, {}, &NamespaceDescriptor::name);
  return namespaces;
}

Status RemoteAdmin::CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys) {
  KLIP_RETURN_IF_ERROR(CheckFamilies(descriptor.families));
  KLIP_RETURN_IF_ERROR(base::CheckCoprocessorSpecs(descriptor));
  hbase::pb::CreateTableRequest request;
  rpc::FillTableSchema(descriptor, request.mutable_table_schema());
  std::vector<std::string> keys(split_keys.begin(), split_keys.end());
  std::ranges::sort(keys);
  // The master accepts these, and then never ends the procedure.
  if (!keys.empty() && keys.front().empty()) {
    return {Code::kInvalidArgument, "Empty split key must not be passed in the split keys."};
  }
  if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) {
    const std::string key = ToStringBinary(*twice);
    return {Code::kInvalidArgument, "All split keys must be unique, found duplicate: " + key + ", " + key};
  }
  for (std::string& key : keys) {
    request.add_split_keys(std::move(key));
  }
  hbase::pb::CreateTableResponse response;
  return RunProcedure("CreateTable", std::move(request), &response);
}

Status RemoteAdmin::DeleteTable(std::string_view table) {
  hbase::pb::DeleteTableRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  const std::string name = rpc::TableNameOf(request.table_name());
  hbase::pb::DeleteTableResponse response;
  Status dropped = RunProcedure("DeleteTable", std::move(request), &response);
  cluster_->locations().ForgetTable(name);  // even if it may still exist
  return dropped.ok() ? index_admin_.DropAll(name) : dropped;
}

Status RemoteAdmin::TruncateTable(std::string_view table, bool preserve_splits) {
  hbase::pb::TruncateTableRequest request;
  rpc::FillTableName(table, request.mutable_tablename());
  request.set_preservesplits(preserve_splits);
  hbase::pb::TruncateTableResponse response;
  return RunProcedure("truncateTable", std::move(request), &response);
}

Status RemoteAdmin::EnableTable(std::string_view table) {
  hbase::pb::EnableTableRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  hbase::pb::EnableTableResponse response;
  return RunProcedure("EnableTable", std::move(request), &response);
}

Status RemoteAdmin::DisableTable(std::string_view table) {
  hbase::pb::DisableTableRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  hbase::pb::DisableTableResponse response;
  return RunProcedure("DisableTable", std::move(request), &response);
}

Expected<bool> RemoteAdmin::IsTableEnabled(std::string_view table) {
  const Deadline deadline = cluster_->OperationDeadline();
  auto state = hbase::pb::TableState::DISABLED;
  KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
    return cluster_->locations().State(std::string(table), cluster_->CallDeadline(deadline), &state);
  }));
  return state == hbase::pb::TableState::ENABLED;
}

Expected<bool> RemoteAdmin::TableExists(std::string_view table) {
  const Expected<bool> enabled = IsTableEnabled(table);
  if (enabled.status().code() == Code::kTableNotFound) {
    return false;
  }
  KLIP_RETURN_IF_ERROR(enabled.status());
  return true;
}

Expected<TableDescriptor> RemoteAdmin::GetDescriptor(std::string_view table) {
  hbase::pb::GetTableDescriptorsRequest request;
  rpc::FillTableName(table, request.add_table_names());
  hbase::pb::GetTableDescriptorsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetTableDescriptors", request, &response));
  if (response.table_schema_size() == 0) {
    return Status(Code::kTableNotFound, std::string(table));
  }
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, rpc::ToTableDescriptor(response.table_schema(0)));
  DropDefaults(&descriptor);
  return descriptor;
}

Expected<std::vector<TableDescriptor>> RemoteAdmin::ListTables(std::string_view name_space) {
  hbase::pb::GetTableDescriptorsRequest request;
  request.set_include_sys_tables(!name_space.empty());
  if (!name_space.empty()) {
    request.set_namespace_(std::string(name_space));
  }
  hbase::pb::GetTableDescriptorsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetTableDescriptors", request, &response));
  std::vector<TableDescriptor> tables;
  for (const hbase::pb::TableSchema& schema : response.table_schema()) {
    KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, rpc::ToTableDescriptor(schema));
    DropDefaults(&descriptor);
    tables.push_back(std::move(descriptor));
  }
  if (tables.empty() && !name_space.empty()) {
    KLIP_RETURN_IF_ERROR(GetNamespace(name_space).status());
  }
  std::ranges::sort(tables, {}, &TableDescriptor::name);
  return tables;
}

// If a descriptor has no tracker, the master uses the cluster's configured one, to which a table with the default cannot
// change in one step. So this restores what GetDescriptor omits. That is also right if the caller removed it, since the
// change would be rejected or have no effect.
Status RemoteAdmin::KeepFileTracker(const TableDescriptor& changed, hbase::pb::TableSchema* schema) {
  if (changed.attributes.contains(kFileTracker) || changed.configuration.contains(kFileTracker)) {
    return Status::Ok();
  }
  hbase::pb::GetTableDescriptorsRequest request;
  rpc::FillTableName(changed.name, request.add_table_names());
  hbase::pb::GetTableDescriptorsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetTableDescriptors", request, &response));
  // if there is none, the master rejects the change
  for (const hbase::pb::TableSchema& now : response.table_schema()) {
    for (const hbase::pb::BytesBytesPair& attribute : now.attributes()) {
      if (attribute.first() == kFileTracker && attribute.second() == kDefaultTracker) {
        *schema->add_attributes() = attribute;
      }
    }
  }
  return Status::Ok();
}

Status RemoteAdmin::ModifyTable(const TableDescriptor& descriptor) {
  KLIP_RETURN_IF_ERROR(CheckFamilies(descriptor.families));
  KLIP_RETURN_IF_ERROR(base::CheckCoprocessorSpecs(descriptor));
  hbase::pb::ModifyTableRequest request;
  rpc::FillTableName(descriptor.name, request.mutable_table_name());
  rpc::FillTableSchema(descriptor, request.mutable_table_schema());
  KLIP_RETURN_IF_ERROR(KeepFileTracker(descriptor, request.mutable_table_schema()));
  hbase::pb::ModifyTableResponse response;
  return RunProcedure("ModifyTable", std::move(request), &response);
}

Status RemoteAdmin::AddFamily(std::string_view table, const FamilyDescriptor& family) {
  KLIP_RETURN_IF_ERROR(CheckFamilies({&family, 1}));
  hbase::pb::AddColumnRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  rpc::FillFamily(family, request.mutable_column_families());
  hbase::pb::AddColumnResponse response;
  return RunProcedure("AddColumn", std::move(request), &response);
}

Status RemoteAdmin::ModifyFamily(std::string_view table, const FamilyDescriptor& family) {
  KLIP_RETURN_IF_ERROR(CheckFamilies({&family, 1}));
  hbase::pb::ModifyColumnRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  rpc::FillFamily(family, request.mutable_column_families());
  hbase::pb::ModifyColumnResponse response;
  return RunProcedure("ModifyColumn", std::move(request), &response);
}

Status RemoteAdmin::DeleteFamily(std::string_view table, std::string_view family) {
  hbase::pb::DeleteColumnRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  request.set_column_name(std::string(family));
  hbase::pb::DeleteColumnResponse response;
  return RunProcedure("DeleteColumn", std::move(request), &response);
}

Status RemoteAdmin::ModifyStoreFileTracker(std::string_view table, std::string_view family, std::string_view tracker) {
  if (family.empty()) {
    hbase::pb::ModifyTableStoreFileTrackerRequest request;
    rpc::FillTableName(table, request.mutable_table_name());
    request.set_dst_sft(std::string(tracker));
    hbase::pb::ModifyTableStoreFileTrackerResponse response;
    return RunProcedure("ModifyTableStoreFileTracker", std::move(request), &response);
  }
  hbase::pb::ModifyColumnStoreFileTrackerRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  request.set_family(std::string(family));
  request.set_dst_sft(std::string(tracker));
  hbase::pb::ModifyColumnStoreFileTrackerResponse response;
  return RunProcedure("ModifyColumnStoreFileTracker", std::move(request), &response);
}

}  // namespace klip::client
