// MasterService: creating, changing, dropping and listing tables.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "klip/comparator.h"
#include "proto/Master.pb.h"
#include "rowkey/index_definition.h"
#include "rpc/schema_messages.h"
#include "server/master/master_service.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

constexpr const char* kFileTracker = "hbase.store.file-tracker.impl";

// hbase:meta exists and cannot be changed.
rpc::Error CheckNotMeta(std::string_view table) {
  return table == kMetaTable
             ? rpc::Error::Hbase("constraint.ConstraintException", "Cannot change catalog table hbase:meta", true)
             : rpc::Error();
}

rpc::Error CreateTable(Node* node, const CreateTableRequest& request, CreateTableResponse* response) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    Expected<klip::TableDescriptor> descriptor = rpc::ToTableDescriptor(request.table_schema());
    if (!descriptor.ok()) {
      return descriptor.status();
    }
    if (descriptor->name == kMetaTable) {
      return Status(Code::kTableExists, descriptor->name);
    }
    if (rowkey::IsIndexTable(descriptor->name)) {
      return Status(Code::kDoNotRetry,
                    "klip serve keeps indexes itself, for all clients: create this one on its store, with "
                    "klip index create STORE");
    }
    // HBase stores the file tracker of a table, and clients compare descriptors.
    descriptor->attributes.try_emplace(kFileTracker, "DEFAULT");
    const std::vector<std::string> splits(request.split_keys().begin(), request.split_keys().end());
    return node->admin().CreateTable(*descriptor, splits);
  });
}

std::string AttributeOr(const klip::TableDescriptor& table, const std::string& name) {
  const auto at = table.attributes.find(name);
  return at == table.attributes.end() ? "" : at->second;
}

std::vector<std::string> Coprocessors(const klip::TableDescriptor& table) {
  std::vector<std::string> specifications;
  for (const auto& [name, value] : table.attributes) {
    if (name.starts_with("coprocessor$")) {
      specifications.push_back(value);
    }
  }
  return specifications;
}

// Changes for which HBase must reopen regions. klip's regions need no reopening, but a script gets the same errors.
rpc::Error CheckWithoutReopening(const klip::TableDescriptor& before, const klip::TableDescriptor& after) {
  const auto refuse = [](std::string text) {
    return rpc::Error::Hbase("HBaseIOException", std::move(text), /*do_not_retry=*/false);
  };
  if (before.families.size() != after.families.size()) {
    return refuse("Cannot add or remove column families when this modification won't reopen regions.");
  }
  if (Coprocessors(before) != Coprocessors(after)) {
    return refuse("Can not modify Coprocessor when table modification won't reopen regions");
  }
  for (const std::string name : {"REGION_REPLICATION", "REGION_MEMSTORE_REPLICATION", "hbase.rsgroup.name"}) {
    if (AttributeOr(before, name) != AttributeOr(after, name)) {
      return refuse("Can not modify " + name + " of a table when modification won't reopen regions");
    }
  }
  return {};
}

rpc::Error ModifyTable(Node* node, const ModifyTableRequest& request, ModifyTableResponse* response) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    Expected<klip::TableDescriptor> descriptor = rpc::ToTableDescriptor(request.table_schema());
    if (!descriptor.ok()) {
      return descriptor.status();
    }
    KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(descriptor->name));
    if (!request.reopen_regions()) {
      const Expected<klip::TableDescriptor> before = node->admin().GetDescriptor(descriptor->name);
      if (!before.ok()) {
        return before.status();
      }
      KLIP_RPC_RETURN_IF_ERROR(CheckWithoutReopening(*before, *descriptor));
    }
    return node->admin().ModifyTable(*descriptor);
  });
}

template <typename Request, typename Response>
rpc::Error ChangeFamily(Node* node, const Request& request, Response* response,
                        Status (Admin::*change)(std::string_view, const FamilyDescriptor&)) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    Expected<FamilyDescriptor> family = rpc::ToFamilyDescriptor(request.column_families());
    if (!family.ok()) {
      return family.status();
    }
    const std::string table = TableNameOf(request.table_name());
    KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(table));
    return (node->admin().*change)(table, *family);
  });
}

template <typename Request, typename Response>
rpc::Error ChangeTable(Node* node, const Request& request, Response* response,
                       Status (Admin::*change)(std::string_view)) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    const std::string table = TableNameOf(request.table_name());
    KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(table));
    return (node->admin().*change)(table);
  });
}

// The tables that a listing requests.
class Listing {
 public:
  Listing(std::string_view name_space, const std::string& pattern) : name_space_(name_space) {
    if (!pattern.empty() && pattern != ".*") {
      pattern_ = RegexStringComparator({.pattern = "^(?:" + pattern + ")$"});
    }
  }

  // An error if the pattern is invalid.
  Status status() const { return pattern_.status(); }

  bool Wants(const std::string& table) const {
    return (name_space_.empty() || name_space_ == NamespaceOf(table)) &&
           (*pattern_ == nullptr || (*pattern_)->CompareTo(table) == 0);
  }

