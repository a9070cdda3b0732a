#include "engine/rocks/memtable_rep.h"

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"
#include "rocksdb/write_buffer_manager.h"
#include <gtest/gtest.h>

#include "base/temp_directory_test.h"

namespace klip::engine {
namespace {

class MemTableRepTest : public testing::Test {
 protected:
  void TearDown() override { db_.reset(); }

  void Open(std::shared_ptr<rocksdb::MemTableRepFactory> factory, size_t write_buffer_bytes) {
    db_.reset();
    rocksdb::Options options;
    options.create_if_missing = true;
    options.allow_concurrent_memtable_write = false;
    options.memtable_factory = std::move(factory);
    options.write_buffer_size = write_buffer_bytes;
    options.arena_block_size = write_buffer_bytes / 8;
    buffers_ = std::make_shared<rocksdb::WriteBufferManager>(1 << 30);
    options.write_buffer_manager = buffers_;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status opened = rocksdb::DB::Open(options, temp_.path(), &db);
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    db_.reset(db);
  }

  using Rows = std::map<std::string, std::string>;

  void ExpectSame(const Rows& rows, const rocksdb::Snapshot* snapshot) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options));
    it->SeekToFirst();
    for (const auto& [key, value] : rows) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(), key);
      ASSERT_EQ(it->value().ToString(), value);
      it->Next();
    }
    ASSERT_FALSE(it->Valid());
    it->SeekToLast();
    for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(), at->first);
      it->Prev();
    }
    ASSERT_FALSE(it->Valid());
    for (const auto& [key, value] : rows) {
      std::string got;
      ASSERT_TRUE(db_->Get(options, key, &got).ok());
      ASSERT_EQ(got, value);
      it->SeekForPrev(key + '\0');
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(), key);
    }
  }

  const TempDirectory temp_;
  std::shared_ptr<rocksdb::WriteBufferManager> buffers_;
  std::unique_ptr<rocksdb::DB> db_;
};

// Puts, deletes and range deletes in batches, compared with a map; snapshots, flushes and reopening in between.
TEST_F(MemTableRepTest, DatabaseLikeAMap) {
  ASSERT_NO_FATAL_FAILURE(Open(NewMemTableRepFactory(), 64 << 10));
  std::mt19937_64 random(11);
  const auto key = [&] { return std::string(random() % 3 * 5, 'k') + std::to_string(random() % 500); };
  Rows rows;
  for (int round = 0; round < 20; ++round) {
    const rocksdb::Snapshot* snapshot = db_->GetSnapshot();
    const Rows then = rows;
    for (int i = 0; i < 40; ++i) {
      rocksdb::WriteBatch batch;
      for (auto operations = random() % 20; operations > 0; --operations) {
        const std::string at = key();
        if (const auto what = random() % 100; what < 75) {
          rows[at] = std::string(random() % 50, 'v') + std::to_string(i);
          ASSERT_TRUE(batch.Put(at, rows[at]).ok());
        } else if (what < 98) {
          rows.erase(at);
          ASSERT_TRUE(batch.Delete(at).ok());
        } else {
          ASSERT_TRUE(batch.DeleteRange(at, at + "4").ok());
          rows.erase(rows.lower_bound(at), rows.lower_bound(at + "4"));
        }
      }
      ASSERT_TRUE(db_->Write(rocksdb::WriteOptions(), &batch).ok());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSame(rows, nullptr));
    ASSERT_NO_FATAL_FAILURE(ExpectSame(then, snapshot));
    std::unique_ptr<rocksdb::Iterator> open_before(db_->NewIterator(rocksdb::ReadOptions()));
    if (round % 5 == 3) {
      ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok());
    }
    open_before->SeekToFirst();
    for (const auto& [at, value] : rows) {
      ASSERT_TRUE(open_before->Valid());
      ASSERT_EQ(open_before->key().ToString(), at);
      open_before->Next();
    }
    open_before.reset();
    db_->ReleaseSnapshot(snapshot);
    if (round % 7 == 6) {
      ASSERT_NO_FATAL_FAILURE(Open(NewMemTableRepFactory(), 64 << 10));
      ASSERT_NO_FATAL_FAILURE(ExpectSame(rows, nullptr));
    }
  }
}

// The memory counted towards the write buffer's limit is that of the skip list, within a tenth.
TEST_F(MemTableRepTest, MemoryIsCounted) {
  std::vector<double> counted;
  for (const bool ours : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(
        Open(ours ? NewMemTableRepFactory() : std::make_shared<rocksdb::SkipListFactory>(), 64 << 20));
    const size_t before = buffers_->memory_usage();
    std::mt19937_64 random(5);
    for (int i = 0; i < 50000; ++i) {
      ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), "user" + std::to_string(random()), std::string(100, 'v')).ok());
    }
    counted.push_back(static_cast<double>(buffers_->memory_usage() - before));
    rocksdb::FlushOptions flush;
    ASSERT_TRUE(db_->Flush(flush).ok());
  }
  EXPECT_NEAR(counted[1] / counted[0], 1, 0.1);
}

TEST_F(MemTableRepTest, SizesOfRanges) {
  ASSERT_NO_FATAL_FAILURE(Open(NewMemTableRepFactory(), 64 << 20));
  constexpr int kRows = 100000;
  std::mt19937_64 random(3);
  for (int i = 0; i < kRows; ++i) {
    const std::string key = "user" + std::to_string(1000000 + random() % 1000000);
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, std::string(100, 'v')).ok());
  }
  const auto size = [&](const std::string& low, const std::string& high) {
    const rocksdb::Range range(low, high);
    rocksdb::SizeApproximationOptions options;
    options.include_memtables = true;
    options.include_files = false;
    uint64_t bytes = 0;
    EXPECT_TRUE(db_->GetApproximateSizes(options, db_->DefaultColumnFamily(), &range, 1, &bytes).ok());
    return static_cast<double>(bytes);
  };
  const double all = size("a", "z");
  EXPECT_NEAR(all, kRows * 125.0, kRows * 10.0);
  EXPECT_NEAR(size("user11", "user12"), all / 10, all / 50);
  EXPECT_NEAR(size("user15", "user2"), all / 2, all / 20);
  EXPECT_EQ(size("v", "w"), 0);
}

TEST_F(MemTableRepTest, ConcurrentWritesAreRefusedAtOpen) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.memtable_factory = NewMemTableRepFactory();
  rocksdb::DB* db = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(options, temp_.path(), &db).IsInvalidArgument());
}

}  // namespace
}  // namespace klip::engine
