// Regions are key ranges in the catalog. Splitting and merging them moves no data: it is one catalog write.
#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/split_policy.h"
#include "engine/store/store_rep.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

RegionInfo NameOf(const std::string& table, const Region& region) {
  RegionInfo info;
  info.table = table;
  info.start_key = region.start_key;
  info.end_key = region.end_key;
  info.region_id = region.region_id;
  info.encoded_name = base::Hex(base::Md5(table + "," + region.start_key + "," + std::to_string(region.region_id)));
  return info;
}

// What a region came from is of interest until the next change of it.
void AddChange(RegionChange change, std::vector<RegionChange>* changes) {
  constexpr size_t kMostChanges = 1000;  // where nobody forgets them
  std::erase_if(*changes, [&](const RegionChange& earlier) {
    return std::any_of(earlier.after.begin(), earlier.after.end(), [&](const Region& region) {
      return std::any_of(change.before.begin(), change.before.end(), [&](const Region& gone) {
        return gone.start_key == region.start_key && gone.region_id == region.region_id;
      });
    });
  });
  if (changes->size() == kMostChanges) {
    changes->erase(changes->begin());
  }
  changes->push_back(std::move(change));
}

Status NotSplittable() {
  return {
      Code::kDoNotRetry,
      "Region not splittable because bestSplitPoint = null, maybe table is too small for auto split. For force split, "
      "try specifying split row"};
}

}  // namespace

std::vector<RegionInfo> Store::Regions(const TableView& table) {
  std::vector<RegionInfo> all;
  all.reserve(table.regions->size());
  for (const Region& region : *table.regions) {
    all.push_back(InfoOf(table, region));
  }
  return all;
}

RegionInfo Store::InfoOf(const TableView& table, const Region& region) {
  RegionInfo info = NameOf(table.descriptor.name, region);
  info.size_bytes = ApproximateBytes(table, region.start_key, region.end_key);
  return info;
}

Status Store::Rep::SaveRegions(const std::string& table, std::vector<Region> regions, RegionChange change) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, Find(table));
  Catalog next = catalog;
  TableRecord& record = next.tables[table];
  for (const Region& region : regions) {
    next.last_region_id = std::max(next.last_region_id, region.region_id);
  }
  record.regions = std::move(regions);
  AddChange(std::move(change), &record.changes);
  KLIP_RETURN_IF_ERROR(SaveCatalog(std::move(next)));
  Publish(MakeView(catalog.tables[table], view->families));
  return Status::Ok();
}

Status Store::Rep::CheckMaySplit(const TableView& table) const {
  const std::string subject = "Split region of table " + table.descriptor.name + " failed ";
  if (!catalog.split_enabled) {
    return {Code::kDoNotRetry, subject + "due to split switch off"};
  }
  if (IsSwitchedOff(table.descriptor, "SPLIT_ENABLED")) {
    return {Code::kDoNotRetry, subject + "as region split is disabled for the table"};
  }
  if (!MayEverSplit(table.descriptor)) {
    return {Code::kDoNotRetry, table.descriptor.name + " NOT splittable"};
  }
  return Status::Ok();
}

Status Store::Rep::SplitAt(const TablePtr& view, std::string_view split_key) {
  const std::string point = RestrictSplitPoint(view->descriptor, split_key);
  const Region& region = view->RegionOf(point);
  if (point.empty() || point == region.start_key) {
    return {Code::kDoNotRetry, "Split row is equal to startkey: " + ToStringBinary(split_key)};
  }
  Catalog ids = catalog;
  const int64_t id = NewRegionId(&ids);
  const RegionChange change = {.before = {region},
                               .after = {{.start_key = region.start_key, .end_key = point, .region_id = id},
                                         {.start_key = point, .end_key = region.end_key, .region_id = id}}};
  std::vector<Region> regions;
  for (const Region& one : *view->regions) {
    if (&one == &region) {
      regions.insert(regions.end(), change.after.begin(), change.after.end());
    } else {
      regions.push_back(one);
    }
  }
  return SaveRegions(view->descriptor.name, std::move(regions), change);
}

