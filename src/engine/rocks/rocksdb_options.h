// RocksDB's options as klip sets them. Every choice of tuning is here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/options.h"

#include "engine/view/table_view.h"
#include "klip/admin.h"

namespace rocksdb {
class Cache;
class EventListener;
class Statistics;
class WriteBufferManager;
}  // namespace rocksdb

namespace klip::engine {

// Shared by all column families of a store.
struct SharedResources {
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> memtables;
  std::shared_ptr<rocksdb::Statistics> statistics;
  int64_t memtable_bytes = 0;

  static SharedResources Make(const StoreOptions& options);
};

rocksdb::DBOptions DatabaseOptions(const StoreOptions& options, const SharedResources& shared,
                                   std::shared_ptr<rocksdb::EventListener> listener);

// `state` null: a column family without cells (RocksDB's default one, an orphan about to be dropped).
rocksdb::ColumnFamilyOptions FamilyOptions(const FamilyDescriptor& family, const std::shared_ptr<FamilyState>& state,
                                           const SharedResources& shared);

// HBase's 64 KB default stands for "not chosen"; RocksDB reads 16 KB blocks faster.
uint64_t BlockBytes(const FamilyDescriptor& family);
rocksdb::CompressionType CompressionOf(const std::string& name);

// The extractor for the family's bloom kind, "" for none.
std::string BloomNameOf(const FamilyDescriptor& family);

}  // namespace klip::engine
