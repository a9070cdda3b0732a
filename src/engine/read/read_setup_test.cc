#include "engine/read/read_setup.h"

#include <map>

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class ReadSetupTest : public StoreTest {
 protected:
  // Writes both families of the table atomically.
  void PutBoth(uint64_t timestamp_ms, const std::string& value) {
    const TablePtr view = View("t");
    WriteSet writes;
    for (const Family& family : view->families) {
      writes.Add(family, "r", "q", static_cast<int64_t>(timestamp_ms), CellType::kPut, value);
    }
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  }
};

// A flush drops surplus versions even while readers need them. A flush in the middle of a read must not hide both
// versions.
TEST_F(ReadSetupTest, FamiliesAreOfOneMomentWhateverIsFlushedMeanwhile) {
  Open();
  Create("t", {"a", "b"});
  PutBoth(1, "one");
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  PutBoth(2, "two");

  const TablePtr view = View("t");
  const std::vector<ColumnSpec> all_columns;
  const std::map<std::string, TimeRange> no_ranges;
  ReadRequest request;
  request.columns = &all_columns;
  request.family_time_ranges = &no_ranges;
  std::vector<FamilyReader> readers = *MakeReaders(*view, request);
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  // RocksDB calls this when it opens the first family's file: after the moment is chosen, before the second family is
  // read.
  int asked = 0;
  options.table_filter = [this, &asked](const rocksdb::TableProperties&) {
    if (++asked == 1) {
      PutBoth(3, "three");
      EXPECT_TRUE(store_->storage().Flush("t").ok());
    }
    return true;
  };
  ScanStatistics statistics;
  ASSERT_TRUE(OpenCursors(*store_, nullptr, options, false, 0, &readers, &statistics).ok());
  EXPECT_GT(asked, 0);
  ASSERT_EQ(readers.size(), 2U);
  for (const FamilyReader& reader : readers) {
    reader.cursor->SeekToStart("");
    ASSERT_FALSE(reader.cursor->at_end());
    EXPECT_TRUE(reader.cursor->value().ends_with("three")) << reader.name;
  }
}

}  // namespace
}  // namespace klip::engine
