// Namespaces and tables: creating, changing and dropping them. Column families are made before the catalog names them and
// dropped after it has forgotten them, so that a crash between leaves only orphans.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "rocksdb/convenience.h"

#include "base/names.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/store_rep.h"
#include "klip/row_key.h"

namespace klip::engine {
namespace {

void SortFamilies(TableDescriptor* descriptor) {
  std::stable_sort(descriptor->families.begin(), descriptor->families.end(),
                   [](const FamilyDescriptor& a, const FamilyDescriptor& b) { return a.name < b.name; });
}

Status NoTable(std::string_view name) { return {Code::kTableNotFound, std::string(name)}; }

Status NotDisabled(const std::string& name) {
  return {Code::kTableNotDisabled, "Not DISABLED; tableName=" + name + ", state=ENABLED"};
}

// The settings that RocksDB takes while the family is open, where they differ.
std::unordered_map<std::string, std::string> ChangedOptions(const FamilyDescriptor& before,
                                                            const FamilyDescriptor& after) {
  std::unordered_map<std::string, std::string> changed;
  if (CompressionOf(before.compression) != CompressionOf(after.compression)) {
    std::string name;
    rocksdb::GetStringFromCompressionType(&name, CompressionOf(after.compression)).PermitUncheckedError();
    changed["compression"] = name;
  }
  if (BlockBytes(before) != BlockBytes(after)) {
    changed["block_based_table_factory"] = "{block_size=" + std::to_string(BlockBytes(after)) + "}";
  }
  if (BloomNameOf(before) != BloomNameOf(after)) {
    const std::string name = BloomNameOf(after);
    changed["prefix_extractor"] = name.empty() ? "nullptr" : name;
  }
  return changed;
}

void SetState(FamilyState* state, const FamilyDescriptor& family, const std::vector<KeyPart>& parts) {
  state->policy = std::make_shared<const model::FamilyPolicy>(model::FamilyPolicy::From(family));
  if (const auto before = state->key_parts.load(); before == nullptr) {
    state->leads = std::make_unique<filter::LeadingValues>(LeadParts(parts));
  } else if (*before != parts) {
    state->leads->GiveUp();  // they were told apart otherwise
  }
  state->key_parts = std::make_shared<const std::vector<KeyPart>>(parts);
  state->bloom = std::make_shared<const std::string>(BloomNameOf(family));
}

}  // namespace

// --- Parts ---

Expected<TablePtr> Store::Rep::Find(std::string_view table) const {
  const std::shared_lock lock(tables_mutex);
  const auto found = tables.find(CanonicalTableName(table));
  if (found == tables.end()) {
    return NoTable(table);
  }
  return found->second;
}

uint64_t Store::Version() const { return rep_->version.load(std::memory_order_acquire); }

void Store::Rep::Publish(TablePtr view) {
  const std::string name = view->descriptor.name;
  {
    const std::unique_lock lock(tables_mutex);
    std::swap(tables[name], view);  // the handles of the one before are given back outside the lock
    version.fetch_add(1, std::memory_order_release);
  }
  TellWatches(name);
}

void Store::Rep::Unpublish(const std::string& table) {
  decltype(tables)::node_type last;  // as there
  {
    const std::unique_lock lock(tables_mutex);
    last = tables.extract(table);
    version.fetch_add(1, std::memory_order_release);
  }
  TellWatches(table);
}

void Store::Rep::TellWatches(const std::string& table) {
  const std::lock_guard lock(watch_mutex);
  for (const auto& [number, watch] : watches) {
    watch(table);
  }
}

uint64_t Store::WatchTables(TableWatch watch) {
  const std::lock_guard lock(rep_->watch_mutex);
  rep_->watches[++rep_->last_watch] = std::move(watch);
  return rep_->last_watch;
}

void Store::Unwatch(uint64_t watch) {
  const std::lock_guard lock(rep_->watch_mutex);
  rep_->watches.erase(watch);
}

Expected<std::vector<KeyPart>> Store::Rep::KeyPartsOf(const TableDescriptor& descriptor) const {
  const auto schema = descriptor.attributes.find(std::string(RowKeySchema::kTableAttribute));
  if (schema == descriptor.attributes.end() || schema->second.empty() || options.parse_row_key == nullptr) {
    return std::vector<KeyPart>();
  }
  return options.parse_row_key(schema->second);
}

std::shared_ptr<FamilyState> Store::Rep::NewState(const FamilyDescriptor& family, const std::vector<KeyPart>& parts) {
  auto state = std::make_shared<FamilyState>();
  SetState(state.get(), family, parts);
  state->clock_ms = options.clock_ms;
  state->next_sequence = [this] { return NextSequence(); };
  return state;
}

Family Store::Rep::Own(const FamilyDescriptor& descriptor, uint32_t id, rocksdb::ColumnFamilyHandle* handle,
                       std::shared_ptr<FamilyState> state) const {
  std::shared_ptr<rocksdb::ColumnFamilyHandle> owned(handle, [keep = database](rocksdb::ColumnFamilyHandle* last) {
    keep->db->DestroyColumnFamilyHandle(last).PermitUncheckedError();
  });
  return {.descriptor = descriptor, .id = id, .handle = std::move(owned), .state = std::move(state)};
}

Expected<std::vector<Family>> Store::Rep::CreateFamilies(const std::vector<FamilyDescriptor>& families,
                                                         const std::vector<KeyPart>& parts) {
  std::vector<rocksdb::ColumnFamilyDescriptor> wanted;
  std::vector<std::shared_ptr<FamilyState>> states;
  const uint32_t first_id = catalog.next_family_id;
  for (const FamilyDescriptor& family : families) {
    states.push_back(NewState(family, parts));
    wanted.emplace_back(FamilyColumnName(catalog.next_family_id++),
                        FamilyOptions(family, states.back(), database->shared));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::Status status;
  {
    const std::shared_lock gate(log_gate);  // making room for a full disk must know of a manifest that failed
    status = db->CreateColumnFamilies(wanted, &handles);
    manifest_failed.store(!status.ok() || manifest_failed.load(), std::memory_order_release);
  }
  std::vector<Family> created;
  for (size_t i = 0; i < handles.size(); ++i) {
    created.push_back(Own(families[i], first_id + static_cast<uint32_t>(i), handles[i], states[i]));
  }
  if (!status.ok()) {
    DropFamilies(created);
    return FromRocks(status, "creating a column family");
  }
  return created;
}

void Store::Rep::DropFamilies(const std::vector<Family>& families) {
  if (read_only.load(std::memory_order_acquire)) {
    return;
  }
  for (const Family& family : families) {
    {
      const std::shared_lock gate(log_gate);
      if (!db->DropColumnFamily(family.handle.get()).ok()) {
        manifest_failed.store(true, std::memory_order_release);
      }
    }
    const std::lock_guard lock(statistics_mutex);
    statistics.erase(family.id);
  }
}

TablePtr Store::Rep::MakeView(const TableRecord& record, std::vector<Family> families) const {
  auto view = std::make_shared<TableView>();
  view->descriptor = record.descriptor;
  view->enabled = record.enabled;
  std::sort(families.begin(), families.end(),
            [](const Family& a, const Family& b) { return a.descriptor.name < b.descriptor.name; });
  view->families = std::move(families);
  view->regions = std::make_shared<const std::vector<Region>>(record.regions);
  view->changes = record.changes;
  return view;
}

int64_t Store::Rep::NewRegionId(Catalog* next) const {
  next->last_region_id = std::max(options.clock_ms(), next->last_region_id + 1);
  return next->last_region_id;
}

std::vector<Region> Store::Rep::RegionsFor(const std::vector<std::string>& split_keys, int64_t region_id) const {
  std::vector<Region> regions = {{.start_key = "", .end_key = "", .region_id = region_id}};
  for (const std::string& key : split_keys) {
    regions.back().end_key = key;
    regions.push_back({.start_key = key, .end_key = "", .region_id = region_id});
  }
  return regions;
}

// --- Namespaces ---

Status Store::CreateNamespace(const NamespaceDescriptor& descriptor) {
  KLIP_RETURN_IF_ERROR(CheckNamespaceName(descriptor.name));
  const std::lock_guard lock(rep_->ddl_mutex);
  if (rep_->catalog.namespaces.contains(descriptor.name)) {
    return {Code::kNamespaceExists, "Namespace " + descriptor.name + " already exists"};
  }
  Catalog next = rep_->catalog;
  next.namespaces[descriptor.name] = descriptor;
  return rep_->SaveCatalog(std::move(next));
}

Status Store::ModifyNamespace(const NamespaceDescriptor& descriptor) {
  const std::lock_guard lock(rep_->ddl_mutex);
  if (!rep_->catalog.namespaces.contains(descriptor.name)) {
    return {Code::kNamespaceNotFound, descriptor.name};
  }
  Catalog next = rep_->catalog;
  next.namespaces[descriptor.name] = descriptor;
  return rep_->SaveCatalog(std::move(next));
}

Status Store::DeleteNamespace(std::string_view name) {
  const std::lock_guard lock(rep_->ddl_mutex);
  const auto found = rep_->catalog.namespaces.find(name);
  if (found == rep_->catalog.namespaces.end()) {
    return {Code::kNamespaceNotFound, std::string(name)};
  }
  if (name == "default" || name == "hbase") {
    return {Code::kConstraintViolation, "Reserved namespace " + std::string(name) + " cannot be removed."};
  }
  const auto tables = std::count_if(rep_->catalog.tables.begin(), rep_->catalog.tables.end(),
                                    [&](const auto& entry) { return NamespaceOf(entry.first) == name; });
  if (tables > 0) {
    return {Code::kConstraintViolation, "Only empty namespaces can be removed. Namespace " + std::string(name) +
                                            " has " + std::to_string(tables) + " tables"};
  }
  Catalog next = rep_->catalog;
  next.namespaces.erase(next.namespaces.find(name));
  return rep_->SaveCatalog(std::move(next));
}

Expected<NamespaceDescriptor> Store::GetNamespace(std::string_view name) {
  const std::lock_guard lock(rep_->ddl_mutex);
  const auto found = rep_->catalog.namespaces.find(name);
  if (found == rep_->catalog.namespaces.end()) {
    return Status(Code::kNamespaceNotFound, std::string(name));
  }
  return found->second;
}

std::vector<NamespaceDescriptor> Store::ListNamespaces() {
  const std::lock_guard lock(rep_->ddl_mutex);
  std::vector<NamespaceDescriptor> all;
  for (const auto& [name, descriptor] : rep_->catalog.namespaces) {
    all.push_back(descriptor);
  }
  return all;
}

// --- Tables ---

Status Store::Rep::PutTable(TableDescriptor descriptor, bool enabled, std::vector<Region> regions,
                            std::vector<Family> families) {
  TableRecord record;
  record.enabled = enabled;
  record.descriptor = std::move(descriptor);
  record.regions = std::move(regions);
  for (const Family& family : families) {
    record.family_ids[family.descriptor.name] = family.id;
  }
  Catalog next = catalog;
  for (const Region& region : record.regions) {
    next.last_region_id = std::max(next.last_region_id, region.region_id);
  }
  next.tables[record.descriptor.name] = record;
  if (Status saved = SaveCatalog(std::move(next)); !saved.ok()) {
    DropFamilies(families);
    return saved;
  }
  Publish(MakeView(record, std::move(families)));
  return Status::Ok();
}

Status Store::CreateTable(TableDescriptor descriptor, std::vector<std::string> split_keys) {
  KLIP_RETURN_IF_ERROR(CheckTableName(descriptor.name));
  descriptor.name = std::string(CanonicalTableName(descriptor.name));
  SortFamilies(&descriptor);
  KLIP_RETURN_IF_ERROR(CheckDescriptor(descriptor, rep_->options.sanity_checks));
  KLIP_RETURN_IF_ERROR(CheckSplitKeys(&split_keys));
  KLIP_ASSIGN_OR_RETURN(const std::vector<KeyPart> parts, rep_->KeyPartsOf(descriptor));

  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  if (!rep_->catalog.namespaces.contains(NamespaceOf(descriptor.name))) {
    return {Code::kNamespaceNotFound, std::string(NamespaceOf(descriptor.name))};
  }
  if (rep_->catalog.tables.contains(descriptor.name)) {
    return {Code::kTableExists, descriptor.name};
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, rep_->CreateFamilies(descriptor.families, parts));
  Catalog ids = rep_->catalog;
  std::vector<Region> regions = rep_->RegionsFor(split_keys, rep_->NewRegionId(&ids));
  return rep_->PutTable(std::move(descriptor), /*enabled=*/true, std::move(regions), std::move(families));
}

Status Store::DeleteTable(std::string_view table) {
  const std::string name(CanonicalTableName(table));
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(name));
  if (view->enabled) {
    return NotDisabled(name);
  }
  const std::unique_lock writers(rep_->locks.ForTable(name));
  Catalog next = rep_->catalog;
  next.tables.erase(name);
  KLIP_RETURN_IF_ERROR(rep_->SaveCatalog(std::move(next)));
  rep_->Unpublish(name);
  rep_->DropFamilies(view->families);
  return Status::Ok();
}

Status Store::TruncateTable(std::string_view table, bool preserve_splits) {
  const std::string name(CanonicalTableName(table));
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(name));
  if (view->enabled) {
    return {Code::kTableNotDisabled, name};
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<KeyPart> parts, rep_->KeyPartsOf(view->descriptor));
  const std::unique_lock writers(rep_->locks.ForTable(name));
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, rep_->CreateFamilies(view->descriptor.families, parts));
  std::vector<std::string> split_keys;
  for (size_t i = 1; preserve_splits && i < view->regions->size(); ++i) {
    split_keys.push_back((*view->regions)[i].start_key);
  }
  Catalog ids = rep_->catalog;
  std::vector<Region> regions = rep_->RegionsFor(split_keys, rep_->NewRegionId(&ids));
  KLIP_RETURN_IF_ERROR(rep_->PutTable(view->descriptor, /*enabled=*/true, std::move(regions), std::move(families)));
  rep_->DropFamilies(view->families);
  return Status::Ok();
}

