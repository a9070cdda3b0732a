#include "engine/blocks/block_reader.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "rocksdb/convenience.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/write_batch.h"

#include "engine/blocks/block_database_test.h"

namespace klip::engine {
namespace {

// --- Random histories, compared with RocksDB's iterator ---

class BlockHistoryTest : public BlockDatabaseTest {
 protected:
  using Random = std::mt19937_64;

  // Keys that share prefixes, are prefixes of each other, and contain zeros and 0xFF.
  static std::string Key(Random* random) {
    static constexpr std::string_view kHeads[] = {"", "a", "row/", std::string_view("row/\0", 5), "row0", "\xff\xff"};
    std::string key(kHeads[(*random)() % std::size(kHeads)]);
    key += std::to_string((*random)() % 300);
    key.append((*random)() % 8 == 0 ? (*random)() % 40 : 0, '\0');
    return key;
  }
  static std::string Value(Random* random) {
    const size_t kind = (*random)() % 50;
    return std::string(kind == 0  ? 3000
                       : kind < 5 ? 0
                                  : (*random)() % 40,
                       static_cast<char>('a' + (*random)() % 26)) +
           std::to_string((*random)() % 1000);
  }

  void Change(Random* random) {
    const uint64_t kind = (*random)() % 1000;
    if (kind < 940) {
      rocksdb::WriteBatch batch;
      for (auto n = (*random)() % 12; n > 0; --n) {
        const std::string key = Key(random);
        ASSERT_TRUE(((*random)() % 4 == 0 ? batch.Delete(key) : batch.Put(key, Value(random))).ok());
      }
      ASSERT_TRUE(db_->Write(rocksdb::WriteOptions(), &batch).ok());
    } else if (kind < 970) {
      Flush();
    } else if (kind < 975) {
      Compact();
    } else if (kind < 985) {
      const std::string low = Key(random);
      const rocksdb::Slice from = low;
      ASSERT_TRUE(db_->CompactRange(rocksdb::CompactRangeOptions(), &from, nullptr).ok());
    } else if (kind < 993) {
      std::map<std::string, std::string> cells;
      for (auto n = (*random)() % 60 + 1; n > 0; --n) {
        cells[Key(random)] = Value(random);
      }
      Ingest({cells.begin(), cells.end()});
    } else if (snapshots_wanted_) {
      snapshots_.push_back(db_->GetSnapshot());
      if (snapshots_.size() > 2) {
        db_->ReleaseSnapshot(snapshots_.front());
        snapshots_.erase(snapshots_.begin());
      }
    }
  }

  static std::string Where(const rocksdb::Iterator& at) {
    return at.Valid() ? at.key().ToString() + " -> " + at.value().ToString() : "the end, " + at.status().ToString();
  }

  // Moves both in the same way. False: the state does not allow it.
  static bool Move(Random* random, std::string* done, rocksdb::Iterator* a, rocksdb::Iterator* b) {
    const auto both = [&](const std::string& what, const auto& move) {
      *done = what;
      move(a);
      move(b);
      return true;
    };
    const uint64_t kind = (*random)() % 100;
    if (kind < 40) {
      return a->Valid() && both("Next", [](rocksdb::Iterator* one) { one->Next(); });
    }
    if (kind < 65) {
      return a->Valid() && both("Prev", [](rocksdb::Iterator* one) { one->Prev(); });
    }
    const std::string key =
        kind % 3 == 0 && a->Valid() ? a->key().ToString() + std::string(kind % 2, '\0') : Key(random);
    if (kind < 84) {
      return both("Seek " + key, [&](rocksdb::Iterator* one) { one->Seek(key); });
    }
    if (kind < 96) {
      return both("SeekForPrev " + key, [&](rocksdb::Iterator* one) { one->SeekForPrev(key); });
    }
    return kind < 98 ? both(
                           "SeekToFirst", [](rocksdb::Iterator* one) { one->SeekToFirst(); })
                     : both("SeekToLast", [](rocksdb::Iterator* one) { one->SeekToLast(); });
  }

