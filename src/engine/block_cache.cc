#include "engine/block_cache.h"

#include <algorithm>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/table.h"

#include "engine/store.h"

namespace klip::engine {

void ResizeBlockCache(const Store& store, int64_t bytes) {
  const rocksdb::Options options = store.db()->GetOptions();
  // All families share one cache (rocksdb_options.cc).
  const auto* table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr && table->block_cache != nullptr) {
    table->block_cache->SetCapacity(static_cast<size_t>(std::max<int64_t>(bytes, 1 << 20)));
  }
}

}  // namespace klip::engine
