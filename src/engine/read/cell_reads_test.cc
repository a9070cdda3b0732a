// Scans of families with a damaged table, and with the range deletions of an older klip.
#include "engine/view/cell_reads.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/layout/cell_key.h"
#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class CellReadsTest : public StoreTest {
 protected:
  // Adds a table of 20 rows beside the tables of the last level, which stay unchanged.
  void AddTable(const std::string& prefix) {
    for (int i = 10; i < 30; ++i) {
      ASSERT_TRUE(Put("t", prefix + std::to_string(i), "v").ok());
    }
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
    ASSERT_TRUE(store_->db()->CompactRange(options, Handle(), nullptr, nullptr).ok());
  }

  rocksdb::ColumnFamilyHandle* Handle() { return View("t")->families.front().handle.get(); }

  // The names of the tables, in the order of their rows.
  std::vector<std::string> Tables() {
    rocksdb::ColumnFamilyMetaData data;
    store_->db()->GetColumnFamilyMetaData(Handle(), &data);
    std::vector<std::string> files;
    for (const rocksdb::SstFileMetaData& file : data.levels.back().files) {
      files.push_back(path_ + "/" + file.relative_filename);
    }
    return files;
  }

  // The rows of a scan, or the status that ended it.
  std::string Count(bool reversed) {
    RowScanSpec spec;
    spec.scan.reversed = reversed;
    Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, View("t"), std::move(spec));
    Result result;
    for (int rows = 0; scanner.ok(); ++rows) {
      const Expected<bool> next = (*scanner)->Next(&result);
      if (!next.ok()) {
        return std::string(CodeName(next.status().code()));
      }
      if (!*next) {
        return std::to_string(rows);
      }
    }
    return scanner.status().ToString();
  }
};

TEST_F(CellReadsTest, AScanThatEntersADamagedTableFails) {
  Open();
  Create("t", {"d"});
  AddTable("a");
  AddTable("b");
  AddTable("c");
  ASSERT_TRUE(Put("t", "d", "v").ok());  // something to merge with
  EXPECT_EQ(Count(false), "61");
  const std::vector<std::string> tables = Tables();
  ASSERT_EQ(tables.size(), 3U);
  store_.reset();
  {
    std::fstream bytes(tables[1], std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(10);
    bytes.put('\x7f');
  }
  Open();
  EXPECT_EQ(Count(false), "Corruption");
  EXPECT_EQ(Count(true), "Corruption");
}

TEST_F(CellReadsTest, RangeDeletionsOfAnOlderKlipHold) {
  Open();
  Create("t", {"d"});
  AddTable("a");
  AddTable("b");
  ASSERT_FALSE(HasRangeDeletions(View("t")->families.front()));
  ASSERT_TRUE(store_->db()->DeleteRange({}, Handle(), RowLowerBound("a15"), RowLowerBound("b15")).ok());
  store_.reset();
  Open();
  EXPECT_TRUE(HasRangeDeletions(View("t")->families.front()));
  EXPECT_EQ(Count(false), "20");
  EXPECT_EQ(Count(true), "20");
}

}  // namespace
}  // namespace klip::engine