  void Run(uint64_t seed, int rounds) {
    Random random(seed);
    int64_t compared = 0;
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
      for (auto n = random() % 20; n > 0; --n) {
        ASSERT_NO_FATAL_FAILURE(Change(&random));
      }
      rocksdb::ReadOptions options = Reads();
      options.fill_cache = random() % 4 != 0;
      std::string low = Key(&random);
      std::string high = Key(&random);
      if (high < low) {
        std::swap(low, high);
      }
      const rocksdb::Slice lower = low;
      const rocksdb::Slice upper = high;
      options.iterate_lower_bound = random() % 3 == 0 ? &lower : nullptr;
      options.iterate_upper_bound = random() % 3 == 0 ? &upper : nullptr;
      if (!snapshots_.empty() && random() % 2 == 0) {
        options.snapshot = snapshots_[random() % snapshots_.size()];
      }
      const auto ours = Ours(options);
      const auto theirs = Theirs(options);
      // What happens from now on changes neither.
      std::string done;
      std::string all;
      for (int moves = 0; moves < 60; ++moves) {
        if (Move(&random, &done, theirs.get(), ours.get())) {
          ++compared;
          all += done + "\n";
          ASSERT_EQ(Where(*ours), Where(*theirs)) << all;
        }
        if (moves % 9 == 8) {
          ASSERT_NO_FATAL_FAILURE(Change(&random));
          all += "a change\n";
        }
      }
    }
    EXPECT_GT(compared, rounds * 30);
    for (const rocksdb::Snapshot* const snapshot : snapshots_) {
      db_->ReleaseSnapshot(snapshot);
    }
    snapshots_.clear();
  }

  bool snapshots_wanted_ = false;
  std::vector<const rocksdb::Snapshot*> snapshots_;
};

TEST_F(BlockHistoryTest, AllCompressions) {
  uint64_t seed = 0;
  for (const auto compression :
       {rocksdb::kNoCompression, rocksdb::kSnappyCompression, rocksdb::kLZ4Compression, rocksdb::kZSTD}) {
    for (const bool dictionary : {false, true}) {
      SCOPED_TRACE(std::to_string(compression) + (dictionary ? " with a dictionary" : ""));
      std::filesystem::remove_all(temp_.path() + "/db");
      ASSERT_NO_FATAL_FAILURE(Open({.compression = compression, .dictionary = dictionary}));
      ASSERT_NO_FATAL_FAILURE(Run(++seed, 150));
      EXPECT_EQ(reader_->by_blocks() + reader_->fallbacks(), 150U);
      EXPECT_LT(reader_->fallbacks(), 15U);  // while there are too many sorted runs
      Close();
    }
  }
}

// Old and new writes of a key in one file. RocksDB reads where they are in two blocks, which is rare only in large ones.
TEST_F(BlockHistoryTest, WithSnapshots) {
  snapshots_wanted_ = true;
  for (const size_t block_bytes : {size_t{4096}, size_t{256 << 10}}) {
    std::filesystem::remove_all(temp_.path() + "/db");
    ASSERT_NO_FATAL_FAILURE(Open({.block_bytes = block_bytes, .file_bytes = 1 << 20}));
    ASSERT_NO_FATAL_FAILURE(Run(20 + block_bytes, 400));
    EXPECT_EQ(reader_->by_blocks() + reader_->fallbacks(), 400U);
    EXPECT_GT(reader_->by_blocks(), block_bytes == 4096 ? 0U : 300U);
    Close();
  }
}

// Flushes and compactions by themselves, with a cache that is too small for anything to stay.
TEST_F(BlockHistoryTest, WithASmallCache) {
  ASSERT_NO_FATAL_FAILURE(Open({.cache_bytes = 1 << 10, .write_buffer_bytes = 64 << 10, .compact_by_itself = true}));
  ASSERT_NO_FATAL_FAILURE(Run(31, 800));
  EXPECT_EQ(reader_->fallbacks(), 0U);
}

TEST_F(BlockHistoryTest, WithoutDeltaHandles) {
  const auto change = [](rocksdb::Options*, rocksdb::BlockBasedTableOptions* table) {
    table->index_block_restart_interval = 8;
  };
  ASSERT_NO_FATAL_FAILURE(Open({.change = change}));
  ASSERT_NO_FATAL_FAILURE(Run(41, 250));
  EXPECT_EQ(reader_->fallbacks(), 0U);
}

// --- The view, while everything changes ---

// Opens tables slowly, so that they are deleted meanwhile.
class SlowFiles final : public rocksdb::FileSystemWrapper {
 public:
  SlowFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "SlowFiles"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::yield();
    }
    return FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
  }
};

