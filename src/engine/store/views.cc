#include "engine/store/views.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rocksdb/db.h"

#include "base/names.h"
#include "engine/store/catalog.h"
#include "engine/store/descriptor_checks.h"

namespace klip::engine {

Expected<TablePtr> Views::GetTable(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = tables_.find(CanonicalTableName(name));
  if (found == tables_.end()) {
    return Status(Code::kTableNotFound, std::string(name));
  }
  return found->second;
}

std::vector<TablePtr> Views::All() const {
  const std::shared_lock lock(mutex_);
  std::vector<TablePtr> all;
  all.reserve(tables_.size());
  for (const auto& [name, view] : tables_) {
    all.push_back(view);
  }
  return all;
}

std::vector<TableDescriptor> Views::ListTables(std::string_view name_space) const {
  std::vector<TableDescriptor> all;
  for (const TablePtr& view : All()) {
    if (name_space.empty() || NamespaceOf(view->descriptor.name) == name_space) {
      all.push_back(view->descriptor);
    }
  }
  return all;
}

std::map<uint32_t, LoggedFamily> Views::LoggedFamilies() const {
  std::map<uint32_t, LoggedFamily> families;
  for (const TablePtr& view : All()) {
    for (const std::vector<Family>* group : {&view->families, &view->indexes}) {
      for (const Family& family : *group) {
        families[family.handle->GetID()] = {view, &family};
      }
    }
  }
  return families;
}

uint64_t Views::WatchTables(TableWatch watch) {
  const std::lock_guard lock(watch_mutex_);
  watches_[++last_watch_] = std::move(watch);
  return last_watch_;
}

void Views::Unwatch(uint64_t watch) {
  const std::lock_guard lock(watch_mutex_);
  watches_.erase(watch);
}

void Views::Publish(TablePtr view) {
  const std::string name = view->descriptor.name;
  {
    const std::unique_lock lock(mutex_);
    std::swap(tables_[name], view);  // the previous view's handles are released outside the lock
    version_.fetch_add(1, std::memory_order_release);
  }
  TellWatches(name);
}

void Views::Unpublish(const std::string& table) {
  decltype(tables_)::node_type last;  // as above
  {
    const std::unique_lock lock(mutex_);
    last = tables_.extract(table);
    version_.fetch_add(1, std::memory_order_release);
  }
  TellWatches(table);
}

void Views::TellWatches(const std::string& table) {
  const std::lock_guard lock(watch_mutex_);
  for (const auto& [number, watch] : watches_) {
    watch(table);
  }
}

// --- TableView ---

const Family* TableView::Find(std::string_view family) const {
  if (families.size() == 1) {
    return families[0].descriptor.name == family ? families.data() : nullptr;
  }
  const auto found = std::lower_bound(families.begin(), families.end(), family,
                                      [](const Family& a, std::string_view name) { return a.descriptor.name < name; });
  return found != families.end() && found->descriptor.name == family ? &*found : nullptr;
}

std::vector<Family> TableView::AllFamilies() const {
  std::vector<Family> all = families;
  all.insert(all.end(), indexes.begin(), indexes.end());
  return all;
}

std::vector<FamilyDescriptor> AllFamilies(const TableDescriptor& table) {
  std::vector<FamilyDescriptor> all = table.families;
  for (auto at = table.attributes.lower_bound(std::string(kIndexAttribute));
       at != table.attributes.end() && at->first.starts_with(kIndexAttribute); ++at) {
    FamilyDescriptor& index = all.emplace_back();
    index.name = kIndexFamilyMark + at->first.substr(kIndexAttribute.size());
    // A compaction that does not see a removal must not count the removed entry as a version, so it keeps all versions.
    index.max_versions = std::numeric_limits<int32_t>::max();
    index.compression = table.families.empty() ? index.compression : table.families.front().compression;
    if (table.attributes.contains(
            std::string(kIndexRebuildAttribute).append(at->first.substr(kIndexAttribute.size())))) {
      FamilyDescriptor rebuilt = index;
      rebuilt.name += kRebuiltMark;
      all.push_back(std::move(rebuilt));
    }
  }
  return all;
}

const Region& TableView::RegionOf(std::string_view row) const {
  const auto above =
      std::upper_bound(regions->begin(), regions->end(), row,
                       [](std::string_view key, const Region& region) { return key < region.start_key; });
  return *(above - 1);  // the first region starts with the empty key
}

}  // namespace klip::engine
