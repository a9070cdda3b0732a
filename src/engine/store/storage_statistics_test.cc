// Statistics, sizes, metrics, compaction.
#include <algorithm>
#include <thread>

#include "base/digest.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class StoreStatisticsTest : public StoreTest {
 protected:
  StoreStatisticsTest() { Open(); }
};

TEST_F(StoreStatisticsTest, CountsWhatIsInFilesAndInMemory) {
  Create("t", {"f"});
  for (int file = 0; file < 3; ++file) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(Put("t", "r" + std::to_string(i * 3 + file), "v").ok());
    }
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  ASSERT_TRUE(Put("t", "memory", "v").ok());
  Expected<TableStatistics> statistics = store_->storage().Statistics(*View("t"));
  ASSERT_TRUE(statistics.ok());
  EXPECT_EQ(statistics->rows, 30);
  EXPECT_EQ(statistics->cells, 30);
  EXPECT_EQ(statistics->sorted_runs, 3);
  EXPECT_GT(statistics->bytes_on_disk, 0);
  EXPECT_GT(statistics->bytes_in_memory, 0);
  EXPECT_GT(store_->storage().ApproximateBytes(*View("t"), "", ""), 0);

  EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  statistics = store_->storage().Statistics(*View("t"));
  EXPECT_EQ(statistics->rows, 30);
  EXPECT_EQ(statistics->sorted_runs, 1);
  EXPECT_GT(statistics->bytes_in_memory, 0);  // as in HBase, a compaction leaves the memstore alone
  EXPECT_EQ(store_->storage().Metrics().files, 1);
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");  // one file is rewritten too
}

TEST_F(StoreStatisticsTest, SampledRowsCountOnceAndNotWhenDeleted) {
  Create("t", {"f"});
  const auto live = [&] {
    const filter::SampledKeys keys = store_->storage().SampleOf(*View("t"));
    return std::ranges::count_if(keys.sample->rows.items, [&](const auto& row) { return keys.IsLive(row); });
  };
  for (int file = 0; file < 2; ++file) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(Put("t", "r" + std::to_string(i), "v").ok());  // the same rows in both
    }
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  EXPECT_EQ(live(), 10);
  WriteSet marker;
  marker.Add(View("t")->families[0], "r3", "", 1, CellType::kDeleteFamily, "");
  ASSERT_TRUE(store_->Write(&marker, Durability::kSyncWal).ok());
  EXPECT_EQ(live(), 10);  // in memory
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  EXPECT_EQ(live(), 9);
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(live(), 9);
  EXPECT_EQ(store_->storage().SampleOf(*View("t")).sample->rows.items.size(), 9U);
  now_ms_ = 3000;
  TableDescriptor table = View("t")->descriptor;
  table.families[0].ttl_s = 2;
  ASSERT_TRUE(store_->catalog().ModifyTable(table).ok());
  EXPECT_EQ(live(), 0);  // their timestamp is 1
  now_ms_ = 2000;
  EXPECT_EQ(live(), 9);
}

TEST_F(StoreStatisticsTest, MemoryCountsOnceItIsCounted) {
  Create("t", {"f"});
  Storage& storage = store_->storage();
  const auto put = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(Put("t", "r" + std::to_string(i), "v").ok());
    }
  };
  put(0, 20);
  EXPECT_EQ(storage.FamilyOfMostRows(*View("t")), nullptr);
  EXPECT_EQ(storage.UncountedCells(*View("t")), 20);
  storage.CountMemory(*View("t"));
  EXPECT_EQ(storage.Statistics(*View("t"))->rows, 20);
  EXPECT_EQ(storage.SampleOf(*View("t")).sample->rows.items.size(), 20U);
  EXPECT_EQ(storage.UncountedCells(*View("t")), 0);
  put(20, 30);
  EXPECT_EQ(storage.Statistics(*View("t"))->rows, 30);  // as if they were like the others
  EXPECT_EQ(storage.SampleOf(*View("t")).sample->rows.items.size(), 20U);
  storage.CountMemory(*View("t"));
  EXPECT_EQ(storage.SampleOf(*View("t")).sample->rows.items.size(), 30U);
  put(30, 31);
  storage.CountMemory(*View("t"));  // too few are new
  EXPECT_EQ(storage.SampleOf(*View("t")).sample->rows.items.size(), 30U);
  ASSERT_TRUE(storage.Flush("t").ok());
  put(40, 43);
  EXPECT_EQ(storage.Statistics(*View("t"))->rows, 31);
  storage.CountMemory(*View("t"));
  EXPECT_EQ(storage.Statistics(*View("t"))->rows, 34);  // both
  EXPECT_EQ(storage.SampleOf(*View("t")).sample->rows.items.size(), 34U);
}

