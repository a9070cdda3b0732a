#include "engine/rocks/block_cache.h"

#include <algorithm>
#include <memory>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"

#include "engine/view/table_view.h"

namespace klip::engine {
namespace {

// All families share one cache (rocksdb_options.cc). Null: there is none.
std::shared_ptr<rocksdb::Cache> CacheOf(const Store& store) {
  const rocksdb::Options options = store.db()->GetOptions();
  const auto* table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->block_cache;
}

// RocksDB's own count of this kind of cache is not kept.
int64_t CountBlocks(rocksdb::Cache* cache) {
  int64_t blocks = 0;
  cache->ApplyToAllEntries([&](const rocksdb::Slice&, void*, size_t, rocksdb::Cache::DeleterFn) { ++blocks; }, {});
  return blocks;
}

}  // namespace

void ResizeBlockCache(const Store& store, int64_t bytes) {
  if (const auto cache = CacheOf(store); cache != nullptr) {
    cache->SetCapacity(static_cast<size_t>(std::max<int64_t>(bytes, 1 << 20)));
  }
}

CacheEviction ClearBlockCache(const Store& store) {
  const auto cache = CacheOf(store);
  if (cache == nullptr) {
    return {};
  }
  const int64_t blocks = CountBlocks(cache.get());
  const size_t bytes = cache->GetUsage();
  cache->EraseUnRefEntries();
  // Others may have read meanwhile.
  return {.blocks = blocks - std::min(blocks, CountBlocks(cache.get())),
          .bytes = static_cast<int64_t>(bytes - std::min(bytes, cache->GetUsage())),
          .max_cache_bytes = static_cast<int64_t>(cache->GetCapacity())};
}

}  // namespace klip::engine
