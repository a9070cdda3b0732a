#include "engine/store/storage.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "rocksdb/metadata.h"

#include "engine/layout/rocksdb_status.h"
#include "engine/rocks/rocksdb_versions.h"
#include "engine/store/database.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/storage_hooks.h"
#include "engine/store/views.h"
#include "engine/store/writer.h"

namespace klip::engine {
namespace {

// All families of the table, or the one of that name.
Expected<std::vector<Family>> FamiliesOf(const TableView& table, std::string_view name) {
  if (name.empty()) {
    return table.AllFamilies();
  }
  const Family* family = table.Find(name);
  if (family == nullptr) {
    return Status(Code::kNoSuchColumnFamily,
                  "Column family " + std::string(name) + " does not exist in table " + table.descriptor.name);
  }
  return std::vector<Family>{*family};
}

}  // namespace

Status Storage::Flush(std::string_view table, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, views_->GetTable(table));
  KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const std::vector<Family> families, FamiliesOf(*view, family));
  const auto run = [&] { return FlushFamilies(families); };
  StorageHooks* const hooks = database_->options.storage_hooks;
  return hooks == nullptr ? run() : hooks->AroundFlush(view, families, run);
}

Status Storage::FlushFamilies(std::span<const Family> families) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  for (const Family& one : families) {
    handles.push_back(one.handle.get());
  }
  return FromRocks(writer_->Flush(handles), "flushing family '" + families.front().descriptor.name + "'");
}

namespace {

int64_t MinFilesToCompact(const TableDescriptor& table, const FamilyDescriptor& family) {
  constexpr int64_t kWorthMerging = 2;
  const std::string key = "hbase.hstore.compaction.min";
  return std::max(NumberIn({{key, FamilySettingOf(table, family, key)}}, key, kWorthMerging), kWorthMerging);
}

int64_t NewFiles(rocksdb::DB* db, const Family& family) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(family.handle.get(), &meta);
  return static_cast<int64_t>(meta.levels.front().files.size());
}

}  // namespace

namespace {

// RocksDB does not count the blocks of this kind of cache.
int64_t CountBlocks(rocksdb::Cache* cache) {
  int64_t blocks = 0;
  cache->ApplyToAllEntries([&](const rocksdb::Slice&, void*, size_t, const auto&) { ++blocks; }, {});
  return blocks;
}

}  // namespace

void Storage::ResizeBlockCache(int64_t bytes) {
  database_->shared.block_cache->SetCapacity(static_cast<size_t>(std::max<int64_t>(bytes, 1 << 20)));
}

CacheEviction Storage::ClearBlockCache() {
  rocksdb::Cache* const cache = database_->shared.block_cache.get();
  const int64_t blocks = CountBlocks(cache);
  const size_t bytes = cache->GetUsage();
  cache->EraseUnRefEntries();
  // Other threads may have read meanwhile.
  return {.blocks = blocks - std::min(blocks, CountBlocks(cache)),
          .bytes = static_cast<int64_t>(bytes - std::min(bytes, cache->GetUsage())),
          .max_cache_bytes = static_cast<int64_t>(cache->GetCapacity())};
}

Status Storage::Compact(std::string_view table, bool major, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, views_->GetTable(table));
  KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
  KLIP_ASSIGN_OR_RETURN(const std::vector<Family> families, FamiliesOf(*view, family));
  for (const Family& one : families) {
    if (!major && NewFiles(database_->db.get(), one) < MinFilesToCompact(view->descriptor, one.descriptor)) {
      continue;
    }
    const auto run = [&](const model::FamilyPolicy* policy) { return CompactBy(policy, one, major); };
    StorageHooks* const hooks = database_->options.storage_hooks;
    KLIP_RETURN_IF_ERROR(hooks == nullptr ? CompactFamily(one, major) : hooks->AroundCompaction(view, one, major, run));
  }
  return Status::Ok();
}

// Two concurrent calls may see each other's policy, which is harmless: the same observer made both.
Status Storage::CompactBy(const model::FamilyPolicy* policy, const Family& family, bool major) {
  FamilyState& state = *family.state;
  state.asked_policy = policy == nullptr ? nullptr : std::make_shared<const model::FamilyPolicy>(*policy);
  Status compacted = CompactFamily(family, major);
  state.asked_policy.store(nullptr);
  return compacted;
}

namespace {

struct CompactionInput {
  std::vector<std::string> files;
  int output_level = 0;
};

// Major: all files, into the last level. Minor: the newest level's files, with those that they overlap below.
CompactionInput ChooseFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, bool major) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(handle, &meta);
  CompactionInput input;
  input.output_level = db->NumberLevels(handle) - 1;
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    if (!major && level.level > 0 && !level.files.empty()) {
      input.output_level = level.level;
      break;
    }
    for (const rocksdb::SstFileMetaData& file : level.files) {
      input.files.push_back(file.name);
    }
  }
  return input;
}

}  // namespace

Status Storage::CompactFamily(const Family& family, bool major) {
  rocksdb::DB* const db = database_->db.get();
  const std::string doing = "compacting family '" + family.descriptor.name + "'";
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kDisableCompressionOption;  // the family's own
  compaction.output_file_size_limit = 64 << 20;
  compaction.max_subcompactions = 1;
  while (true) {
    uint64_t seen = 0;
    {
      const std::lock_guard lock(database_->events->mutex);
      seen = database_->events->compactions;
    }
    const CompactionInput input = ChooseFiles(db, family.handle.get(), major);
    if (input.files.empty()) {
      return Status::Ok();
    }
    StoreEvents& events = *database_->events;  // RocksDB reports only the compactions that it starts itself
    events.rewrites.fetch_add(1, std::memory_order_acq_rel);
    events.running_compactions.fetch_add(1, std::memory_order_relaxed);
    const rocksdb::Status status = writer_->ChangeFiles(
        [&] { return db->CompactFiles(compaction, family.handle.get(), input.files, input.output_level); });
    events.running_compactions.fetch_sub(1, std::memory_order_relaxed);
    events.file_generation.fetch_add(1, std::memory_order_acq_rel);
    // An automatic compaction has taken or just replaced some of the files: retry after one has ended.
    const bool taken = status.IsAborted() || status.IsInvalidArgument() || status.IsNotFound();
    if (!taken) {
      return FromRocks(status, doing);
    }
    std::unique_lock lock(database_->events->mutex);
    database_->events->changed.wait_for(lock, std::chrono::milliseconds(100), [&] {
      return database_->events->compactions != seen || database_->events->stopping;
    });
    if (database_->events->stopping) {
      return {Code::kCancelled, doing + ": the store is closing"};
    }
  }
}

}  // namespace klip::engine
