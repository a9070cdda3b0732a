// CopyTable and CompareTables between two stores.
#include "klip/copy.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "copy/random_table.h"
#include "klip/bytes.h"

namespace klip::ops {
namespace {

class CopyTest : public testing::Test {
 protected:
  CopyTest()
      : source_(OpenOrDie("klip:" + directory_.Sub("source"))),
        target_(OpenOrDie("klip:" + directory_.Sub("target"))) {}

  std::unique_ptr<Table> Make(bool new_versions = false) {
    const std::vector<std::string> splits = {"c", "m"};
    const Status made = source_->admin().CreateTable(CopiedDescriptor("t", new_versions), splits);
    EXPECT_TRUE(made.ok()) << made.ToString();
    return TableOf(source_.get(), "t");
  }

  Expected<CopyCounts> Copy(const CopyOptions& options = {}) {
    return CopyTable(*source_, "t", *target_, "t", options);
  }
  Expected<CompareReport> Compare(const CompareOptions& compare = {}, const CopyOptions& options = {}) {
    return CompareTables(*source_, "t", *target_, "t", options, compare);
  }

  // Rows "row000000" and on, each of one cell.
  static void Fill(Table* table, int rows, size_t value_bytes = 10) {
    std::vector<Put> puts;
    for (int i = 0; i < rows; ++i) {
      const std::string digits = std::to_string(i);
      puts.push_back(Put{.row = "row" + std::string(6 - digits.size(), '0') + digits}.Add(
          "f", "q", std::string(value_bytes, static_cast<char>('a' + i % 26)), 5));
    }
    ASSERT_TRUE(table->Put(puts).ok());
  }

