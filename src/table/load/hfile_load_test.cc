// Uses the small HFiles of tests/hfile, which all contain the same cells.
#include "table/load/hfile_load.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "klip/coprocessor.h"
#include "klip/index.h"
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class HFileLoadTest : public TableTest {
 protected:
  static std::string Sample(const std::string& name) {
    return std::string(KLIP_HFILE_DIRECTORY) + "/" + name + ".hfile";
  }

  Expected<std::unique_ptr<HFileLoad>> OpenLoad(const std::vector<LoadedFile>& files) {
    return HFileLoad::Open(&static_cast<EmbeddedConnection*>(connection_.get())->shared(), "t", files);
  }

  // In the format of tests/hfile/cells.txt.
  std::string RawCells() {
    const Expected<std::unique_ptr<ResultScanner>> scanner = table_->Scan({.max_versions = kAllVersions, .raw = true});
    std::string text;
    for (Expected<bool> more = (*scanner)->Next(&row_); more.ok() && *more; more = (*scanner)->Next(&row_)) {
      for (const Cell& cell : row_) {
        text += ToStringBinary(cell.row) + "|" + ToStringBinary(cell.qualifier) + "|" +
                std::to_string(cell.timestamp_ms) + "|" + std::to_string(static_cast<int>(cell.type)) + "|" +
                ToStringBinary(cell.value) + "|" + ToStringBinary(cell.tags) + "\n";
      }
    }
    return text;
  }

  static std::string SampleCells() {
    std::ifstream file(std::string(KLIP_HFILE_DIRECTORY) + "/cells.txt");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  Result row_;
};

// Writes down the files of each load.
class FileObserver final : public Observer {
 public:
  Status PreBulkLoad(BulkLoadEvent& event) override { return Note("pre", event); }
  Status PostBulkLoad(BulkLoadEvent& event) override { return Note("post", event); }

  std::string seen_;

 private:
  Status Note(const std::string& hook, BulkLoadEvent& event) {
    seen_ += hook + " [" + event.start_key() + "]";
    for (const LoadedFile& file : event.files()) {
      seen_ += " " + file.family + " " + file.path.substr(file.path.rfind('/') + 1);
    }
    seen_ += "; ";
    return Status::Ok();
  }
};

TEST_F(HFileLoadTest, ObserversSeeTheFilesAndTheirRegion) {
  const auto observer = std::make_shared<FileObserver>();
  options_.observers = {{.tables = TableNamed("t"), .observer = observer}};
  Open();
  Create("t", {Family("e"), Family("f", 3)}, {}, {"m", "s"});
  const auto load = HFileLoad::Open(&static_cast<EmbeddedConnection*>(connection_.get())->shared(), "t",
                                    std::vector<LoadedFile>{{"f", Sample("none")}, {"f", Sample("diff")}}, "row0000");
  ASSERT_TRUE(load.ok()) << load.status().ToString();
  EXPECT_EQ((*load)->Run().ToString(), "ok");
  EXPECT_EQ(observer->seen_, "pre [m] f none.hfile f diff.hfile; post [m] f none.hfile f diff.hfile; ");
  observer->seen_.clear();
  auto rows = connection_->NewBulkLoader("t");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)->Add(Put{.row = "z"}.Add("f", "q", "v")).ToString(), "ok");
  EXPECT_EQ((*rows)->Finish().ToString(), "ok");
  EXPECT_EQ(observer->seen_, "pre []; post []; ");
}

TEST_F(HFileLoadTest, LoadsAllCellsOnceOfFilesThatOverlap) {
  Create("t", {Family("e"), Family("f", 3)});
  PutOne("row0000", "e:q", "stays");
  const auto load = OpenLoad({{"f", Sample("none")}, {"f", Sample("diff")}, {"f", Sample("empty")}});
  ASSERT_TRUE(load.ok()) << load.status().ToString();
  EXPECT_EQ((*load)->Run().ToString(), "ok");
  const std::string cells = SampleCells();
  EXPECT_EQ((*load)->cells(), std::count(cells.begin(), cells.end(), '\n'));
  EXPECT_EQ(GetText("row0000").substr(0, 19), "e:q@1000000=stays f");
  const std::string raw = RawCells();
  EXPECT_EQ(raw.substr(raw.find('\n') + 1), cells);
}

