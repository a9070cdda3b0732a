#include "engine/store/families.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "rocksdb/convenience.h"

#include "engine/layout/rocksdb_status.h"
#include "engine/statistics/key_statistics.h"
#include "engine/store/catalog.h"
#include "klip/row_key.h"

namespace klip::engine {
namespace {

// A view number that is never reached: until the table is published, its families drop nothing.
constexpr uint64_t kNotYetKnown = std::numeric_limits<uint64_t>::max();

// The settings that differ, of those that RocksDB can change while the family is open.
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

void SetState(FamilyState* state, const FamilyDescriptor& family, const TableKeyParts& of_table) {
  const std::vector<KeyPart>& parts = of_table.Of(family.name);
  state->policy = std::make_shared<const model::FamilyPolicy>(model::FamilyPolicy::From(family));
  if (const auto before = state->key_parts.load(); before == nullptr) {
    state->leads = std::make_unique<filter::LeadingValues>(LeadParts(parts));
  } else if (*before != parts) {
    state->leads->GiveUp();  // before, other bytes of a key distinguished rows
  }
  state->key_parts = std::make_shared<const std::vector<KeyPart>>(parts);
  state->bloom = std::make_shared<const std::string>(BloomNameOf(family));
}

}  // namespace

// --- Opening ---

Expected<std::map<uint32_t, Family>> Families::FamiliesOf(const Catalog& catalog) {
  std::map<uint32_t, Family> families;
  for (const auto& [name, record] : catalog.tables) {
    // If this build cannot read the schema, only statistics are lost, not the table.
    const Expected<TableKeyParts> parts = KeyPartsOf(record.descriptor);
    for (const FamilyDescriptor& family : AllFamilies(record.descriptor)) {
      const auto id = record.family_ids.find(family.name);
      if (id == record.family_ids.end() || !families.emplace(id->second, Family{family, id->second, {}, {}}).second) {
        return Status(Code::kCorruption, database_->path() + "/" + kCatalogName + ": bad id of family '" + family.name +
                                             "' in table '" + name + "'");
      }
      families[id->second].state = NewState(family, parts.ok() ? *parts : TableKeyParts());
    }
  }
  return families;
}

// A klip that does not know such families drops them when it opens the store.
Status Families::ForgetLostRebuilds(const LockedCatalog& catalog, const std::vector<std::string>& names) const {
  Catalog next = *catalog;
  bool changed = false;
  for (auto& [table, record] : next.tables) {
    changed =
        std::erase_if(record.family_ids,
                      [&](const auto& family) {
                        const bool lost = family.first.starts_with(kIndexFamilyMark) &&
                                          family.first.ends_with(kRebuiltMark) &&
                                          std::ranges::find(names, FamilyColumnName(family.second)) == names.end();
                        if (lost) {
                          record.descriptor.attributes.erase(
                              std::string(kIndexRebuildAttribute).append(family.first, 1, family.first.size() - 2));
                        }
                        return lost;
                      }) > 0 ||
        changed;
  }
  if (changed && database_->read_only()) {
    catalog.Remember(std::move(next));
    return Status::Ok();
  }
  return changed ? catalog.Save(std::move(next)) : Status::Ok();
}

Status Families::Open(const LockedCatalog& catalog, bool keep_logs) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, database_->FamilyNames());
  KLIP_RETURN_IF_ERROR(ForgetLostRebuilds(catalog, names));
  KLIP_ASSIGN_OR_RETURN(auto families, FamiliesOf(*catalog));
  std::map<std::string, Family*> by_name;
  for (auto& [id, family] : families) {
    const std::string name = FamilyColumnName(id);
    if (std::ranges::find(names, name) == names.end()) {
      return {Code::kCorruption, database_->path() + "/" + kCatalogName + ": column family " + name + " ('" +
                                     family.descriptor.name + "') is missing from the database"};
    }
    by_name[name] = &family;
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    const auto found = by_name.find(name);
    descriptors.emplace_back(name, found == by_name.end() ? FamilyOptions({}, nullptr, database_->shared)
                                                          : FamilyOptions(found->second->descriptor,
                                                                          found->second->state, database_->shared));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  bool unflushed = false;
  KLIP_RETURN_IF_ERROR(database_->Open(std::move(descriptors), keep_logs, &handles, &unflushed));
  std::erase_if(handles, [&](rocksdb::ColumnFamilyHandle* handle) {
    const auto found = by_name.find(handle->GetName());
    if (found == by_name.end()) {
      return false;
    }
    Family& family = *found->second;
    family = Own(family.descriptor, family.id, handle, family.state);
    return true;
  });
  KLIP_RETURN_IF_ERROR(DropOrphans(handles));
  for (const auto& [name, record] : catalog->tables) {
    std::vector<Family> of_table;
    for (const auto& [family_name, id] : record.family_ids) {
      const Family& family = of_table.emplace_back(families[id]);
      if (unflushed) {
        family.state->NoteRowBytes(0);  // some rows are in no file's statistics
        family.state->leads->GiveUp();
        family.state->has_range_deletions = true;
      }
      storage_->NoteRowsOfFiles(family);
    }
    catalog.Publish(record, std::move(of_table));
  }
  return Status::Ok();
}

// A crash between the creation of a column family and the catalog's rename leaves orphans; so does one between the rename
// and a drop.
Status Families::DropOrphans(const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  rocksdb::Status status;
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    if (handle->GetName() != rocksdb::kDefaultColumnFamilyName && status.ok() && !database_->read_only()) {
      status = database_->db->DropColumnFamily(handle);
    }
    database_->db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  return FromRocks(status, "dropping an unused column family of the store '" + database_->path() + "'");
}