Status Store::SplitRegion(std::string_view table, std::string_view split_key) {
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_ASSIGN_OR_RETURN(TablePtr view, rep_->Find(table));
  KLIP_RETURN_IF_ERROR(rep_->CheckMaySplit(*view));
  if (!view->enabled) {
    return {Code::kTableNotEnabled, view->descriptor.name};
  }
  if (!split_key.empty()) {
    return rep_->SplitAt(view, split_key);
  }
  int splits = 0;
  const auto before = view->regions;  // every region at its middle
  for (const Region& region : *before) {
    const std::vector<std::string> middle = SplitPoints(*view, region.start_key, region.end_key, 2);
    if (middle.empty()) {
      continue;
    }
    const std::string point = RestrictSplitPoint(view->descriptor, middle[0]);
    if (point > region.start_key) {
      KLIP_RETURN_IF_ERROR(rep_->SplitAt(view, point));
      ++splits;
      KLIP_ASSIGN_OR_RETURN(view, rep_->Find(table));
    }
  }
  return splits > 0 ? Status::Ok() : NotSplittable();
}

const Region* TableView::RegionNamed(std::string_view name) const {
  const auto found = std::ranges::find_if(*regions, [&](const Region& region) {
    const RegionInfo info = NameOf(descriptor.name, region);
    return name == info.encoded_name || name == info.Name();
  });
  return found == regions->end() ? nullptr : &*found;
}

Status Store::MergeRegions(std::span<const std::string> regions, bool forcible) {
  const std::lock_guard lock(rep_->ddl_mutex);
  if (regions.size() < 2) {
    return {Code::kDoNotRetry, "Expected to merge more than one region, got: " + std::to_string(regions.size())};
  }
  TablePtr view;
  std::vector<size_t> indexes;
  for (const std::string& name : regions) {
    bool found = false;
    for (const TableDescriptor& descriptor : ListTables()) {
      KLIP_ASSIGN_OR_RETURN(const TablePtr candidate, rep_->Find(descriptor.name));
      const Region* const region = candidate->RegionNamed(name);
      if (region == nullptr) {
        continue;
      }
      if (view != nullptr && view != candidate) {
        return {Code::kDoNotRetry, "Can't merge regions from two different tables: " + view->descriptor.name + ", " +
                                       candidate->descriptor.name};
      }
      view = candidate;
      indexes.push_back(static_cast<size_t>(region - view->regions->data()));
      found = true;
      break;
    }
    if (!found) {
      return {Code::kNotServingRegion, "no region is called " + ToStringBinary(name)};
    }
  }
  std::sort(indexes.begin(), indexes.end());
  if (std::adjacent_find(indexes.begin(), indexes.end()) != indexes.end()) {
    return {Code::kDoNotRetry, "Can't merge a region to itself " + regions[0]};
  }
  if (!rep_->catalog.merge_enabled) {
    return {Code::kDoNotRetry, "Merge of regions failed because merge switch is off"};
  }
  if (IsSwitchedOff(view->descriptor, "MERGE_ENABLED")) {
    return {Code::kDoNotRetry, "Merge of regions failed as region merge is disabled for the table"};
  }
  const size_t first = indexes.front();
  const size_t last = indexes.back();
  if (last - first + 1 != indexes.size() && !forcible) {
    return {Code::kDoNotRetry, "Unable to merge non-adjacent or non-overlapping regions " + regions[0] + ", " +
                                   regions[1] + " when forcible = false"};
  }
  // Regions may not overlap here, so a forced merge of distant regions takes those between along.
  Catalog ids = rep_->catalog;
  std::vector<Region> merged = *view->regions;
  const auto from = merged.begin() + static_cast<std::ptrdiff_t>(first);
  const auto to = merged.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const RegionChange change = {
      .before = {from, to},
      .after = {
          {.start_key = from->start_key, .end_key = std::prev(to)->end_key, .region_id = rep_->NewRegionId(&ids)}}};
  *from = change.after.front();
  merged.erase(from + 1, to);
  return rep_->SaveRegions(view->descriptor.name, std::move(merged), change);
}

