#include "engine/store/table_catalog.h"

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/catalog_file.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/families.h"

namespace klip::engine {
namespace {

void SortFamilies(TableDescriptor* descriptor) {
  std::stable_sort(descriptor->families.begin(), descriptor->families.end(),
                   [](const FamilyDescriptor& a, const FamilyDescriptor& b) { return a.name < b.name; });
}

Status NotDisabled(const std::string& name) {
  return {Code::kTableNotDisabled, "Not DISABLED; tableName=" + name + ", state=ENABLED"};
}

std::vector<Region> RegionsFor(const std::vector<std::string>& split_keys, int64_t region_id) {
  std::vector<Region> regions = {{.start_key = "", .end_key = "", .region_id = region_id}};
  for (const std::string& key : split_keys) {
    regions.back().end_key = key;
    regions.push_back({.start_key = key, .end_key = "", .region_id = region_id});
  }
  return regions;
}

// The families of a table that change with its descriptor.
struct FamilyChanges {
  std::vector<Family> kept;
  std::vector<Family> dropped;
  std::vector<FamilyDescriptor> added;
};

// An index that is no longer complete (klip/index.h) is built from the start, in a new family: its entries disappear at
// the moment at which it stops serving reads.
bool StartsNewFamily(const TableDescriptor& before, const TableDescriptor& after, const std::string& family) {
  if (!family.starts_with(kIndexFamilyMark)) {
    return false;
  }
  const std::string building = "KLIP_INDEX_BUILDING$" + family.substr(1);
  return after.attributes.contains(building) && !before.attributes.contains(building);
}

FamilyChanges ChangesOf(const TableView& view, const TableDescriptor& after) {
  FamilyChanges changes;
  changes.added = AllFamilies(after);
  for (const Family& family : view.AllFamilies()) {
    const std::string& name = family.descriptor.name;
    const auto wanted = std::ranges::find(changes.added, name, &FamilyDescriptor::name);
    const bool stays = wanted != changes.added.end() && !StartsNewFamily(view.descriptor, after, name);
    (stays ? changes.kept : changes.dropped).push_back(family);
    if (stays) {
      changes.added.erase(wanted);
    }
  }
  return changes;
}

}  // namespace

// --- Namespaces ---

Status TableCatalog::CreateNamespace(const NamespaceDescriptor& descriptor) {
  KLIP_RETURN_IF_ERROR(CheckNamespaceName(descriptor.name));
  const LockedCatalog catalog = catalog_->Lock();
  if (catalog->namespaces.contains(descriptor.name)) {
    return {Code::kNamespaceExists, "Namespace " + descriptor.name + " already exists"};
  }
  Catalog next = *catalog;
  next.namespaces[descriptor.name] = descriptor;
  return catalog.Save(std::move(next));
}

Status TableCatalog::ModifyNamespace(const NamespaceDescriptor& descriptor) {
  const LockedCatalog catalog = catalog_->Lock();
  if (!catalog->namespaces.contains(descriptor.name)) {
    return {Code::kNamespaceNotFound, descriptor.name};
  }
  Catalog next = *catalog;
  next.namespaces[descriptor.name] = descriptor;
  return catalog.Save(std::move(next));
}

Status TableCatalog::DeleteNamespace(std::string_view name) {
  const LockedCatalog catalog = catalog_->Lock();
  const auto found = catalog->namespaces.find(name);
  if (found == catalog->namespaces.end()) {
    return {Code::kNamespaceNotFound, std::string(name)};
  }
  if (name == "default" || name == "hbase") {
    return {Code::kConstraintViolation, "Reserved namespace " + std::string(name) + " cannot be removed."};
  }
  const auto tables = std::count_if(catalog->tables.begin(), catalog->tables.end(),
                                    [&](const auto& entry) { return NamespaceOf(entry.first) == name; });
  if (tables > 0) {
    return {Code::kConstraintViolation, "Only empty namespaces can be removed. Namespace " + std::string(name) +
                                            " has " + std::to_string(tables) + " tables"};
  }
  Catalog next = *catalog;
  next.namespaces.erase(next.namespaces.find(name));
  return catalog.Save(std::move(next));
}

Expected<NamespaceDescriptor> TableCatalog::GetNamespace(std::string_view name) const {
  const LockedCatalog catalog = catalog_->Lock();
  const auto found = catalog->namespaces.find(name);
  if (found == catalog->namespaces.end()) {
    return Status(Code::kNamespaceNotFound, std::string(name));
  }
  return found->second;
}

std::vector<NamespaceDescriptor> TableCatalog::ListNamespaces() const {
  const LockedCatalog catalog = catalog_->Lock();
  std::vector<NamespaceDescriptor> all;
  for (const auto& [name, descriptor] : catalog->namespaces) {
    all.push_back(descriptor);
  }
  return all;
}

// --- Tables ---

Status TableCatalog::CheckIndexes(const TableDescriptor* before, const TableDescriptor& after) const {
  const auto& check = database_->options.check_indexes;
  return check == nullptr ? Status::Ok() : check(before, after);
}

Status TableCatalog::CreateTable(TableDescriptor descriptor, std::vector<std::string> split_keys) {
  KLIP_RETURN_IF_ERROR(CheckTableName(descriptor.name));
  descriptor.name = std::string(CanonicalTableName(descriptor.name));
  SortFamilies(&descriptor);
  KLIP_RETURN_IF_ERROR(CheckDescriptor(descriptor, database_->options.sanity_checks, database_->options.check_table));
  KLIP_RETURN_IF_ERROR(CheckIndexes(nullptr, descriptor));
  KLIP_RETURN_IF_ERROR(CheckSplitKeys(&split_keys));
  KLIP_ASSIGN_OR_RETURN(const TableKeyParts parts, families_->KeyPartsOf(descriptor));

  const LockedCatalog catalog = catalog_->Lock();
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  if (!catalog->namespaces.contains(NamespaceOf(descriptor.name))) {
    return {Code::kNamespaceNotFound, std::string(NamespaceOf(descriptor.name))};
  }
  if (catalog->tables.contains(descriptor.name)) {
    return {Code::kTableExists, descriptor.name};
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, families_->Create(catalog, AllFamilies(descriptor), parts));
  std::vector<Region> regions = RegionsFor(split_keys, catalog.NextRegionId());
  return families_->PutTable(catalog, std::move(descriptor), /*enabled=*/true, std::move(regions), families);
}

Status TableCatalog::DeleteTable(std::string_view table) {
  const std::string name(CanonicalTableName(table));
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(name));
  if (view->enabled) {
    return NotDisabled(name);
  }
  const auto writers = catalog.StopWriters(name);
  KLIP_RETURN_IF_ERROR(catalog.RemoveTable(name));
  families_->Drop(view->AllFamilies());
  return Status::Ok();
}