class BlockViewTest : public BlockDatabaseTest {};

// Each write batch sets all keys to one number, and one key exists only for odd numbers. A loaded file has the number of the last batch.
// Readers must see one number everywhere, at least the last one that was written before they began, and never an earlier one than before.
TEST_F(BlockViewTest, NoWriteIsTornOrMissing) {
  constexpr int kKeys = 40;
  constexpr int kWrites = 4000;
  const auto key = [](int i) { return "k" + std::to_string(100 + i); };
  const std::string odd = "k120odd";
  ASSERT_NO_FATAL_FAILURE(Open({.write_buffer_bytes = 64 << 10,
                                .file_bytes = 1 << 10,
                                .compact_by_itself = true,
                                .files = std::make_shared<SlowFiles>()}));
  std::atomic<int> written{0};
  std::atomic<int> loaded{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> reads{0};
  const auto write = [&](int number) {
    rocksdb::WriteBatch batch;
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(batch.Put(key(i), std::to_string(number)).ok());
    }
    ASSERT_TRUE((number % 2 == 0 ? batch.Delete(odd) : batch.Put(odd, std::to_string(number))).ok());
    ASSERT_TRUE(db_->Write(rocksdb::WriteOptions(), &batch).ok());
    written.store(number);
  };
  write(1);
  ASSERT_NO_FATAL_FAILURE(Ingest({{"a", "1"}, {"z", "1"}}));
  loaded.store(1);
  const auto read = [&](bool reversed) {
    int before = 0;
    while (!stop.load()) {
      const int least = written.load();
      const int least_loaded = loaded.load();
      const auto at = Ours();
      std::map<std::string, int> seen;
      for (reversed ? at->SeekToLast() : at->SeekToFirst(); at->Valid(); reversed ? at->Prev() : at->Next()) {
        ASSERT_TRUE(seen.emplace(at->key().ToString(), std::stoi(at->value().ToString())).second);
      }
      ASSERT_TRUE(at->status().ok()) << at->status().ToString();
      const int number = seen[key(0)];
      ASSERT_GE(number, std::max(least, before));
      ASSERT_EQ(seen.size(), kKeys + 2 + (number % 2 == 0 ? 0U : 1U)) << number;
      for (int i = 0; i < kKeys; ++i) {
        ASSERT_EQ(seen[key(i)], number) << key(i);
      }
      ASSERT_EQ(seen["a"], seen["z"]);
      ASSERT_GE(seen["a"], least_loaded);
      ASSERT_LE(seen["a"], number);
      before = number;
      ++reads;
    }
  };
  std::vector<std::thread> readers;
  readers.emplace_back(read, false);
  readers.emplace_back(read, true);
  readers.emplace_back(read, false);
  std::thread compactor([&] {
    while (!stop.load()) {
      Compact();
    }
  });
  for (int number = 2; number < kWrites; ++number) {
    write(number);
    if (number % 13 == 0) {
      Flush();
    }
    if (number % 97 == 0) {
      Ingest({{"a", std::to_string(number)}, {"z", std::to_string(number)}});
      loaded.store(number);
    }
  }
  stop.store(true);
  compactor.join();
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_GT(reads.load(), 0);
  EXPECT_GT(reader_->by_blocks(), 0U);
}

// An iterator keeps what it needs, even if nothing else does.
TEST_F(BlockViewTest, IteratorsKeepTheirTables) {
  ASSERT_NO_FATAL_FAILURE(Open({.cache_bytes = 0}));
  for (int i = 0; i < 2000; ++i) {
    Put("k" + std::to_string(10000 + i), "old");
  }
  Flush();
  Put("k11000", "in memory");
  const auto at = Ours();
  at->SeekToFirst();
  for (int i = 0; i < 2000; ++i) {
    Put("k" + std::to_string(10000 + i), "new");
  }
  Flush();
  Compact();
  int count = 0;
  for (; at->Valid(); at->Next()) {
    ASSERT_EQ(at->value().ToString(), at->key() == "k11000" ? "in memory" : "old");
    ++count;
  }
  EXPECT_TRUE(at->status().ok());
  EXPECT_EQ(count, 2000);
}

