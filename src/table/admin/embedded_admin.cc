#include "table/admin/embedded_admin.h"

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "engine/store/regions.h"
#include "engine/store/snapshots.h"
#include "engine/store/storage.h"
#include "engine/store/table_catalog.h"
#include "engine/store/views.h"
#include "table/admin/file_trackers.h"

namespace klip::table {
namespace {

auto FindFamily(TableDescriptor* descriptor, std::string_view name) {
  return std::find_if(descriptor->families.begin(), descriptor->families.end(),
                      [&](const FamilyDescriptor& family) { return family.name == name; });
}

Status NoFamilyTo(std::string_view family, std::string_view what) {
  return {Code::kInvalidFamilyOperation,
          "Family '" + std::string(family) + "' does not exist, so it cannot be " + std::string(what)};
}

}  // namespace

EmbeddedAdmin::EmbeddedAdmin(Shared* shared)
    : shared_(shared),
      served_(shared->store.get()),
      store_(shared->store.get()),
      hooks_(shared->settings.admin_hooks),
      index_admin_(shared) {}

Expected<engine::TablePtr> EmbeddedAdmin::ViewOf(std::string_view table) const {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared_->FindSlot(table));
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
  return info->view;
}

Status EmbeddedAdmin::Run(AdminOperation operation, const std::function<Status()>& body) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(operation.table));
  return hooks_ == nullptr ? body() : hooks_->Around(operation, body);
}

// Hooks see the whole descriptor before the change, and may edit it.
Status EmbeddedAdmin::Modify(std::string_view table, const engine::TableCatalog::TableEdit& edit) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  if (hooks_ == nullptr) {
    return store_->catalog().ModifyTable(table, edit);
  }
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store_->views().GetTable(table));
  TableDescriptor after = view->descriptor;
  KLIP_RETURN_IF_ERROR(edit(*view, &after));
  return Run({.kind = AdminKind::kModifyTable,
              .table = view->descriptor.name,
              .before = &view->descriptor,
              .descriptor = &after},
             [&] {
               return store_->catalog().ModifyTable(table, [&](const engine::TableView& now, TableDescriptor* whole) {
                 *whole = after;
                 return CheckChangeOfTrackers(now.descriptor, after, now.enabled);
               });
             });
}

// HBase's error text when hbase.coprocessor.master.classes has no RSGroupAdminEndpoint.
Expected<RSGroupAdmin*> EmbeddedAdmin::rs_groups() {
  return Status(Code::kUnsupported,
                "No registered Master Coprocessor Endpoint found for RSGroupAdminService. Has it been enabled?");
}
// The texts of HBase's shell.
Expected<SecurityAdmin*> EmbeddedAdmin::security() {
  return Status(Code::kUnsupported, "DISABLED: Security features are not available");
}
Expected<LabelAdmin*> EmbeddedAdmin::labels() {
  return Status(Code::kUnsupported, "DISABLED: Visibility labels feature is not available");
}

Status EmbeddedAdmin::CreateNamespace(const NamespaceDescriptor& descriptor) {
  return Run({.kind = AdminKind::kCreateNamespace, .name = descriptor.name, .name_space = &descriptor},
             [&] { return store_->catalog().CreateNamespace(descriptor); });
}
Status EmbeddedAdmin::ModifyNamespace(const NamespaceDescriptor& descriptor) {
  return Run({.kind = AdminKind::kModifyNamespace, .name = descriptor.name, .name_space = &descriptor},
             [&] { return store_->catalog().ModifyNamespace(descriptor); });
}
Status EmbeddedAdmin::DeleteNamespace(std::string_view name) {
  return Run({.kind = AdminKind::kDeleteNamespace, .name = name},
             [&] { return store_->catalog().DeleteNamespace(name); });
}
Expected<NamespaceDescriptor> EmbeddedAdmin::GetNamespace(std::string_view name) {
  NamespaceDescriptor found;
  KLIP_RETURN_IF_ERROR(Run({.kind = AdminKind::kGetNamespace, .name = name, .name_space = &found}, [&]() -> Status {
    KLIP_ASSIGN_OR_RETURN(found, store_->catalog().GetNamespace(name));
    return Status::Ok();
  }));
  return found;
}
Expected<std::vector<NamespaceDescriptor>> EmbeddedAdmin::ListNamespaces() {
  return store_->catalog().ListNamespaces();
}