 private:
  std::string_view name_space_;
  Expected<ComparatorPtr> pattern_ = ComparatorPtr();
};

std::vector<klip::TableDescriptor> AllTables(Node* node, bool with_system) {
  std::vector<klip::TableDescriptor> tables;
  const auto add = [&](std::string_view name_space) {
    Expected<std::vector<klip::TableDescriptor>> listed = node->admin().ListTables(name_space);
    if (listed.ok()) {
      std::ranges::move(*listed, std::back_inserter(tables));
    }
  };
  if (with_system) {
    tables.push_back(rpc::MetaDescriptor());
    add(NamespaceOf(kMetaTable));
  }
  add({});
  return tables;
}

rpc::Error GetTableDescriptors(Node* node, const GetTableDescriptorsRequest& request,
                               GetTableDescriptorsResponse* response) {
  if (request.table_names_size() > 0) {
    for (const hbase::pb::TableName& name : request.table_names()) {
      const std::string table = TableNameOf(name);
      if (table == kMetaTable) {
        rpc::FillTableSchema(rpc::MetaDescriptor(), response->add_table_schema());
      } else if (const Expected<klip::TableDescriptor> found = node->admin().GetDescriptor(table); found.ok()) {
        rpc::FillTableSchema(*found, response->add_table_schema());
      }
    }
    return {};
  }
  const Listing listing(request.namespace_(), request.regex());
  KLIP_RPC_RETURN_IF_ERROR(listing.status());
  for (const klip::TableDescriptor& table : AllTables(node, request.include_sys_tables())) {
    if (listing.Wants(table.name)) {
      rpc::FillTableSchema(table, response->add_table_schema());
    }
  }
  return {};
}

rpc::Error GetTableNames(Node* node, const GetTableNamesRequest& request, GetTableNamesResponse* response) {
  const Listing listing(request.namespace_(), request.regex());
  KLIP_RPC_RETURN_IF_ERROR(listing.status());
  for (const klip::TableDescriptor& table : AllTables(node, request.include_sys_tables())) {
    if (listing.Wants(table.name)) {
      FillTableName(table.name, response->add_table_names());
    }
  }
  return {};
}

template <typename Visit>
void ForEachTableByState(Node* node, bool enabled, Visit visit) {
  for (const klip::TableDescriptor& table : AllTables(node, /*with_system=*/false)) {
    if (const Expected<bool> state = node->admin().IsTableEnabled(table.name); state.ok() && *state == enabled) {
      visit(table);
    }
  }
}

rpc::Error GetTableState(Node* node, const GetTableStateRequest& request, GetTableStateResponse* response) {
  const Expected<bool> enabled = node->admin().IsTableEnabled(TableNameOf(request.table_name()));
  if (!enabled.ok()) {
    return enabled.status();
  }
  response->mutable_table_state()->set_state(*enabled ? TableState::ENABLED : TableState::DISABLED);
  return {};
}

rpc::Error GetSchemaAlterStatus(Node* node, const GetSchemaAlterStatusRequest& request,
                                GetSchemaAlterStatusResponse* response) {
  const Expected<TableRegionsPtr> regions = node->regions.Of(TableNameOf(request.table_name()));
  if (!regions.ok()) {
    return regions.status();
  }
  response->set_yet_to_update_regions(0);
  response->set_total_regions(static_cast<uint32_t>((*regions)->regions.size()));
  return {};
}

template <typename Request, typename Response>
rpc::Error SetFileTracker(Node* node, const Request& request, Response* response,
                          std::optional<std::string_view> family) {
  return RunProcedure(node, request, response, [&]() -> rpc::Error {
    const std::string name = TableNameOf(request.table_name());
    KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(name));
    if (family.has_value() && family->empty()) {
      return Status(Code::kNoSuchColumnFamily, "Column family  does not exist in " + name);
    }
    return node->admin().ModifyStoreFileTracker(name, family.value_or(""), request.dst_sft());
  });
}

// 0 also if the compaction was of an earlier table of the same name.
int64_t LastMajorMs(Node* node, const std::string& table) {
  const Expected<TableRegionsPtr> regions = node->regions.Of(table);
  if (!regions.ok()) {
    return 0;
  }
  int64_t made_ms = (*regions)->regions.front().region_id;
  for (const ServedRegion& region : (*regions)->regions) {
    made_ms = std::min(made_ms, region.region_id);
  }
  const int64_t last_ms = node->compactor.LastMajorMs(table);
  return last_ms < made_ms ? 0 : last_ms;
}

}  // namespace