Status TableCatalog::TruncateTable(std::string_view table, bool preserve_splits) {
  const std::string name(CanonicalTableName(table));
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(name));
  if (view->enabled) {
    return {Code::kTableNotDisabled, name};
  }
  KLIP_ASSIGN_OR_RETURN(const TableKeyParts parts, families_->KeyPartsOf(view->descriptor));
  const auto writers = catalog.StopWriters(name);
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, families_->Create(catalog, AllFamilies(view->descriptor), parts));
  std::vector<std::string> split_keys;
  for (size_t i = 1; preserve_splits && i < view->regions->size(); ++i) {
    split_keys.push_back((*view->regions)[i].start_key);
  }
  std::vector<Region> regions = RegionsFor(split_keys, catalog.NextRegionId());
  KLIP_RETURN_IF_ERROR(families_->PutTable(catalog, view->descriptor, /*enabled=*/true, std::move(regions), families));
  families_->Drop(view->AllFamilies());
  return Status::Ok();
}

Status TableCatalog::SetEnabled(std::string_view table, bool enabled) {
  const std::string name(CanonicalTableName(table));
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(name));
  if (view->enabled == enabled) {
    return enabled ? Status(Code::kTableNotDisabled, name + " is not disabled!") : Status(Code::kTableNotEnabled, name);
  }
  const auto writers = catalog.StopWriters(name);
  TableRecord record = catalog->tables.at(name);
  record.enabled = enabled;
  return catalog.SaveTable(record, view->AllFamilies());
}