TEST_F(HFileLoadTest, TellsWhetherTheRowsFitIntoARegion) {
  Create("t", {Family("f")});
  const auto load = OpenLoad({{"f", Sample("prefix")}, {"f", Sample("empty")}});
  ASSERT_TRUE(load.ok()) << load.status().ToString();
  EXPECT_TRUE((*load)->FitsInto("", ""));
  EXPECT_TRUE((*load)->FitsInto("row0000", "s"));
  EXPECT_FALSE((*load)->FitsInto("row00001", ""));
  EXPECT_FALSE((*load)->FitsInto("", "row0001"));
  EXPECT_EQ(RawCells(), "");
}

TEST_F(HFileLoadTest, Refuses) {
  Create("t", {Family("f"), Family("g")});
  const auto error = [this](const std::vector<LoadedFile>& files) {
    const auto load = OpenLoad(files);
    return (load.ok() ? (*load)->Run() : load.status()).ToString();
  };
  EXPECT_EQ(error({{"nof", Sample("none")}}).substr(0, 46), "NoSuchColumnFamily: No such column family nof ");
  EXPECT_NE(error({{"g", Sample("none")}}).find("is of family f, the file is to be one of g"), std::string::npos);
  EXPECT_EQ(error({{"f", root_ + "/none"}}), "DoNotRetry: " + root_ + "/none: No such file or directory");
  EXPECT_EQ(error({{"f", Sample("../cells")}}).substr(0, 12), "DoNotRetry: ");
  EXPECT_EQ(error({{"f", std::string(KLIP_HFILE_DIRECTORY) + "/cells.txt"}}).substr(0, 12), "Corruption: ");
  ASSERT_TRUE(admin().DisableTable("t").ok());
  EXPECT_EQ(error({{"f", Sample("none")}}).substr(0, 16), "TableNotEnabled:");
}

TEST_F(HFileLoadTest, RowsMustFitAnEnforcedSchema) {
  Create("t", {Family("f")}, {{"KLIP_ROW_KEY", "a:text('_') b:digits(2)"}, {"KLIP_ROW_KEY_ENFORCED", "true"}});
  const auto load = OpenLoad({{"f", Sample("none")}});
  ASSERT_TRUE(load.ok());
  EXPECT_NE((*load)->Run().message().find("does not fit the row-key schema"), std::string::npos);
  EXPECT_EQ(RawCells(), "");
}

TEST_F(HFileLoadTest, IndexesFollowTheFiles) {
  Create("t", {Family("e"), Family("f", 3)},
         {{"KLIP_INDEX$i", "f:qxx0 text INCLUDE f:qxxx1"}, {"KLIP_INDEX$j", "f:q1 text"}});
  ASSERT_EQ(PutOne("row00001", "f:qxx0", "older", 5), "ok");
  ASSERT_EQ(PutOne("row000008", "f:q1", "newer", 3'300'000'000'000), "ok");
  ASSERT_EQ((*OpenLoad({{"f", Sample("none")}, {"f", Sample("diff")}}))->Run().ToString(), "ok");
  IndexAdmin* const indexes = *admin().indexes();
  for (const char* const index : {"i", "j"}) {
    const Expected<IndexCheck> check = indexes->VerifyIndex("t", index);
    ASSERT_TRUE(check.ok() && check->ok()) << check.status().ToString();
    EXPECT_GE(check->entries, 2);
  }
  ASSERT_TRUE(admin().MajorCompact("t").ok());
  EXPECT_TRUE(indexes->VerifyIndex("t", "i")->ok());
}

TEST_F(HFileLoadTest, FindsFilesAsHBasesToolDoes) {
  const std::filesystem::path directory = root_ + "/hfiles";
  for (const char* name : {"f/b", "f/a", "f/.hidden", "f/_logs", "_SUCCESS/x", "g/c"}) {
    std::filesystem::create_directories((directory / name).parent_path());
    std::ofstream(directory / name).put('x');
  }
  std::ofstream(directory / "_SUCCESS.txt").put('x');
  std::filesystem::create_directories(directory / "f/.tmp");
  const Expected<std::vector<LoadedFile>> files = FindHFiles(directory);
  ASSERT_TRUE(files.ok());
  std::string text;
  for (const LoadedFile& file : *files) {
    text += file.family + "=" + file.path.substr(directory.string().size()) + " ";
  }
  EXPECT_EQ(text, "f=/f/a f=/f/b g=/g/c ");
  EXPECT_EQ(FindHFiles(root_ + "/nowhere").status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace klip::table
