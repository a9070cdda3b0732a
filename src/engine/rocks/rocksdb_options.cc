#include "engine/rocks/rocksdb_options.h"

#include <algorithm>

#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/write_buffer_manager.h"

#include "engine/layout/bloom_prefix.h"
#include "engine/rocks/compaction_filter.h"
#include "engine/rocks/info_log.h"
#include "engine/rocks/memtable_rep.h"
#include "engine/rocks/rocksdb_versions.h"
#include "engine/statistics/key_statistics.h"

namespace klip::engine {
namespace {

constexpr int32_t kHBaseDefaultBlockBytes = 65536;
constexpr uint64_t kDefaultBlockBytes = 16 << 10;
constexpr double kBloomBitsPerKey = 10;
constexpr uint64_t kTargetFileBytes = 64 << 20;

rocksdb::BlockBasedTableOptions TableOptions(const FamilyDescriptor& family, const SharedResources& shared) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = shared.block_cache;
  // Indexes and filters count towards the cache, so memory has one limit, and are pinned, so a seek never waits for them.
  table.cache_index_and_filter_blocks = true;
  table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  table.metadata_cache_options.partition_pinning = rocksdb::PinningTier::kAll;
  table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  table.format_version = 5;
  table.block_size = BlockBytes(family);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey, false));
  table.whole_key_filtering = false;  // a whole key contains the timestamp: no read knows it
  return table;
}

}  // namespace

SharedResources SharedResources::Make(const StoreOptions& options) {
  SharedResources shared;
  const auto cache_bytes = static_cast<size_t>(std::max<int64_t>(options.block_cache_bytes, 1 << 20));
  const auto memtable_bytes = static_cast<size_t>(std::max<int64_t>(options.memtable_bytes, 64 << 10));
  shared.block_cache = rocksdb::NewLRUCache(cache_bytes);
  shared.memtables = std::make_shared<rocksdb::WriteBufferManager>(memtable_bytes);
  shared.statistics = rocksdb::CreateDBStatistics();
  shared.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  shared.memtable_bytes = static_cast<int64_t>(memtable_bytes);
  return shared;
}

rocksdb::DBOptions DatabaseOptions(const StoreOptions& options, const SharedResources& shared,
                                   std::shared_ptr<rocksdb::EventListener> listener) {
  rocksdb::DBOptions db;
  db.env = options.env != nullptr ? options.env : rocksdb::Env::Default();
  db.create_if_missing = true;
  db.statistics = shared.statistics;
  db.write_buffer_manager = shared.memtables;
  db.allow_concurrent_memtable_write = false;  // a KeyTree has one writer: the first thread of a group writes for all
  db.listeners.push_back(std::move(listener));
  db.max_background_jobs = 2;
  db.max_subcompactions = 1;
  db.max_total_wal_size = static_cast<uint64_t>(std::max<int64_t>(2 * shared.memtable_bytes, 64 << 20));
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  db.max_bgerror_resume_count = 0;  // the store decides when to resume after an error (engine/store/writer.cc)
  db.bytes_per_sync = 1 << 20;
  db.skip_stats_update_on_db_open = true;
  db.skip_checking_sst_file_sizes_on_db_open = true;
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  db.info_log = OpenInfoLog(options.path, options.read_only);
  db.max_log_file_size = 4 << 20;
  return db;
}

rocksdb::ColumnFamilyOptions FamilyOptions(const FamilyDescriptor& family, const std::shared_ptr<FamilyState>& state,
                                           const SharedResources& shared) {
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(TableOptions(family, shared)));
  options.compression = CompressionOf(family.compression);
  if (options.compression == rocksdb::kZSTD) {
    // One dictionary per file, since neighbouring blocks are similar: 18 % smaller on the year of visits, for 6 % more
    // CPU to write.
    options.compression_opts.max_dict_bytes = 16 << 10;
    options.compression_opts.zstd_max_train_bytes = 1 << 20;
    options.compression_opts.max_dict_buffer_bytes = 4 << 20;
  }
  options.compaction_style = rocksdb::kCompactionStyleLevel;
  options.level_compaction_dynamic_level_bytes = true;
  options.target_file_size_base = kTargetFileBytes;
  options.write_buffer_size = static_cast<size_t>(std::max<int64_t>(shared.memtable_bytes / 2, 64 << 10));
  options.max_write_buffer_number = 3;
  options.memtable_factory = NewMemTableRepFactory();
  // A block is at most an eighth of a memtable: RocksDB aborts if the first one exceeds the memtable's limit.
  options.arena_block_size = std::min<size_t>(256 << 10, options.write_buffer_size / 8);
  if (state != nullptr) {
    options.prefix_extractor = NewBloomPrefix(BloomNameOf(family));
    options.compaction_filter_factory = NewCompactionFilterFactory(state);
    options.table_properties_collector_factories.push_back(NewKeyStatisticsFactory(state));
  }
  return options;
}

uint64_t BlockBytes(const FamilyDescriptor& family) {
  if (family.block_bytes == kHBaseDefaultBlockBytes) {
    return kDefaultBlockBytes;
  }
  return static_cast<uint64_t>(
      std::clamp(family.block_bytes, 1024, 16 << 20));  // the sanity checks can be switched off
}

rocksdb::CompressionType CompressionOf(const std::string& name) {
  if (name.empty() || name == "NONE") {
    return rocksdb::kNoCompression;
  }
  if (name == "GZ") {
    return rocksdb::kZlibCompression;
  }
  if (name == "SNAPPY") {
    return rocksdb::kSnappyCompression;
  }
  if (name == "LZ4") {
    return rocksdb::kLZ4Compression;
  }
  if (name == "BZIP2") {
    return rocksdb::kBZip2Compression;
  }
  return rocksdb::kZSTD;
}

std::string BloomNameOf(const FamilyDescriptor& family) {
  return BloomPrefixName(family.bloom, family.bloom_prefix_bytes);
}

}  // namespace klip::engine