TEST_F(BlockViewTest, TablesOfAnIdleFamilyAreClosed) {
  ASSERT_NO_FATAL_FAILURE(Open({}));
  Put("a", "1");
  Put("c", "1");
  Flush();
  Ours()->SeekToFirst();
  const std::string table = Tables().front();
  Put("b", "2");
  Put("d", "2");
  Flush();
  Compact();
  while (std::filesystem::exists(table)) {  // a thread of RocksDB deletes it
    std::this_thread::yield();
  }
  const std::string name = std::filesystem::path(table).filename();
  for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    EXPECT_EQ(std::filesystem::read_symlink(open.path(), gone).string().find(name), std::string::npos);
  }
}

// RocksDB moves both tables down without merging them: the older write comes after the newer one.
TEST_F(BlockViewTest, AKeyInTwoTablesOfALevel) {
  ASSERT_NO_FATAL_FAILURE(Open({}));
  for (const char* const value : {"1", "2", "3"}) {
    Put("k", value);
    Flush();
  }
  Compact();
  EXPECT_EQ(Tables().size(), 3U);
  const auto at = Ours();
  at->SeekToLast();
  ASSERT_TRUE(at->Valid());
  EXPECT_EQ(at->value().ToString(), "3");
  at->Prev();
  EXPECT_FALSE(at->Valid());
  at->Seek("k");
  ASSERT_TRUE(at->Valid());
  EXPECT_EQ(at->value().ToString(), "3");
  EXPECT_EQ(reader_->fallbacks(), 0U);
}

// --- The cache ---

class BlockCacheTest : public BlockDatabaseTest {
 protected:
  void Fill() {
    for (int i = 0; i < 5000; ++i) {
      Put("k" + std::to_string(10000 + i), std::string(50, 'v'));
    }
    Flush();
    Compact();
    cache_->EraseUnRefEntries();
  }
  static uint64_t ReadAll(rocksdb::Iterator* at) {
    const uint64_t before = rocksdb::get_perf_context()->block_read_count;
    int count = 0;
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      ++count;
    }
    EXPECT_TRUE(at->status().ok());
    EXPECT_EQ(count, 5000);
    return rocksdb::get_perf_context()->block_read_count - before;
  }
};

TEST_F(BlockCacheTest, BlocksAreReadOnce) {
  ASSERT_NO_FATAL_FAILURE(Open({.file_bytes = 64 << 20}));
  Fill();
  EXPECT_GT(ReadAll(Ours().get()), 100U);
  EXPECT_EQ(ReadAll(Ours().get()), 0U);
  EXPECT_GT(options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_HIT), 100U);
  const size_t used = cache_->GetUsage();
  EXPECT_GT(used, 5000U * 50);
  cache_->EraseUnRefEntries();
  EXPECT_LT(cache_->GetUsage(), used / 2);
  EXPECT_GT(ReadAll(Ours().get()), 100U);
}

TEST_F(BlockCacheTest, ReadsThatDoNotFillIt) {
  ASSERT_NO_FATAL_FAILURE(Open({.file_bytes = 64 << 20}));
  Fill();
  rocksdb::ReadOptions options = Reads();
  options.fill_cache = false;
  ReadAll(Ours(options).get());
  EXPECT_GT(ReadAll(Ours(options).get()), 100U);
  EXPECT_LT(cache_->GetUsage(), 100U << 10);
}

TEST_F(BlockCacheTest, OnlyCachedBlocks) {
  ASSERT_NO_FATAL_FAILURE(Open({.file_bytes = 64 << 20}));
  Fill();
  rocksdb::ReadOptions options = Reads();
  options.read_tier = rocksdb::kBlockCacheTier;
  const auto at = Ours(options);
  at->Seek("k12000");
  EXPECT_TRUE(at->status().IsIncomplete());
  EXPECT_FALSE(at->Valid());
  Ours()->Seek("k12000");
  at->Seek("k12000");
  ASSERT_TRUE(at->Valid());
  EXPECT_EQ(at->key().ToString(), "k12000");
  at->Seek("k14000");
  EXPECT_TRUE(at->status().IsIncomplete());
}

