#include "engine/store/regions.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/catalog_file.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/split_policy.h"
#include "engine/store/storage.h"
#include "engine/view/cell_reads.h"
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

// The origin of a region matters until its next change.
void AddChange(RegionChange change, std::vector<RegionChange>* changes) {
  constexpr size_t kMostChanges = 1000;  // in case nobody forgets them
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

Status SaveRegions(const LockedCatalog& catalog, const TableView& view, std::vector<Region> regions,
                   RegionChange change) {
  TableRecord record = catalog->tables.at(view.descriptor.name);
  record.regions = std::move(regions);
  AddChange(std::move(change), &record.changes);
  return catalog.SaveTable(record, view.AllFamilies());
}

Status CheckMaySplit(const Catalog& catalog, const TableView& table) {
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

}  // namespace

std::vector<RegionInfo> Regions::List(const TableView& table) const {
  std::vector<RegionInfo> all;
  all.reserve(table.regions->size());
  for (const Region& region : *table.regions) {
    all.push_back(InfoOf(table, region));
  }
  return all;
}

RegionInfo Regions::InfoOf(const TableView& table, const Region& region) const {
  RegionInfo info = NameOf(table.descriptor.name, region);
  info.size_bytes = storage_->ApproximateBytes(table, region.start_key, region.end_key);
  return info;
}

Status Regions::SplitAt(const LockedCatalog& catalog, const TableView& view, std::string_view split_key) {
  const std::string point = RestrictSplitPoint(view.descriptor, split_key);
  const Region& region = view.RegionOf(point);
  if (point.empty() || point == region.start_key) {
    return {Code::kDoNotRetry, "Split row is equal to startkey: " + ToStringBinary(split_key)};
  }
  const int64_t id = catalog.NextRegionId();
  const RegionChange change = {.before = {region},
                               .after = {{.start_key = region.start_key, .end_key = point, .region_id = id},
                                         {.start_key = point, .end_key = region.end_key, .region_id = id}}};
  std::vector<Region> regions;
  for (const Region& one : *view.regions) {
    if (&one == &region) {
      regions.insert(regions.end(), change.after.begin(), change.after.end());
    } else {
      regions.push_back(one);
    }
  }
  return SaveRegions(catalog, view, std::move(regions), change);
}

Status Regions::SplitRegion(std::string_view table, std::string_view split_key) {
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_ASSIGN_OR_RETURN(TablePtr view, catalog.Find(table));
  KLIP_RETURN_IF_ERROR(CheckMaySplit(*catalog, *view));
  if (!view->enabled) {
    return {Code::kTableNotEnabled, view->descriptor.name};
  }
  if (!split_key.empty()) {
    return SplitAt(catalog, *view, split_key);
  }
  int splits = 0;
  const auto before = view->regions;  // every region at its middle
  for (const Region& region : *before) {
    const std::vector<std::string> middle = storage_->SplitPoints(*view, region.start_key, region.end_key, 2);
    if (middle.empty()) {
      continue;
    }
    const std::string point = RestrictSplitPoint(view->descriptor, middle[0]);
    if (point > region.start_key) {
      KLIP_RETURN_IF_ERROR(SplitAt(catalog, *view, point));
      ++splits;
      KLIP_ASSIGN_OR_RETURN(view, catalog.Find(table));
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

std::string TableView::EncodedNameOf(const Region& region) const {
  return NameOf(descriptor.name, region).encoded_name;
}

Status Regions::MergeRegions(std::span<const std::string> regions, bool forcible) {
  const LockedCatalog catalog = catalog_->Lock();
  if (regions.size() < 2) {
    return {Code::kDoNotRetry, "Expected to merge more than one region, got: " + std::to_string(regions.size())};
  }
  TablePtr view;
  std::vector<size_t> indexes;
  for (const std::string& name : regions) {
    bool found = false;
    for (const auto& [table, record] : catalog->tables) {
      KLIP_ASSIGN_OR_RETURN(const TablePtr candidate, catalog.Find(table));
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
      return {Code::kNotServingRegion, "no region named " + ToStringBinary(name)};
    }
  }
  std::sort(indexes.begin(), indexes.end());
  if (std::adjacent_find(indexes.begin(), indexes.end()) != indexes.end()) {
    return {Code::kDoNotRetry, "Can't merge a region to itself " + regions[0]};
  }
  if (!catalog->merge_enabled) {
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
  // Regions may not overlap, so a forced merge of distant regions includes those between them.
  std::vector<Region> merged = *view->regions;
  const auto from = merged.begin() + static_cast<std::ptrdiff_t>(first);
  const auto to = merged.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const RegionChange change = {
      .before = {from, to},
      .after = {
          {.start_key = from->start_key, .end_key = std::prev(to)->end_key, .region_id = catalog.NextRegionId()}}};
  *from = change.after.front();
  merged.erase(from + 1, to);
  return SaveRegions(catalog, *view, std::move(merged), change);
}

Expected<int> Regions::ForgetRegionChanges() {
  const LockedCatalog catalog = catalog_->Lock();
  Catalog next = *catalog;
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
  KLIP_RETURN_IF_ERROR(catalog.Save(std::move(next)));
  for (const std::string& name : changed) {
    KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(name));
    catalog.Publish(catalog->tables.at(name), view->AllFamilies());
  }
  return forgotten;
}

// --- Truncating ---

namespace {

// Deletes all cells of the region. REQUIRES: nobody writes to it. Deletes key by key: with a range deletion, RocksDB
// would show the deleted cells to compaction filters, where they would count as versions and mask others. Also, RocksDB
// 7.8 does not import range deletions unchanged.
Status DeleteKeys(rocksdb::DB* db, Writer* writer, const Family& family, const Region& region) {
  constexpr size_t kBatchBytes = 1 << 20;
  const std::string doing = "truncating a region, family '" + family.descriptor.name + "'";
  const std::string low = RowLowerBound(region.start_key);
  const std::string high = RowLowerBound(region.end_key);
  rocksdb::ReadOptions read = CellReads(family);
  read.total_order_seek = true;
  read.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> keys(db->NewIterator(read, family.handle.get()));
  rocksdb::WriteBatch batch;
  // Backwards: whatever part of a row a crash leaves then has all its markers and newer versions.
  if (high.empty()) {
    keys->SeekToLast();
  } else {
    keys->SeekForPrev(high);  // no cell's key equals a bound
  }
  for (; keys->Valid() && keys->key().compare(low) >= 0; keys->Prev()) {
    KLIP_RETURN_IF_ERROR(FromRocks(batch.Delete(family.handle.get(), keys->key()), doing));
    if (batch.GetDataSize() >= kBatchBytes) {
      KLIP_RETURN_IF_ERROR(writer->Write(Durability::kSyncWal, &batch));
      batch.Clear();
    }
  }
  KLIP_RETURN_IF_ERROR(FromRocks(keys->status(), doing));
  return batch.Count() == 0 ? Status::Ok() : writer->Write(Durability::kSyncWal, &batch);
}

// Without it, scans would pass over the deleted cells until the next compaction. And a compaction that read an old cell
// and a new one, but not the deletion of the old one, would count the old one as a version. Best effort: reads do not see
// the region's old cells in any case.
void CompactDeleted(rocksdb::DB* db, const Family& family, const Region& region) {
  const std::string low = RowLowerBound(region.start_key);
  const std::string high = RowLowerBound(region.end_key);
  const rocksdb::Slice begin = low;
  const rocksdb::Slice end = high;
  rocksdb::CompactRangeOptions how;
  how.exclusive_manual_compaction = false;
  how.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  family.state->truncating.store(true, std::memory_order_release);
  db->CompactRange(how, family.handle.get(), &begin, high.empty() ? nullptr : &end).PermitUncheckedError();
  family.state->truncating.store(false, std::memory_order_release);
}

}  // namespace

Status Regions::TruncateRegion(std::string_view table, std::string_view start_key,
                               const std::function<Status(const Region&)>& before) {
  const std::string name(CanonicalTableName(table));
  const LockedCatalog catalog = catalog_->Lock();
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, catalog.Find(name));
  const Region& region = view->RegionOf(start_key);
  if (region.start_key != start_key) {
    return {Code::kInvalidArgument, "no region of table '" + name + "' starts at '" + ToStringBinary(start_key) + "'"};
  }
  const auto writers = catalog.StopWriters(name);
  KLIP_RETURN_IF_ERROR(before ? before(region) : Status::Ok());
  for (const Family& family : view->families) {
    KLIP_RETURN_IF_ERROR(DeleteKeys(database_->db.get(), writer_, family, region));
  }
  for (const Family& family : view->families) {
    CompactDeleted(database_->db.get(), family, region);
  }
  return Status::Ok();
}

// --- Policies ---

Expected<int> Regions::SplitByPolicy(const std::string& table) {
  const LockedCatalog catalog = catalog_->Lock();
  Expected<TablePtr> found = catalog.Find(table);
  if (!found.ok() || !(*found)->enabled || !CheckMaySplit(*catalog, **found).ok()) {
    return 0;  // dropped or switched off meanwhile
  }
  TablePtr view = *found;
  int splits = 0;
  const auto before = view->regions;
  for (const Region& region : *before) {
    SplitInput input;
    input.table_regions = static_cast<int>(view->regions->size());
    input.region_age_ms = database_->NowMs() - region.region_id;
    for (const Family& family : view->families) {
      const int64_t bytes = storage_->BytesOf(family, region.start_key, region.end_key, /*memory=*/false);
      input.largest_family_bytes = std::max(input.largest_family_bytes, bytes);
      input.all_families_bytes += bytes;
    }
    if (!ShouldSplit(view->descriptor, input)) {
      continue;
    }
    const std::vector<std::string> middle = storage_->SplitPoints(*view, region.start_key, region.end_key, 2);
    if (middle.empty() || RestrictSplitPoint(view->descriptor, middle[0]) <= region.start_key) {
      continue;
    }
    KLIP_RETURN_IF_ERROR(SplitAt(catalog, *view, middle[0]));
    KLIP_ASSIGN_OR_RETURN(view, catalog.Find(table));
    ++splits;
  }
  return splits;
}

Expected<int> Regions::RunSplitPolicies() {
  std::vector<std::string> tables;
  for (const auto& [name, record] : catalog_->Lock()->tables) {
    tables.push_back(name);
  }
  int splits = 0;
  for (const std::string& table : tables) {
    KLIP_ASSIGN_OR_RETURN(const int of_table, SplitByPolicy(table));
    splits += of_table;
  }
  return splits;
}

void Regions::StartSplitter() {
  splitter_ = std::thread([this] {
    StoreEvents& events = *database_->events;
    uint64_t seen = 0;
    std::unique_lock lock(events.mutex);
    while (true) {
      events.changed.wait(lock, [&] { return events.stopping || events.new_files != seen; });
      if (events.stopping) {
        return;
      }
      seen = events.new_files;
      lock.unlock();
      (void)RunSplitPolicies();  // a region that could not be split now is tried again after the next flush
      lock.lock();
    }
  });
}

void Regions::StopSplitter() {
  database_->events->Stop();
  if (splitter_.joinable()) {
    splitter_.join();
  }
}

// --- Switches ---

bool Regions::SetSwitch(bool Catalog::* which, bool enabled) {
  const LockedCatalog catalog = catalog_->Lock();
  Catalog next = *catalog;
  const bool before = std::exchange(next.*which, enabled);
  if (before != enabled && !catalog.Save(next).ok()) {
    catalog.Remember(std::move(next));  // applies at least until the store closes
  }
  return before;
}

bool Regions::SetSplitEnabled(bool enabled) { return SetSwitch(&Catalog::split_enabled, enabled); }
bool Regions::SetMergeEnabled(bool enabled) { return SetSwitch(&Catalog::merge_enabled, enabled); }
bool Regions::IsSplitEnabled() const { return catalog_->Lock()->split_enabled; }
bool Regions::IsMergeEnabled() const { return catalog_->Lock()->merge_enabled; }

}  // namespace klip::engine