Status TableCatalog::ModifyTable(TableDescriptor descriptor) {
  const std::string name = descriptor.name;
  return ModifyTable(name, [&](const TableView&, TableDescriptor* whole) {
    *whole = std::move(descriptor);
    return Status::Ok();
  });
}

Status TableCatalog::ModifyTable(std::string_view table, const TableEdit& edit) {
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(table));
  TableDescriptor descriptor = view->descriptor;
  KLIP_RETURN_IF_ERROR(edit(*view, &descriptor));
  descriptor.name = view->descriptor.name;
  SortFamilies(&descriptor);
  if (descriptor == view->descriptor) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(CheckDescriptor(descriptor, database_->options.sanity_checks, database_->options.check_table));
  KLIP_RETURN_IF_ERROR(CheckIndexes(&view->descriptor, descriptor));
  KLIP_ASSIGN_OR_RETURN(const TableKeyParts parts, families_->KeyPartsOf(descriptor));

  FamilyChanges changes = ChangesOf(*view, descriptor);
  const auto writers = catalog.StopWriters(descriptor.name);
  std::vector<Family> created;
  if (!changes.added.empty()) {
    KLIP_ASSIGN_OR_RETURN(created, families_->Create(catalog, changes.added, parts));
  }
  TableRecord record = catalog->tables.at(descriptor.name);
  record.descriptor = descriptor;
  for (const Family& family : changes.dropped) {
    record.family_ids.erase(family.descriptor.name);
  }
  for (const Family& family : created) {
    record.family_ids[family.descriptor.name] = family.id;
  }
  Catalog next = *catalog;
  next.tables[descriptor.name] = record;
  if (Status saved = catalog.Save(std::move(next)); !saved.ok()) {
    families_->Drop(created);
    return saved;
  }

  // From here on the change is committed; the next open would apply it too.
  rocksdb::Status applied;
  const std::vector<FamilyDescriptor> wanted = AllFamilies(descriptor);
  for (Family& family : changes.kept) {
    const auto after = std::ranges::find(wanted, family.descriptor.name, &FamilyDescriptor::name);
    const rocksdb::Status status = families_->Alter(&family, *after, parts);
    applied = applied.ok() ? status : applied;
  }
  std::vector<Family> families = std::move(changes.kept);
  families.insert(families.end(), created.begin(), created.end());
  catalog.Publish(record, std::move(families));
  families_->Drop(changes.dropped);
  return FromRocks(applied, "applying the new settings of table '" + descriptor.name + "'");
}

Status TableCatalog::TakeRebuiltIndex(std::string_view table, std::string_view index,
                                      const std::vector<std::string>& drop_attributes) {
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(table));
  const std::string name = kIndexFamilyMark + std::string(index);
  const std::string rebuilt = name + kRebuiltMark;
  TableRecord record = catalog->tables.at(view->descriptor.name);
  const auto id = record.family_ids.find(rebuilt);
  if (id == record.family_ids.end()) {
    return {Code::kInvalidArgument,
            "table '" + view->descriptor.name + "' has no index '" + std::string(index) + "' that is being rebuilt"};
  }
  const auto writers = catalog.StopWriters(view->descriptor.name);
  record.family_ids[name] = id->second;
  record.family_ids.erase(id);
  for (const std::string& attribute : drop_attributes) {
    record.descriptor.attributes.erase(attribute);
  }
  std::vector<Family> families = view->AllFamilies();
  std::vector<Family> replaced;
  std::erase_if(families, [&](const Family& family) {
    return family.descriptor.name == name && (replaced.push_back(family), true);
  });
  std::ranges::find(families, rebuilt, [](const Family& family) -> const std::string& {
    return family.descriptor.name;
  })->descriptor.name = name;
  KLIP_RETURN_IF_ERROR(catalog.SaveTable(record, std::move(families)));
  families_->Drop(replaced);
  return Status::Ok();
}

}  // namespace klip::engine