void AddTableMethods(Node* node, MethodTable* methods) {
  methods->Add<CreateTableRequest, CreateTableResponse>(
      "CreateTable",
      [node](const auto& request, auto* response, Call*) { return CreateTable(node, request, response); });
  methods->Add<ModifyTableRequest, ModifyTableResponse>(
      "ModifyTable",
      [node](const auto& request, auto* response, Call*) { return ModifyTable(node, request, response); });
  methods->Add<AddColumnRequest, AddColumnResponse>("AddColumn", [node](const auto& request, auto* response, Call*) {
    return ChangeFamily(node, request, response, &Admin::AddFamily);
  });
  methods->Add<ModifyColumnRequest, ModifyColumnResponse>(
      "ModifyColumn", [node](const auto& request, auto* response, Call*) {
        return ChangeFamily(node, request, response, &Admin::ModifyFamily);
      });
  methods->Add<DeleteColumnRequest, DeleteColumnResponse>(
      "DeleteColumn", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(node, request, response, [&]() -> rpc::Error {
          const std::string table = TableNameOf(request.table_name());
          KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(table));
          return node->admin().DeleteFamily(table, request.column_name());
        });
      });
  methods->Add<DeleteTableRequest, DeleteTableResponse>(
      "DeleteTable", [node](const auto& request, auto* response, Call*) {
        return ChangeTable(node, request, response, &Admin::DeleteTable);
      });
  methods->Add<EnableTableRequest, EnableTableResponse>(
      "EnableTable", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(
            node, request, response,
            [&]() -> rpc::Error {
              const std::string table = TableNameOf(request.table_name());
              const Expected<bool> enabled = node->admin().IsTableEnabled(table);
              if (enabled.ok() && *enabled) {
                return Status(Code::kTableNotDisabled, table);
              }
              return node->admin().EnableTable(table);
            },
            /*error_when_polled=*/true);
      });
  methods->Add<DisableTableRequest, DisableTableResponse>(
      "DisableTable", [node](const auto& request, auto* response, Call*) {
        return ChangeTable(node, request, response, &Admin::DisableTable);
      });
  methods->Add<TruncateTableRequest, TruncateTableResponse>(
      "truncateTable", [node](const auto& request, auto* response, Call*) {
        return RunProcedure(node, request, response, [&]() -> rpc::Error {
          const std::string table = TableNameOf(request.tablename());
          KLIP_RPC_RETURN_IF_ERROR(CheckNotMeta(table));
          return node->admin().TruncateTable(table, request.preservesplits());
        });
      });
  methods->Add<ModifyTableStoreFileTrackerRequest, ModifyTableStoreFileTrackerResponse>(
      "ModifyTableStoreFileTracker", [node](const auto& request, auto* response, Call*) {
        return SetFileTracker(node, request, response, std::nullopt);
      });
  methods->Add<ModifyColumnStoreFileTrackerRequest, ModifyColumnStoreFileTrackerResponse>(
      "ModifyColumnStoreFileTracker", [node](const auto& request, auto* response, Call*) {
        return SetFileTracker(node, request, response, request.family());
      });
  methods->Add<GetTableDescriptorsRequest, GetTableDescriptorsResponse>(
      "GetTableDescriptors",
      [node](const auto& request, auto* response, Call*) { return GetTableDescriptors(node, request, response); });
  methods->Add<GetTableNamesRequest, GetTableNamesResponse>(
      "GetTableNames",
      [node](const auto& request, auto* response, Call*) { return GetTableNames(node, request, response); });
  methods->Add<ListTableDescriptorsByStateRequest, ListTableDescriptorsByStateResponse>(
      "ListTableDescriptorsByState",
      [node](const auto& request, ListTableDescriptorsByStateResponse* response, Call*) -> rpc::Error {
        ForEachTableByState(node, request.is_enabled(),
                            [&](const auto& table) { rpc::FillTableSchema(table, response->add_table_schema()); });
        return {};
      });
  methods->Add<ListTableNamesByStateRequest, ListTableNamesByStateResponse>(
      "ListTableNamesByState",
      [node](const auto& request, ListTableNamesByStateResponse* response, Call*) -> rpc::Error {
        ForEachTableByState(node, request.is_enabled(),
                            [&](const auto& table) { FillTableName(table.name, response->add_table_names()); });
        return {};
      });
  methods->Add<MajorCompactionTimestampRequest, MajorCompactionTimestampResponse>(
      "getLastMajorCompactionTimestamp",
      [node](const auto& request, MajorCompactionTimestampResponse* response, Call*) -> rpc::Error {
        response->set_compaction_timestamp(LastMajorMs(node, TableNameOf(request.table_name())));
        return {};
      });
  methods->Add<MajorCompactionTimestampForRegionRequest, MajorCompactionTimestampResponse>(
      "getLastMajorCompactionTimestampForRegion",
      [node](const auto& request, MajorCompactionTimestampResponse* response, Call*) -> rpc::Error {
        RegionRef region;
        KLIP_RPC_RETURN_IF_ERROR(node->regions.FindAny(request.region(), &region));
        response->set_compaction_timestamp(LastMajorMs(node, region.region->table));
        return {};
      });
  methods->Add<GetTableStateRequest, GetTableStateResponse>(
      "GetTableState",
      [node](const auto& request, auto* response, Call*) { return GetTableState(node, request, response); });
  methods->Add<GetSchemaAlterStatusRequest, GetSchemaAlterStatusResponse>(
      "GetSchemaAlterStatus",
      [node](const auto& request, auto* response, Call*) { return GetSchemaAlterStatus(node, request, response); });
}

}  // namespace klip::server
