#include "engine/blocks/block_reader.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "engine/blocks/block_iterator.h"
#include "engine/blocks/block_view.h"

namespace klip::engine {
namespace {

bool WantsBlocks() {
  const char* const reader = std::getenv("KLIP_READER");
  return reader != nullptr && std::string_view(reader) == "blocks";
}

bool CanUseBlocks(const rocksdb::ReadOptions& options) {
  return options.ignore_range_deletions && !options.table_filter &&
         (options.read_tier == rocksdb::kReadAllTier || options.read_tier == rocksdb::kBlockCacheTier);
}

}  // namespace

BlockReader::BlockReader(std::shared_ptr<rocksdb::FileSystem> files, std::shared_ptr<rocksdb::Cache> cache,
                         std::shared_ptr<rocksdb::Statistics> statistics)
    : files_(std::move(files)), cache_(std::move(cache)), statistics_(std::move(statistics)), on_(WantsBlocks()) {}

std::unique_ptr<rocksdb::Iterator> BlockReader::NewIterator(rocksdb::DB* db, const rocksdb::ReadOptions& options,
                                                            rocksdb::ColumnFamilyHandle* family, bool filters) {
  if (on_ && !filters && CanUseBlocks(options)) {
    BlockView view;
    if (TakeView(db, family, options.snapshot, files_.get(), TablesOf(family->GetID()), &view)) [[likely]] {
      by_blocks_.fetch_add(1, std::memory_order_relaxed);
      return std::make_unique<BlockIterator>(std::move(view), options, &cache_, statistics_.get());
    }
    fallbacks_.fetch_add(1, std::memory_order_relaxed);
  }
  return std::unique_ptr<rocksdb::Iterator>(db->NewIterator(options, family));
}

FamilyTables* BlockReader::TablesOf(uint32_t family) {
  const std::lock_guard lock(mutex_);
  return &families_[family];
}

void BlockReader::Forget(uint32_t family, std::span<const std::string> paths) { TablesOf(family)->Forget(paths); }

void BlockReader::ForgetAll(uint32_t family) { TablesOf(family)->ForgetAll(); }

}  // namespace klip::engine