Expected<int> Store::ForgetRegionChanges() {
  const std::lock_guard lock(rep_->ddl_mutex);
  Catalog next = rep_->catalog;
  std::vector<std::string> changed;
  int forgotten = 0;
  for (auto& [name, record] : next.tables) {
    if (!record.changes.empty()) {
      forgotten += static_cast<int>(record.changes.size());
      record.changes.clear();
      changed.push_back(name);
    }
  }
  if (changed.empty()) {
    return 0;
  }
  KLIP_RETURN_IF_ERROR(rep_->SaveCatalog(std::move(next)));
  for (const std::string& name : changed) {
    KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(name));
    rep_->Publish(rep_->MakeView(rep_->catalog.tables[name], view->families));
  }
  return forgotten;
}

// --- Policies ---

Expected<int> Store::Rep::SplitByPolicy(Store* store, const std::string& table) {
  const std::lock_guard lock(ddl_mutex);
  Expected<TablePtr> found = Find(table);
  if (!found.ok() || !(*found)->enabled || !CheckMaySplit(**found).ok()) {
    return 0;  // dropped or switched off meanwhile
  }
  TablePtr view = *found;
  int splits = 0;
  const auto before = view->regions;
  for (const Region& region : *before) {
    SplitInput input;
    input.table_regions = static_cast<int>(view->regions->size());
    input.region_age_ms = options.clock_ms() - region.region_id;
    for (const Family& family : view->families) {
      const int64_t bytes = BytesIn(family, region.start_key, region.end_key, /*memory=*/false);
      input.largest_family_bytes = std::max(input.largest_family_bytes, bytes);
      input.all_families_bytes += bytes;
    }
    if (!ShouldSplit(view->descriptor, input)) {
      continue;
    }
    const std::vector<std::string> middle = store->SplitPoints(*view, region.start_key, region.end_key, 2);
    if (middle.empty() || RestrictSplitPoint(view->descriptor, middle[0]) <= region.start_key) {
      continue;
    }
    KLIP_RETURN_IF_ERROR(SplitAt(view, middle[0]));
    KLIP_ASSIGN_OR_RETURN(view, Find(table));
    ++splits;
  }
  return splits;
}

Expected<int> Store::RunSplitPolicies() {
  int splits = 0;
  for (const TableDescriptor& descriptor : ListTables()) {
    KLIP_ASSIGN_OR_RETURN(const int of_table, rep_->SplitByPolicy(this, descriptor.name));
    splits += of_table;
  }
  return splits;
}

bool Store::SetSplitEnabled(bool enabled) {
  const std::lock_guard lock(rep_->ddl_mutex);
  Catalog next = rep_->catalog;
  const bool before = std::exchange(next.split_enabled, enabled);
  if (before != enabled && !rep_->SaveCatalog(std::move(next)).ok()) {
    rep_->catalog.split_enabled = enabled;  // holds for this life of the store at least
  }
  return before;
}

bool Store::SetMergeEnabled(bool enabled) {
  const std::lock_guard lock(rep_->ddl_mutex);
  Catalog next = rep_->catalog;
  const bool before = std::exchange(next.merge_enabled, enabled);
  if (before != enabled && !rep_->SaveCatalog(std::move(next)).ok()) {
    rep_->catalog.merge_enabled = enabled;
  }
  return before;
}

bool Store::IsSplitEnabled() const {
  const std::lock_guard lock(rep_->ddl_mutex);
  return rep_->catalog.split_enabled;
}

bool Store::IsMergeEnabled() const {
  const std::lock_guard lock(rep_->ddl_mutex);
  return rep_->catalog.merge_enabled;
}

}  // namespace klip::engine
