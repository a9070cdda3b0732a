#include "engine/store/catalog_file.h"

#include <algorithm>
#include <utility>

#include "engine/layout/file_lookup.h"
#include "engine/store/small_file.h"
#include "engine/store/storage_hooks.h"

namespace klip::engine {

Status CatalogFile::Read() {
  const std::string& path = database_->path();
  const std::string file = path + "/" + kCatalogName;
  KLIP_ASSIGN_OR_RETURN(const bool has_database, FileIsThere(database_->env, path + "/CURRENT"));
  KLIP_ASSIGN_OR_RETURN(const bool has_catalog, FileIsThere(database_->env, file));
  if (!has_catalog) {
    if (has_database) {
      return {Code::kCorruption, file + " is missing from the store"};
    }
    return database_->read_only() ? Status(Code::kIoError, "no store at '" + path + "': its first open was cut short")
                                  : Lock().Save(Catalog::Empty());
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(database_->env, file));
  KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
  KLIP_ASSIGN_OR_RETURN(catalog_, Catalog::FromJson(json, file));
  if (!has_database && !catalog_.tables.empty()) {
    return {Code::kCorruption, path + "/CURRENT is missing from the store"};
  }
  return Status::Ok();
}

LockedCatalog::LockedCatalog(CatalogFile* file) : file_(file), lock_(file->mutex_) {}

const Catalog* LockedCatalog::operator->() const { return &file_->catalog_; }

Expected<TablePtr> LockedCatalog::Find(std::string_view table) const { return file_->views_->GetTable(table); }

std::unique_lock<TableLock> LockedCatalog::StopWriters(const std::string& table) const {
  return std::unique_lock(file_->locks_->ForTable(table));
}

Status LockedCatalog::CheckWritable() const { return file_->writer_->CheckWritable(); }

int64_t LockedCatalog::NextRegionId() const {
  return std::max(file_->database_->NowMs(), file_->catalog_.last_region_id + 1);
}

uint32_t LockedCatalog::TakeFamilyId() const { return file_->catalog_.next_family_id++; }

Status LockedCatalog::Save(Catalog next) const {
  KLIP_RETURN_IF_ERROR(CheckWritable());
  if (next.HasIndexes()) {
    KLIP_RETURN_IF_ERROR(file_->database_->RequireFormat(kFormatOfIndexes));
  }
  KLIP_RETURN_IF_ERROR(file_->writer_->SaveFile(file_->database_->path(), kCatalogName, Seal(next.ToJson())));
  Remember(std::move(next));
  return Status::Ok();
}

void LockedCatalog::Remember(Catalog next) const { file_->catalog_ = std::move(next); }

Status LockedCatalog::SaveTable(const TableRecord& record, std::vector<Family> families) const {
  Catalog next = file_->catalog_;
  for (const Region& region : record.regions) {
    next.last_region_id = std::max(next.last_region_id, region.region_id);
  }
  next.tables[record.descriptor.name] = record;
  KLIP_RETURN_IF_ERROR(Save(std::move(next)));
  Publish(record, std::move(families));
  return Status::Ok();
}

void LockedCatalog::Publish(const TableRecord& record, std::vector<Family> families) const {
  auto view = std::make_shared<TableView>();
  view->descriptor = record.descriptor;
  view->enabled = record.enabled;
  std::ranges::sort(families, {}, [](const Family& family) { return std::string_view(family.descriptor.name); });
  view->number = ++file_->last_view_;
  const StorageHooks* const hooks = file_->database_->options.storage_hooks;
  const bool observed = hooks != nullptr && hooks->KeepsAll(record.descriptor);
  for (Family& family : families) {
    const bool index = family.descriptor.name.starts_with(kIndexFamilyMark);
    family.state->observed_view = observed && !index ? view->number : 0;
    if (!observed) {
      family.state->reads_otherwise = false;
    }
    (index ? view->indexes : view->families).push_back(std::move(family));
  }
  view->regions = std::make_shared<const std::vector<Region>>(record.regions);
  view->changes = record.changes;
  file_->views_->Publish(std::move(view));
}

Status LockedCatalog::RemoveTable(const std::string& table) const {
  Catalog next = file_->catalog_;
  next.tables.erase(table);
  KLIP_RETURN_IF_ERROR(Save(std::move(next)));
  file_->views_->Unpublish(table);
  return Status::Ok();
}

}  // namespace klip::engine