// --- Creating and dropping ---

Expected<TableKeyParts> Families::KeyPartsOf(const TableDescriptor& descriptor) const {
  const StoreOptions& options = database_->options;
  TableKeyParts parts;
  for (const FamilyDescriptor& family : AllFamilies(descriptor)) {
    if (family.name.starts_with(kIndexFamilyMark)) {
      std::string index = family.name.substr(1);
      if (index.ends_with(kRebuiltMark)) {
        index.pop_back();
      }
      parts.entries[family.name] =
          options.index_key_parts == nullptr ? std::vector<KeyPart>() : options.index_key_parts(descriptor, index);
    }
  }
  const auto schema = descriptor.attributes.find(std::string(RowKeySchema::kTableAttribute));
  if (schema != descriptor.attributes.end() && !schema->second.empty() && options.parse_row_key != nullptr) {
    KLIP_ASSIGN_OR_RETURN(parts.rows, options.parse_row_key(schema->second));
  }
  return parts;
}

std::shared_ptr<FamilyState> Families::NewState(const FamilyDescriptor& family, const TableKeyParts& parts) {
  auto state = std::make_shared<FamilyState>();
  SetState(state.get(), family, parts);
  state->clock_ms = database_->options.clock_ms;
  state->open_snapshots = database_->open_snapshots;
  state->observed_view = database_->options.storage_hooks == nullptr ? 0 : kNotYetKnown;
  state->next_sequence = [sequence = sequence_] { return sequence->Next(); };
  return state;
}

Family Families::Own(const FamilyDescriptor& descriptor, uint32_t id, rocksdb::ColumnFamilyHandle* handle,
                     std::shared_ptr<FamilyState> state) const {
  std::shared_ptr<rocksdb::ColumnFamilyHandle> owned(handle, [keep = database_](rocksdb::ColumnFamilyHandle* last) {
    keep->db->DestroyColumnFamilyHandle(last).PermitUncheckedError();
  });
  return {.descriptor = descriptor, .id = id, .handle = std::move(owned), .state = std::move(state)};
}

Expected<std::vector<Family>> Families::Create(const LockedCatalog& catalog,
                                               const std::vector<FamilyDescriptor>& families,
                                               const TableKeyParts& parts) {
  std::vector<rocksdb::ColumnFamilyDescriptor> wanted;
  std::vector<std::shared_ptr<FamilyState>> states;
  std::vector<uint32_t> ids;
  for (const FamilyDescriptor& family : families) {
    states.push_back(NewState(family, parts));
    ids.push_back(catalog.TakeFamilyId());
    wanted.emplace_back(FamilyColumnName(ids.back()), FamilyOptions(family, states.back(), database_->shared));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  const rocksdb::Status status = writer_->ChangeUnlogged(
      [&] { return writer_->ChangeFamilies([&] { return database_->db->CreateColumnFamilies(wanted, &handles); }); });
  std::vector<Family> created;
  created.reserve(handles.size());
  for (size_t i = 0; i < handles.size(); ++i) {
    created.push_back(Own(families[i], ids[i], handles[i], states[i]));
  }
  if (!status.ok()) {
    Drop(created);
    return FromRocks(status, "creating a column family");
  }
  return created;
}

Expected<Family> Families::Import(const LockedCatalog& catalog, const FamilyDescriptor& descriptor,
                                  const TableKeyParts& parts, const rocksdb::ExportImportFilesMetaData& meta,
                                  std::string_view doing) {
  const uint32_t id = catalog.TakeFamilyId();
  std::shared_ptr<FamilyState> state = NewState(descriptor, parts);
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::ImportColumnFamilyOptions import;
  import.move_files = true;
  const auto create = [&] {
    return database_->db->CreateColumnFamilyWithImport(FamilyOptions(descriptor, state, database_->shared),
                                                       FamilyColumnName(id), import, meta, &handle);
  };
  const rocksdb::Status status = writer_->ChangeUnlogged([&] { return writer_->ChangeFiles(create); });
  KLIP_RETURN_IF_ERROR(FromRocks(status, doing));
  Family family = Own(descriptor, id, handle, std::move(state));
  database_->events->file_generation.fetch_add(1, std::memory_order_acq_rel);
  storage_->NoteRowsOfFiles(family);
  return family;
}

void Families::Drop(const std::vector<Family>& families) {
  if (writer_->read_only()) {
    return;
  }
  for (const Family& family : families) {
    const auto drop = [&] { return database_->db->DropColumnFamily(family.handle.get()); };
    (void)writer_->ChangeUnlogged([&] { return writer_->ChangeFamilies(drop); });
    storage_->Forget(family);
  }
}

rocksdb::Status Families::Alter(Family* family, const FamilyDescriptor& after, const TableKeyParts& parts) {
  rocksdb::Status status;
  if (const auto changed = ChangedOptions(family->descriptor, after); !changed.empty()) {
    status = database_->db->SetOptions(family->handle.get(), changed);
  }
  SetState(family->state.get(), after, parts);
  family->descriptor = after;
  return status;
}

Status Families::PutTable(const LockedCatalog& catalog, TableDescriptor descriptor, bool enabled,
                          std::vector<Region> regions, const std::vector<Family>& families) {
  TableRecord record;
  record.enabled = enabled;
  record.descriptor = std::move(descriptor);
  record.regions = std::move(regions);
  for (const Family& family : families) {
    record.family_ids[family.descriptor.name] = family.id;
  }
  Status saved = catalog.SaveTable(record, families);
  if (!saved.ok()) {
    Drop(families);
  }
  return saved;
}

}  // namespace klip::engine