// Whatever is read, the cache stays within its limit, besides what iterators hold.
TEST_F(BlockCacheTest, OneBudget) {
  ASSERT_NO_FATAL_FAILURE(Open({.cache_bytes = 100 << 10, .file_bytes = 64 << 20}));
  Fill();
  const auto at = Ours();
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    ASSERT_LT(cache_->GetUsage(), 400U << 10);
  }
  EXPECT_TRUE(at->status().ok());
}

// --- What is left to RocksDB ---

class BlockFallbackTest : public BlockDatabaseTest {
 protected:
  // RocksDB reads it, and all is there.
  void ExpectFallback(const std::function<void(rocksdb::Options*, rocksdb::BlockBasedTableOptions*)>& change,
                      const std::function<void()>& write) {
    std::filesystem::remove_all(temp_.path() + "/db");
    ASSERT_NO_FATAL_FAILURE(Open({.change = change}));
    write();
    const auto ours = Ours();
    const auto theirs = Theirs();
    EXPECT_EQ(reader_->fallbacks(), 1U);
    EXPECT_EQ(reader_->by_blocks(), 0U);
    ours->SeekToFirst();
    for (theirs->SeekToFirst(); theirs->Valid(); theirs->Next(), ours->Next()) {
      ASSERT_TRUE(ours->Valid());
      ASSERT_EQ(ours->key(), theirs->key());
    }
    EXPECT_FALSE(ours->Valid());
  }
  void Some() {
    for (int i = 0; i < 500; ++i) {
      Put("k" + std::to_string(1000 + i), std::to_string(i));
    }
    Flush();
  }
};

TEST_F(BlockFallbackTest, TablesThatAreNotUnderstood) {
  using Tables = rocksdb::BlockBasedTableOptions;
  const auto some = [this] { Some(); };
  ExpectFallback([](rocksdb::Options*, Tables* table) { table->format_version = 4; }, some);
  ExpectFallback([](rocksdb::Options*, Tables* table) { table->checksum = rocksdb::kCRC32c; }, some);
  ExpectFallback([](rocksdb::Options*, Tables* table) { table->index_type = Tables::kTwoLevelIndexSearch; }, some);
  ExpectFallback([](rocksdb::Options* options, Tables*) { options->compression = rocksdb::kZlibCompression; }, some);
  ExpectFallback([](rocksdb::Options* options, Tables*) { options->enable_blob_files = true; }, some);
  ExpectFallback({}, [this] {
    Some();
    ASSERT_TRUE(db_->DeleteRange(rocksdb::WriteOptions(), db_->DefaultColumnFamily(), "k1100", "k1200").ok());
    Flush();
  });
}

TEST_F(BlockFallbackTest, AKeyInSeveralBlocks) {
  std::vector<const rocksdb::Snapshot*> snapshots;
  ExpectFallback({}, [&] {
    for (int i = 0; i < 50; ++i) {
      Put("k", std::string(100, static_cast<char>('a' + i % 26)));
      snapshots.push_back(db_->GetSnapshot());
    }
    Flush();
  });
  for (const rocksdb::Snapshot* const snapshot : snapshots) {
    db_->ReleaseSnapshot(snapshot);
  }
}

TEST_F(BlockFallbackTest, OnlyOneFamily) {
  ASSERT_NO_FATAL_FAILURE(Open({}));
  Some();
  rocksdb::ColumnFamilyOptions zlib = options_;
  zlib.compression = rocksdb::kZlibCompression;
  rocksdb::ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(zlib, "other", &other).ok());
  ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), other, "k", "v").ok());
  ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions(), other).ok());
  reader_->NewIterator(db_.get(), Reads(), other, false);
  Ours();
  EXPECT_EQ(reader_->fallbacks(), 1U);
  EXPECT_EQ(reader_->by_blocks(), 1U);
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
}

// --- Damage ---