  TempDirectory directory_{TempDirectory::Where::kMemory};
  std::unique_ptr<Connection> source_;
  std::unique_ptr<Connection> target_;
};

TEST_F(CopyTest, EverythingOfRandomTables) {
  const std::vector<std::string> splits = {"c", "m"};
  for (int threads = 1; threads <= 3; ++threads) {
    const std::string name = "t" + std::to_string(threads);
    ASSERT_TRUE(source_->admin().CreateTable(CopiedDescriptor(name, false), splits).ok());
    const auto table = TableOf(source_.get(), name);
    WriteRandomRows(table.get(), static_cast<uint64_t>(threads), 2000, /*new_versions=*/false);
    const Expected<CopyCounts> counts = CopyTable(*source_, name, *target_, name, {.threads = threads});
    ASSERT_TRUE(counts.ok()) << counts.status().ToString();
    const auto copied = TableOf(target_.get(), name);
    const std::vector<std::string> expected = Cells(table.get(), /*raw=*/true, /*with_tags=*/true);
    EXPECT_TRUE(Cells(copied.get(), /*raw=*/true, /*with_tags=*/true) == expected) << "seed " << threads;
    EXPECT_TRUE(Cells(copied.get(), /*raw=*/false) == Cells(table.get(), /*raw=*/false)) << "seed " << threads;
    EXPECT_EQ(counts->cells, static_cast<int64_t>(expected.size()));
    EXPECT_GT(counts->delete_markers, 100);
    const Expected<CompareReport> report = CompareTables(*source_, name, *target_, name, {}, {.raw = true});
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->differing_rows, 0);
    EXPECT_EQ(report->source.cells, counts->cells);
    EXPECT_EQ(report->target.rows, counts->rows);
  }
}

TEST_F(CopyTest, TheDescriptorAndTheRegions) {
  const auto table = Make();
  ASSERT_TRUE(CopyTable(*source_, "t", *target_, "ns:u", {}).ok());
  TableDescriptor copied = *target_->admin().GetDescriptor("ns:u");
  EXPECT_EQ(copied.attributes.at("KLIP_ROW_KEY"), "all:text");
  copied.name = "t";
  EXPECT_EQ(copied, *source_->admin().GetDescriptor("t"));
  std::vector<std::string> starts;
  const Expected<std::vector<RegionInfo>> regions = target_->admin().GetRegions("ns:u");
  for (const RegionInfo& region : *regions) {
    starts.push_back(region.start_key);
  }
  EXPECT_EQ(starts, (std::vector<std::string>{"", "c", "m"}));
}

// There a delete masks by the order of writes, which no read shows.
TEST_F(CopyTest, NewVersionBehavior) {
  const auto table = Make(/*new_versions=*/true);
  WriteRandomRows(table.get(), 1, 3000, /*new_versions=*/true);
  ASSERT_TRUE(Copy({.threads = 3}).ok());
  const auto copied = TableOf(target_.get(), "t");
  EXPECT_EQ(Cells(copied.get(), /*raw=*/false), Cells(table.get(), /*raw=*/false));
  EXPECT_EQ(Cells(copied.get(), /*raw=*/true), Cells(table.get(), /*raw=*/true));
}

TEST_F(CopyTest, RowsFamiliesAndTimes) {
  const auto table = Make();
  ASSERT_TRUE(table->Put(Put{.row = "b"}.Add("f", "q", "1", 1).Add("f", "q", "2", 2).Add("g", "q", "3", 2)).ok());
  ASSERT_TRUE(table->Put(Put{.row = "c"}.Add("f", "q", "4", 2)).ok());
  ASSERT_TRUE(table->Put(Put{.row = "d"}.Add("f", "q", "5", 2)).ok());
  ASSERT_TRUE(Copy({.start_row = "b", .stop_row = "d", .families = {"f"}, .time_range = {2, 3}}).ok());
  const auto copied = TableOf(target_.get(), "t");
  EXPECT_EQ(Cells(copied.get(), true), (std::vector<std::string>{"b f:q@2 4=2", "c f:q@2 4=4"}));
  EXPECT_EQ(target_->admin().GetDescriptor("t")->families.size(), 1U);
  EXPECT_EQ(Copy().status().code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(Copy({.families = {"x"}}).status().ToString(), "NoSuchColumnFamily: table 't' has no column family 'x'");
}

TEST_F(CopyTest, WorkersShareOneRegion) {
  ASSERT_TRUE(source_->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
  const auto table = TableOf(source_.get(), "t");
  Fill(table.get(), 40'000);
  const CopyOptions options = {.threads = 4, .chunk_bytes = 100'000, .state_file = directory_.Sub("state")};
  const Expected<CopyCounts> counts = Copy(options);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ(counts->rows, 40'000);  // none twice
  EXPECT_EQ(Compare({.raw = true})->differing_rows, 0);
  EXPECT_FALSE(std::filesystem::exists(options.state_file));
}

TEST_F(CopyTest, AStateOfAnotherJobIsRefused) {
  const auto table = Make();
  std::FILE* file = std::fopen(directory_.Sub("state").c_str(), "w");
  std::fputs("klip copy state 1\tother\n", file);
  std::fclose(file);
  const Status status = Copy({.state_file = directory_.Sub("state"), .job = "this"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_TRUE(status.message().ends_with("is of another job: other")) << status.message();
}

TEST_F(CopyTest, TheRateIsKept) {
  const auto table = Make();
  Fill(table.get(), 3000);
  CopyOptions options = {.threads = 3, .max_rows_per_s = 10'000};
  int64_t calls = 0;
  double last = 0;
  options.progress = [&](const CopyProgress& now) {
    ++calls;
    EXPECT_GE(now.fraction, last);
    EXPECT_LE(now.fraction, 1);
    last = now.fraction;
  };
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(Copy(options).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(290));
  EXPECT_GE(calls, 1);
}

TEST_F(CopyTest, ComparingNamesTheRowsThatDiffer) {
  const auto table = Make();
  Fill(table.get(), 5000);
  ASSERT_TRUE(Copy().ok());
  const auto copied = TableOf(target_.get(), "t");
  ASSERT_TRUE(copied->Put(Put{.row = "row000100"}.Add("f", "q", "changed", 5)).ok());
  ASSERT_TRUE(copied->Put(Put{.row = "row000100"}.Add("f", "r", "more", 5)).ok());
  ASSERT_TRUE(copied->Put(Put{.row = "row9"}.Add("f", "q", "new", 5)).ok());
  ASSERT_TRUE(table->Put(Put{.row = std::string("a\0", 2)}.Add("f", "q", "new", 5)).ok());
  ASSERT_TRUE(table->Put(Put{.row = "row004999"}.Add("g", "", "new", 5)).ok());
  const Expected<CompareReport> report = Compare({}, {.threads = 2});
  ASSERT_TRUE(report.ok());
  std::vector<std::string> lines;
  for (const RowDifference& difference : report->differences) {
    lines.push_back(ToStringBinary(difference.row) + " " + difference.what);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a\\x00 f:q@5: only in the source", "row000100 f:q@5: values differ",
                                             "row004999 g:@5: only in the source", "row9 f:q@5: only in the target"}));
  EXPECT_EQ(report->differing_rows, 4);
  EXPECT_EQ(report->source.rows, 5001);
  EXPECT_EQ(report->target.rows, 5001);
  EXPECT_EQ(Compare({.max_differences = 1})->differences.size(), 1U);
  // A marker over nothing is seen only by raw scans.
  ASSERT_TRUE(Copy().ok());
  ASSERT_TRUE(copied->Delete(Delete{.row = "row9"}).ok());
  ASSERT_TRUE(copied->Put(Put{.row = "row000100"}.Add("f", "r", "more", 5)).ok());
  ASSERT_TRUE(copied->Delete(Delete{.row = "row000100"}.AddColumns("f", "r", 5)).ok());
  EXPECT_EQ(Compare()->differing_rows, 0);
  EXPECT_EQ(Compare({.raw = true})->differing_rows, 2);
}

}  // namespace
}  // namespace klip::ops
