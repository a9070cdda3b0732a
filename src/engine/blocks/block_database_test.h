// A database of RocksDB with klip's options, for tests of the block reader.
#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "engine/blocks/block_reader.h"
#include "engine/rocks/memtable_rep.h"

namespace klip::engine {

// While it exists, stores that are opened have this reader.
class ReaderInEnvironment {
 public:
  explicit ReaderInEnvironment(const char* reader) {
    const char* const now = std::getenv("KLIP_READER");
    before_ = now == nullptr ? "" : now;
    setenv("KLIP_READER", reader, 1);
  }
  ~ReaderInEnvironment() { setenv("KLIP_READER", before_.c_str(), 1); }
  ReaderInEnvironment(const ReaderInEnvironment&) = delete;
  ReaderInEnvironment& operator=(const ReaderInEnvironment&) = delete;

 private:
  std::string before_;
};

class BlockDatabaseTest : public testing::Test {
 protected:
  struct Setup {
    rocksdb::CompressionType compression = rocksdb::kLZ4Compression;
    bool dictionary = false;
    size_t block_bytes = 512;
    size_t cache_bytes = 8 << 20;
    size_t write_buffer_bytes = 1 << 20;
    uint64_t file_bytes = 16 << 10;
    bool compact_by_itself = false;
    std::shared_ptr<rocksdb::FileSystem> files = rocksdb::FileSystem::Default();  // of the block reader
    std::function<void(rocksdb::Options*, rocksdb::BlockBasedTableOptions*)> change = {};
  };

  void TearDown() override { Close(); }

  void Open(const Setup& setup) {
    Close();
    options_ = rocksdb::Options();
    options_.create_if_missing = true;
    options_.allow_concurrent_memtable_write = false;
    options_.memtable_factory = NewMemTableRepFactory();
    options_.write_buffer_size = setup.write_buffer_bytes;
    options_.arena_block_size = 8 << 10;
    options_.max_background_jobs = 2;
    options_.target_file_size_base = setup.file_bytes;
    options_.max_bytes_for_level_base = 4 * setup.file_bytes;
    options_.compression = setup.compression;
    options_.disable_auto_compactions = !setup.compact_by_itself;
    if (setup.dictionary) {
      options_.compression_opts.max_dict_bytes = 4 << 10;
    }
    options_.statistics = rocksdb::CreateDBStatistics();
    cache_ = rocksdb::NewLRUCache(setup.cache_bytes);
    rocksdb::BlockBasedTableOptions table;
    table.format_version = 5;
    table.block_size = setup.block_bytes;
    table.block_cache = cache_;
    if (setup.change) {
      setup.change(&options_, &table);
    }
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    const ReaderInEnvironment blocks("blocks");
    reader_ = std::make_shared<BlockReader>(setup.files, cache_, options_.statistics);
    options_.listeners = {std::make_shared<Forgetter>(reader_)};
    rocksdb::DB* db = nullptr;
    const rocksdb::Status opened = rocksdb::DB::Open(options_, temp_.path() + "/db", &db);
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    db_.reset(db);
  }
  void Close() { db_.reset(); }

  static rocksdb::ReadOptions Reads() {
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    options.ignore_range_deletions = true;
    return options;
  }
  std::unique_ptr<rocksdb::Iterator> Ours(const rocksdb::ReadOptions& options = Reads()) {
    return reader_->NewIterator(db_.get(), options, db_->DefaultColumnFamily(), /*filters=*/false);
  }
  std::unique_ptr<rocksdb::Iterator> Theirs(const rocksdb::ReadOptions& options = Reads()) {
    return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options));
  }

  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, value).ok());
  }
  void Flush() { ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok()); }
  void Compact() {
    const rocksdb::Status status = db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // Of ascending keys. Its sequence number is only in the MANIFEST.
  void Ingest(const std::vector<std::pair<std::string, std::string>>& cells) {
    const std::string file = temp_.path() + "/load" + std::to_string(++loads_) + ".sst";
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_);
    ASSERT_TRUE(writer.Open(file).ok());
    for (const auto& [key, value] : cells) {
      ASSERT_TRUE(writer.Put(key, value).ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
    rocksdb::IngestExternalFileOptions how;
    how.move_files = true;
    how.write_global_seqno = false;
    const rocksdb::Status status = db_->IngestExternalFile({file}, how);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<std::string> Tables() const {
    rocksdb::ColumnFamilyMetaData listed;
    db_->GetColumnFamilyMetaData(&listed);
    std::vector<std::string> paths;
    for (const auto& level : listed.levels) {
      for (const auto& file : level.files) {
        paths.push_back(file.db_path + file.name);
      }
    }
    return paths;
  }

  // As the store does.
  class Forgetter final : public rocksdb::EventListener {
   public:
    explicit Forgetter(std::shared_ptr<BlockReader> reader) : reader_(std::move(reader)) {}
    void OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& info) override {
      reader_->Forget(info.cf_id, info.input_files);
    }

   private:
    const std::shared_ptr<BlockReader> reader_;
  };

  const TempDirectory temp_{TempDirectory::Where::kMemory};
  rocksdb::Options options_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::shared_ptr<BlockReader> reader_;
  std::unique_ptr<rocksdb::DB> db_;
  int loads_ = 0;
};

}  // namespace klip::engine
