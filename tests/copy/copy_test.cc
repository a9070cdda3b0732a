// CopyTable and CompareTables between two stores.
#include "klip/copy.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>

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

  static std::string ReadAll(const std::string& path) {
    std::ifstream input(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }
  static void WriteAll(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  TempDirectory directory_{TempDirectory::Where::kMemory};
  std::unique_ptr<Connection> source_;
  std::unique_ptr<Connection> target_;
};

TEST_F(CopyTest, RowsGetNewKeys) {
  const auto keyed = [&](const std::string& name, const std::string& schema) {
    TableDescriptor descriptor = CopiedDescriptor(name, false);
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = schema;
    EXPECT_TRUE(source_->admin().CreateTable(descriptor).ok());
    return TableOf(source_.get(), name);
  };
  const auto table = keyed("t", "user:text(6,'*') n:text('|')");
  const RowKeySchema schema = *table->row_key_schema();
  for (int i = 0; i < 500; ++i) {
    const std::string row = *schema.Encode({"u" + std::to_string(i % 7), std::to_string(i * 37 % 1000)});
    ASSERT_TRUE(table->Put(Put{.row = row}.Add("f", "q", std::to_string(i), 5).Add("f", "r", "x", 6)).ok());
  }
  const CopyOptions options = {.row_key = "salt(4) n:u32 user:text", .chunk_bytes = 2000};
  const Expected<CopyCounts> copied = Copy(options);
  ASSERT_TRUE(copied.ok()) << copied.status().ToString();
  EXPECT_EQ(copied->rows, 500);
  EXPECT_EQ(copied->cells, 1000);
  const auto moved = TableOf(target_.get(), "t");
  ASSERT_EQ(moved->row_key_schema()->ToString(), "salt(4) n:u32 user:text");
  for (int i = 0; i < 500; ++i) {
    const std::string row =
        *moved->row_key_schema()->Encode({std::to_string(i * 37 % 1000), "u" + std::to_string(i % 7)});
    const Expected<Result> got = moved->Get({.row = row});
    ASSERT_TRUE(got.ok() && got->size() == 2) << i;
    EXPECT_EQ(got->Value("f", "q"), std::to_string(i));
  }

  EXPECT_EQ(Copy({.row_key = "n:u32"}).status().message(), "the row keys of the target have no field 'user'");
  EXPECT_EQ(Copy({.row_key = "n:u32 user:text('|') more:u8"}).status().message(),
            "the row keys of the source have no field 'more'");
  ASSERT_TRUE(table->Put(Put{.row = *schema.Encode({"u1", "007"})}.Add("f", "q", "1")).ok());
  EXPECT_NE(Copy(options).status().message().find("'007' of the field 'n' would change when decoded"),
            std::string::npos);
}

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
  ASSERT_TRUE(CopyTable(*source_, "t", *target_, "plain", {.compression = "NONE"}).ok());
  const TableDescriptor plain = *target_->admin().GetDescriptor("plain");
  for (const FamilyDescriptor& family : plain.families) {
    EXPECT_EQ(family.compression, "NONE");
  }
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

// A masked version counts as one for what was written before its marker: here, readers must not see version 1 again.
TEST_F(CopyTest, ASurplusVersionStaysHiddenBehindAMaskedOne) {
  const TableDescriptor descriptor = {.name = "t",
                                      .families = {{.name = "n", .max_versions = 2, .new_version_behavior = true}}};
  ASSERT_TRUE(source_->admin().CreateTable(descriptor).ok());
  const auto table = TableOf(source_.get(), "t");
  const auto put = [&](const std::string& row, int64_t at_ms) {
    ASSERT_TRUE(table->Put(Put{.row = row}.Add("n", "q", "v", at_ms)).ok());
  };
  for (const int64_t at_ms : {1, 2, 3}) {
    put("a", at_ms);
    put("b", at_ms);
  }
  ASSERT_TRUE(table->Delete(Delete{.row = "a"}.AddColumn("n", "q", 3)).ok());
  ASSERT_TRUE(table->Delete(Delete{.row = "b"}.AddColumn("n", "q", 3)).ok());
  ASSERT_TRUE(table->Delete(Delete{.row = "b"}.AddColumn("n", "q", 2)).ok());
  put("b", 2);  // covered by a marker that was there before it
  const std::vector<std::string> seen = Cells(table.get(), /*raw=*/false);
  EXPECT_EQ(seen[0], "a n:q@2 4=v");
  EXPECT_EQ(seen[1], "b n:q@2 4=v");
  ASSERT_TRUE(Copy().ok());
  EXPECT_EQ(Cells(TableOf(target_.get(), "t").get(), /*raw=*/false), seen);
  const std::string directory = directory_.Sub("export");
  ASSERT_TRUE(ExportTable(*source_, "t", directory, {}).ok());
  ASSERT_TRUE(ImportTable(directory, *target_, "u", {}).ok());
  EXPECT_EQ(Cells(TableOf(target_.get(), "u").get(), /*raw=*/false), seen);
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
  EXPECT_EQ(Compare({.raw = true}, {.threads = 3})->differing_rows, 0);
  EXPECT_EQ(Compare({}, {.threads = 3})->target.rows, 40'000);
  EXPECT_FALSE(std::filesystem::exists(options.state_file));
}

TEST_F(CopyTest, AStateOfAnotherJobIsRefused) {
  const auto table = Make();
  std::FILE* file = std::fopen(directory_.Sub("state").c_str(), "w");
  std::fputs("klip copy state 1\tother\n", file);
  std::fclose(file);
  const Status status = Copy({.state_file = directory_.Sub("state"), .job = "this"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_TRUE(status.message().ends_with("belongs to another job: other")) << status.message();
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
  ASSERT_TRUE(Copy(options).ok());
  EXPECT_GE(calls, 1);
}

TEST_F(CopyTest, ExportAndImport) {
  for (const bool new_versions : {false, true}) {
    const std::string name = new_versions ? "n" : "t";
    const std::vector<std::string> splits = {"c", "m"};
    ASSERT_TRUE(source_->admin().CreateTable(CopiedDescriptor(name, new_versions), splits).ok());
    const auto table = TableOf(source_.get(), name);
    WriteRandomRows(table.get(), 3, 2000, new_versions);
    const std::string directory = directory_.Sub("export-" + name);
    const Expected<CopyCounts> exported =
        ExportTable(*source_, name, directory, {.threads = 3, .chunk_bytes = 500'000});
    ASSERT_TRUE(exported.ok()) << exported.status().ToString();
    EXPECT_EQ(ExportTable(*source_, name, directory, {}).status().ToString(),
              "InvalidArgument: '" + directory + "' already contains an export");
    EXPECT_EQ(CheckExport(directory, {.threads = 2})->cells, exported->cells);
    const Expected<CopyCounts> imported = ImportTable(directory, *target_, "", {.threads = 3, .chunk_bytes = 300'000});
    ASSERT_TRUE(imported.ok()) << imported.status().ToString();
    EXPECT_EQ(imported->cells, exported->cells);
    EXPECT_EQ(imported->rows, exported->rows);
    const auto copied = TableOf(target_.get(), name);
    EXPECT_TRUE(Cells(copied.get(), /*raw=*/true, /*with_tags=*/true) ==
                Cells(table.get(), /*raw=*/true, /*with_tags=*/true));
    EXPECT_TRUE(Cells(copied.get(), /*raw=*/false) == Cells(table.get(), /*raw=*/false));
    TableDescriptor descriptor = *target_->admin().GetDescriptor(name);
    for (FamilyDescriptor& family : descriptor.families) {
      EXPECT_EQ(family.attributes.at("DATA_BLOCK_ENCODING"), "NONE");  // which HBase's messages always name
      family.attributes.clear();
    }
    EXPECT_EQ(descriptor, *source_->admin().GetDescriptor(name));
    EXPECT_EQ(target_->admin().GetRegions(name)->size(), 3U);
  }
}

TEST_F(CopyTest, PipesInPlaceOfFilesAreNamed) {
  const auto table = Make();
  ASSERT_TRUE(table->Put(Put{.row = "r"}.Add("f", "q", "v")).ok());
  const std::string directory = directory_.Sub("export");
  ASSERT_TRUE(ExportTable(*source_, "t", directory, {}).ok());
  for (const char* name : {"MANIFEST", "part-000001.cells.zst"}) {
    const std::string path = directory + "/" + name;
    std::filesystem::rename(path, path + ".kept");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_NE(CheckExport(directory, {}).status().message().find("is not a regular file"), std::string::npos);
    EXPECT_NE(ImportTable(directory, *target_, "t", {}).status().message().find("is not a regular file"),
              std::string::npos);
    std::filesystem::remove(path);
    std::filesystem::rename(path + ".kept", path);
  }
  EXPECT_TRUE(CheckExport(directory, {}).ok());
  const std::string other = directory_.Sub("other");
  std::filesystem::create_directory(other);
  ASSERT_EQ(::mkfifo((other + "/STATE").c_str(), 0600), 0);
  EXPECT_NE(ExportTable(*source_, "t", other, {}).status().message().find("is not a regular file"), std::string::npos);
}

TEST_F(CopyTest, ADamagedExportIsNamed) {
  const auto table = Make();
  Fill(table.get(), 20'000, 100);
  const std::string directory = directory_.Sub("export");
  ASSERT_TRUE(ExportTable(*source_, "t", directory, {.threads = 1, .chunk_bytes = 500'000}).ok());
  const std::string part = directory + "/part-000002.cells.zst";
  std::string bytes = ReadAll(part);
  ASSERT_GT(bytes.size(), 1000U);
  const auto import_code = [&](const std::string& damaged) {
    WriteAll(part, damaged);
    const Status status = CheckExport(directory, {}).status();
    EXPECT_NE(status.message().find("part-000002"), std::string::npos) << status.ToString();
    const Status imported = ImportTable(directory, *target_, "u", {}).status();
    EXPECT_EQ(imported.code(), status.code()) << imported.ToString();
    return status.code();
  };
  EXPECT_EQ(import_code(bytes.substr(0, bytes.size() / 2)), Code::kCorruption);
  EXPECT_EQ(import_code(""), Code::kCorruption);
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  EXPECT_EQ(import_code(flipped), Code::kCorruption);
  EXPECT_EQ(import_code(ReadAll(directory + "/part-000003.cells.zst")), Code::kCorruption);
  WriteAll(part, bytes);
  EXPECT_TRUE(CheckExport(directory, {}).ok());
  const std::string manifest = ReadAll(directory + "/MANIFEST");
  WriteAll(directory + "/MANIFEST", manifest.substr(0, manifest.size() - 5));
  EXPECT_EQ(CheckExport(directory, {}).status().code(), Code::kCorruption);
  for (size_t at = 0; at < manifest.size(); ++at) {
    std::string changed = manifest;
    changed[at] ^= 1;
    WriteAll(directory + "/MANIFEST", changed);
    EXPECT_EQ(CheckExport(directory, {}).status().code(), Code::kCorruption) << at;
  }
  // of version 1, without its MD5
  const std::string version_1 = "klip export 1" + manifest.substr(13, manifest.rfind('\t') - 13) + "\n";
  WriteAll(directory + "/MANIFEST", version_1);
  EXPECT_EQ(CheckExport(directory, {}).status().ToString(), "ok");
  WriteAll(directory + "/MANIFEST", version_1 + "end\t0\t0\n");
  EXPECT_EQ(CheckExport(directory, {}).status().code(), Code::kCorruption);
  WriteAll(directory + "/MANIFEST", "klip export 1\nsomething\telse\n");
  EXPECT_TRUE(CheckExport(directory, {}).status().message().ends_with("line 2 is not valid in an export"));
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