class BlockDamageTest : public BlockDatabaseTest {
 protected:
  static std::string Contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  static void Write(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  using Cells = std::vector<std::pair<std::string, std::string>>;
  // By the table's own blocks. nullopt: an error that names the file.
  static std::optional<Cells> ReadTable(const std::string& path, uint64_t bytes) {
    std::shared_ptr<const TableFile> table;
    std::unique_ptr<const BlockIndex> index;
    rocksdb::Status status =
        TableFile::Open(rocksdb::FileSystem::Default().get(), {.path = path, .bytes = bytes}, &table);
    status = status.ok() ? table->ReadIndex(&index) : status;
    Cells cells;
    for (size_t i = 0; status.ok() && i < index->size(); ++i) {
      std::unique_ptr<const DecodedBlock> block;
      status = table->ReadBlock(*index, i, &block);
      for (uint32_t at = 0; status.ok() && at < block->size(); ++at) {
        cells.emplace_back(block->Key(at), block->Value(at));
      }
    }
    if (status.ok()) {
      return cells;
    }
    EXPECT_NE(status.ToString().find(path), std::string::npos) << status.ToString();
    return std::nullopt;
  }
};

TEST_F(BlockDamageTest, EachByteOfATable) {
  for (const auto compression : {rocksdb::kNoCompression, rocksdb::kLZ4Compression, rocksdb::kZSTD}) {
    std::filesystem::remove_all(temp_.path() + "/db");
    ASSERT_NO_FATAL_FAILURE(Open({.compression = compression, .dictionary = true}));
    for (int i = 0; i < 60; ++i) {
      Put("k" + std::to_string(1000 + i), "value " + std::to_string(i * i));
    }
    Flush();
    const std::string whole = Contents(Tables().front());
    const std::string path = temp_.path() + "/damaged.sst";
    Write(path, whole);
    const std::optional<Cells> cells = ReadTable(path, whole.size());
    ASSERT_TRUE(cells.has_value());
    ASSERT_EQ(cells->size(), 60U);
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
      Write(path, damaged);
      if (const auto read = ReadTable(path, whole.size()); read.has_value()) {
        ASSERT_EQ(*read, *cells) << i;
      }
    }
    for (size_t bytes = 0; bytes < whole.size(); bytes += 7) {
      Write(path, whole.substr(0, bytes));
      EXPECT_FALSE(ReadTable(path, whole.size()).has_value()) << bytes;
      EXPECT_FALSE(ReadTable(path, bytes).has_value()) << bytes;
    }
  }
}

TEST_F(BlockDamageTest, EndsAScanWithAnError) {
  ASSERT_NO_FATAL_FAILURE(Open({.compression = rocksdb::kNoCompression, .file_bytes = 64 << 20}));
  for (int i = 0; i < 1000; ++i) {
    Put("k" + std::to_string(1000 + i), std::string(30, 'v'));
  }
  Flush();
  const std::string table = Tables().front();
  std::string damaged = Contents(table);
  const size_t middle = 1000 * 30 / 2;  // of the values, which are not compressed
  damaged[damaged.find("vvvv", middle)] = 'w';
  Write(table, damaged);
  for (const bool reversed : {false, true}) {
    const auto at = Ours();
    int count = 0;
    std::string last;
    for (reversed ? at->SeekToLast() : at->SeekToFirst(); at->Valid(); reversed ? at->Prev() : at->Next()) {
      ++count;
      last = at->key().ToString();
    }
    EXPECT_TRUE(at->status().IsCorruption());
    EXPECT_NE(at->status().ToString().find(table), std::string::npos) << at->status().ToString();
    EXPECT_GT(count, 200);
    EXPECT_LT(count, 800);
    reversed ? at->SeekForPrev("k" + std::to_string(std::stoi(last.substr(1)) - 1)) : at->Seek(last + "x");
    EXPECT_FALSE(at->Valid());
    EXPECT_TRUE(at->status().IsCorruption());
    at->Seek("k1950");  // other blocks are whole
    ASSERT_TRUE(at->Valid());
    EXPECT_TRUE(at->status().ok());
    EXPECT_EQ(at->key().ToString(), "k1950");
  }
}

}  // namespace
}  // namespace klip::engine