Status EmbeddedAdmin::CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys) {
  TableDescriptor wanted = descriptor;
  return Run({.kind = AdminKind::kCreateTable, .table = wanted.name, .descriptor = &wanted, .split_keys = split_keys},
             [&]() -> Status {
               KLIP_RETURN_IF_ERROR(CheckTrackersOfNewTable(wanted));
               return store_->catalog().CreateTable(wanted, {split_keys.begin(), split_keys.end()});
             });
}
Status EmbeddedAdmin::DeleteTable(std::string_view table) {
  return Run({.kind = AdminKind::kDeleteTable, .table = table}, [&] { return store_->catalog().DeleteTable(table); });
}
Status EmbeddedAdmin::TruncateTable(std::string_view table, bool preserve_splits) {
  return Run({.kind = AdminKind::kTruncateTable, .table = table},
             [&] { return store_->catalog().TruncateTable(table, preserve_splits); });
}
Status EmbeddedAdmin::EnableTable(std::string_view table) {
  return Run({.kind = AdminKind::kEnableTable, .table = table},
             [&] { return store_->catalog().SetEnabled(table, true); });
}
Status EmbeddedAdmin::DisableTable(std::string_view table) {
  return Run({.kind = AdminKind::kDisableTable, .table = table},
             [&] { return store_->catalog().SetEnabled(table, false); });
}

Expected<bool> EmbeddedAdmin::IsTableEnabled(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, ViewOf(table));
  return view->enabled;
}

Expected<bool> EmbeddedAdmin::TableExists(std::string_view table) {
  const Expected<engine::TablePtr> view = ViewOf(table);
  if (!view.ok() && view.status().code() != Code::kTableNotFound) {
    return view.status();
  }
  return view.ok();
}

Expected<TableDescriptor> EmbeddedAdmin::GetDescriptor(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, ViewOf(table));
  return view->descriptor;
}

Expected<std::vector<TableDescriptor>> EmbeddedAdmin::ListTables(std::string_view name_space) {
  if (!name_space.empty()) {
    KLIP_RETURN_IF_ERROR(store_->catalog().GetNamespace(name_space).status());
    return store_->views().ListTables(name_space);
  }
  std::vector<TableDescriptor> tables = store_->views().ListTables();
  std::erase_if(tables, [](const TableDescriptor& table) { return NamespaceOf(table.name) == "hbase"; });
  return tables;
}

Status EmbeddedAdmin::ModifyTable(const TableDescriptor& descriptor) {
  return Modify(descriptor.name, [&](const engine::TableView& now, TableDescriptor* whole) {
    *whole = descriptor;
    return CheckChangeOfTrackers(now.descriptor, descriptor, now.enabled);
  });
}

Status EmbeddedAdmin::AddFamily(std::string_view table, const FamilyDescriptor& family) {
  return Modify(table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
    if (FindFamily(descriptor, family.name) != descriptor->families.end()) {
      return {Code::kInvalidFamilyOperation, "Column family '" + family.name + "' in table '" + descriptor->name +
                                                 "' already exists so cannot be added"};
    }
    descriptor->families.push_back(family);
    return CheckChangeOfTrackers(now.descriptor, *descriptor, now.enabled);
  });
}

Status EmbeddedAdmin::ModifyFamily(std::string_view table, const FamilyDescriptor& family) {
  return Modify(table, [&](const engine::TableView& now, TableDescriptor* descriptor) {
    const auto found = FindFamily(descriptor, family.name);
    if (found == descriptor->families.end()) {
      return NoFamilyTo(family.name, "modified");
    }
    *found = family;
    return CheckChangeOfTrackers(now.descriptor, *descriptor, now.enabled);
  });
}