Status Store::SetEnabled(std::string_view table, bool enabled) {
  const std::string name(CanonicalTableName(table));
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(name));
  if (view->enabled == enabled) {
    return enabled ? Status(Code::kTableNotDisabled, name + " is not disabled!") : Status(Code::kTableNotEnabled, name);
  }
  const std::unique_lock writers(rep_->locks.ForTable(name));
  Catalog next = rep_->catalog;
  next.tables[name].enabled = enabled;
  KLIP_RETURN_IF_ERROR(rep_->SaveCatalog(std::move(next)));
  rep_->Publish(rep_->MakeView(rep_->catalog.tables[name], view->families));
  return Status::Ok();
}

Status Store::ModifyTable(TableDescriptor descriptor) {
  const std::string name = descriptor.name;
  return ModifyTable(name, [&](const TableView&, TableDescriptor* whole) {
    *whole = std::move(descriptor);
    return Status::Ok();
  });
}

Status Store::ModifyTable(std::string_view table, const TableEdit& edit) {
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(table));
  TableDescriptor descriptor = view->descriptor;
  KLIP_RETURN_IF_ERROR(edit(*view, &descriptor));
  descriptor.name = view->descriptor.name;
  SortFamilies(&descriptor);
  if (descriptor == view->descriptor) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(CheckDescriptor(descriptor, rep_->options.sanity_checks));
  KLIP_ASSIGN_OR_RETURN(const std::vector<KeyPart> parts, rep_->KeyPartsOf(descriptor));

  std::vector<Family> kept;
  std::vector<Family> dropped;
  std::vector<FamilyDescriptor> added;
  for (const Family& family : view->families) {
    (descriptor.Find(family.descriptor.name) != nullptr ? kept : dropped).push_back(family);
  }
  for (const FamilyDescriptor& family : descriptor.families) {
    if (view->Find(family.name) == nullptr) {
      added.push_back(family);
    }
  }

  const std::unique_lock writers(rep_->locks.ForTable(descriptor.name));
  std::vector<Family> created;
  if (!added.empty()) {
    KLIP_ASSIGN_OR_RETURN(created, rep_->CreateFamilies(added, parts));
  }
  TableRecord record = rep_->catalog.tables[descriptor.name];
  record.descriptor = descriptor;
  for (const Family& family : dropped) {
    record.family_ids.erase(family.descriptor.name);
  }
  for (const Family& family : created) {
    record.family_ids[family.descriptor.name] = family.id;
  }
  Catalog next = rep_->catalog;
  next.tables[descriptor.name] = record;
  if (Status saved = rep_->SaveCatalog(std::move(next)); !saved.ok()) {
    rep_->DropFamilies(created);
    return saved;
  }

  // From here on the change has happened; the next open would apply it too.
  rocksdb::Status applied;
  for (Family& family : kept) {
    const FamilyDescriptor& after = *descriptor.Find(family.descriptor.name);
    if (const auto changed = ChangedOptions(family.descriptor, after); !changed.empty()) {
      const rocksdb::Status status = rep_->db->SetOptions(family.handle.get(), changed);
      applied = applied.ok() ? status : applied;
    }
    SetState(family.state.get(), after, parts);
    family.descriptor = after;
  }
  std::vector<Family> families = std::move(kept);
  families.insert(families.end(), created.begin(), created.end());
  rep_->Publish(rep_->MakeView(record, std::move(families)));
  rep_->DropFamilies(dropped);
  return FromRocks(applied, "applying the new settings of table '" + descriptor.name + "'");
}

std::vector<TableDescriptor> Store::ListTables(std::string_view name_space) {
  const std::shared_lock lock(rep_->tables_mutex);
  std::vector<TableDescriptor> all;
  for (const auto& [name, view] : rep_->tables) {
    if (name_space.empty() || NamespaceOf(name) == name_space) {
      all.push_back(view->descriptor);
    }
  }
  return all;
}

}  // namespace klip::engine