TEST_F(StoreStatisticsTest, MinorCompactionMergesTheNewestFiles) {
  Create("t", {"f"});
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/false).ToString(), "ok");  // nothing to do
  for (int file = 0; file < 3; ++file) {
    ASSERT_TRUE(Put("t", "r" + std::to_string(file), "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/false).ToString(), "ok");
  EXPECT_EQ(store_->storage().Statistics(*View("t"))->sorted_runs, 1);
  EXPECT_EQ(Dump("t"), "r0=v r1=v r2=v ");
}

TEST_F(StoreStatisticsTest, MinorCompactionBeginsWithTheNumberOfFilesConfigured) {
  const std::string key = "hbase.hstore.compaction.min";
  const auto runs_after = [&](const TableDescriptor& table) {
    EXPECT_EQ(store_->catalog().ModifyTable(table).ToString(), "ok");
    EXPECT_EQ(store_->storage().Compact("t", /*major=*/false).ToString(), "ok");
    return store_->storage().Statistics(*View("t"))->sorted_runs;
  };
  Create("t", {"f"});
  for (int file = 0; file < 3; ++file) {
    ASSERT_TRUE(Put("t", "r" + std::to_string(file), "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  TableDescriptor table = View("t")->descriptor;
  table.attributes[key] = "5";
  EXPECT_EQ(runs_after(table), 3);
  table.families[0].configuration[key] = "4";
  EXPECT_EQ(runs_after(table), 3);
  // the family's attribute takes precedence over its configuration, and that over the table's
  table.families[0].attributes[key] = "3";
  EXPECT_EQ(runs_after(table), 1);
  ASSERT_TRUE(Put("t", "r3", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  table.families[0].attributes[key] = "1";
  EXPECT_EQ(runs_after(table), 2);  // merging one file is not worth it, whatever is configured
}

TEST_F(StoreStatisticsTest, MajorCompactionBesideWritersAndAutomaticCompactions) {
  Create("t", {"f"});
  std::thread writer([&] {
    for (int i = 0; i < 12; ++i) {
      EXPECT_TRUE(Put("t", "w" + std::to_string(i), "v").ok());
      EXPECT_TRUE(store_->storage().Flush("t").ok());
    }
  });
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  }
  writer.join();
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(store_->storage().Statistics(*View("t"))->rows, 12);
  EXPECT_EQ(store_->storage().Statistics(*View("t"))->sorted_runs, 1);
}

TEST_F(StoreStatisticsTest, BloomFiltersKeepGetsOutOfFiles) {
  for (const BloomKind bloom : {BloomKind::kRow, BloomKind::kRowCol, BloomKind::kRowPrefixFixedLength}) {
    TableDescriptor table = Descriptor("t" + std::to_string(static_cast<int>(bloom)), {"f"});
    table.families[0].bloom = bloom;
    table.families[0].bloom_prefix_bytes = bloom == BloomKind::kRowPrefixFixedLength ? 2 : 0;
    ASSERT_TRUE(store_->catalog().CreateTable(table, {}).ok());
    for (const char* row : {"aa1", "cc1"}) {  // the file's range covers "bb1", its filter does not
      ASSERT_TRUE(Put(table.name, row, "v").ok());
    }
    ASSERT_TRUE(store_->storage().Flush(table.name).ok());
    const int64_t before = store_->storage().Metrics().bloom_useful;
    const std::unique_ptr<rocksdb::Iterator> it(
        store_->db()->NewIterator(rocksdb::ReadOptions(), View(table.name)->families[0].handle.get()));
    std::string key;
    AppendEscaped("bb1", &key);
    AppendEscaped("q", &key);
    it->Seek(key);
    EXPECT_EQ(store_->storage().Metrics().bloom_useful, before + 1) << table.name;
  }
}

}  // namespace
}  // namespace klip::engine