Status EmbeddedAdmin::DeleteFamily(std::string_view table, std::string_view family) {
  return Modify(table, [&](const engine::TableView&, TableDescriptor* descriptor) -> Status {
    const auto found = FindFamily(descriptor, family);
    if (found == descriptor->families.end()) {
      return NoFamilyTo(family, "deleted");
    }
    if (descriptor->families.size() == 1) {
      return {Code::kInvalidFamilyOperation,
              "Family '" + std::string(family) + "' is the only column family in the table, so it cannot be deleted"};
    }
    descriptor->families.erase(found);
    return Status::Ok();
  });
}

Status EmbeddedAdmin::ModifyStoreFileTracker(std::string_view table, std::string_view family,
                                             std::string_view tracker) {
  return Modify(table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
    const auto found = FindFamily(descriptor, family);
    if (!family.empty() && found == descriptor->families.end()) {
      return {Code::kNoSuchColumnFamily,
              "Column family " + std::string(family) + " does not exist in " + descriptor->name};
    }
    KLIP_RETURN_IF_ERROR(SetTracker(tracker, descriptor, family.empty() ? nullptr : &*found).status());
    return now.enabled ? Status::Ok() : Status(Code::kTableNotEnabled, descriptor->name);
  });
}

Status EmbeddedAdmin::Flush(std::string_view table, std::string_view family) {
  return Run({.kind = AdminKind::kFlushTable, .table = table}, [&] { return store_->storage().Flush(table, family); });
}
Status EmbeddedAdmin::Compact(std::string_view table, std::string_view family) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  return store_->storage().Compact(table, /*major=*/false, family);
}
Status EmbeddedAdmin::MajorCompact(std::string_view table, std::string_view family) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  KLIP_RETURN_IF_ERROR(store_->storage().Compact(table, /*major=*/true, family));
  return index_admin_.SweepHistory(table);
}
Expected<StoreMetrics> EmbeddedAdmin::Metrics() { return store_->storage().Metrics(); }

Status EmbeddedAdmin::Split(std::string_view table, std::string_view split_key) {
  const std::string key(split_key);
  return Run({.kind = AdminKind::kSplit, .table = table, .split_keys = std::span(&key, 1)},
             [&] { return store_->regions().SplitRegion(table, split_key); });
}
Status EmbeddedAdmin::MergeRegions(std::span<const std::string> regions, bool forcible) {
  return Run({.kind = AdminKind::kMerge, .regions = regions},
             [&] { return store_->regions().MergeRegions(regions, forcible); });
}
Expected<int> EmbeddedAdmin::RunSplitPolicies() { return store_->regions().RunSplitPolicies(); }

Status EmbeddedAdmin::Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) {
  (void)cluster_admin_.RunCleanerChore();  // programs without a server have nothing else that calls it
  return Run({.kind = AdminKind::kTakeSnapshot, .table = table, .name = snapshot},
             [&] { return store_->snapshots().Take(snapshot, table, options); });
}
Expected<std::vector<SnapshotInfo>> EmbeddedAdmin::ListSnapshots() { return store_->snapshots().List(); }
Status EmbeddedAdmin::DeleteSnapshot(std::string_view snapshot) {
  return Run({.kind = AdminKind::kDeleteSnapshot, .name = snapshot},
             [&] { return store_->snapshots().Delete(snapshot); });
}
Status EmbeddedAdmin::CloneSnapshot(std::string_view snapshot, std::string_view new_table) {
  return Run({.kind = AdminKind::kCloneSnapshot, .table = new_table, .name = snapshot},
             [&] { return store_->snapshots().Clone(snapshot, new_table); });
}
Status EmbeddedAdmin::RestoreSnapshot(std::string_view snapshot) {
  return Run({.kind = AdminKind::kRestoreSnapshot, .name = snapshot},
             [&] { return store_->snapshots().Restore(snapshot); });
}

}  // namespace klip::table
