// Stores opened read-only: their contents are readable, no byte changes, and every kind of write fails.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "klip/index.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

namespace fs = std::filesystem;

class ReadOnlyTest : public TableTest {
 protected:
  // A closed store with rows in files and in its log, deletes in the log, a snapshot, and leftovers of a crash.
  ReadOnlyTest() {
    Create("t", {Family("f")}, {{"KLIP_ROW_KEY", "user:digits(2) day:digits(2)"}}, {"50"});
    for (int i = 10; i < 90; ++i) {
      PutOne(std::to_string(i) + std::to_string(10 + i % 7), "f:q", "in a file");
    }
    EXPECT_TRUE(admin().Flush("t").ok());
    EXPECT_TRUE(admin().Snapshot("s", "t").ok());
    PutOne("9913", "f:q", "in the log");
    EXPECT_TRUE(table_->Delete(Delete{.row = "1013"}).ok());
    table_.reset();
    connection_.reset();
    fs::create_directories(root_ + "/store/load/rest");            // of a bulk load
    fs::create_directories(root_ + "/store/snapshots/unwritten");  // of a snapshot
  }

  std::unique_ptr<Connection> Reader() {
    Expected<std::unique_ptr<Connection>> opened = Connection::Open("klip:" + root_ + "/store?read-only", options_);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    return opened.ok() ? *std::move(opened) : nullptr;
  }

  // Each file and directory of the store, with its contents.
  std::map<std::string, std::string> Bytes() const {
    std::map<std::string, std::string> bytes;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_ + "/store")) {
      std::string& text = bytes[entry.path().string()];
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path(), std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(file), {});
      }
    }
    return bytes;
  }

  // The names of what has changed since.
  std::string Changed(const std::map<std::string, std::string>& before) const {
    const auto after = Bytes();
    std::string names;
    for (const auto& [name, bytes] : after) {
      const auto found = before.find(name);
      names += found == before.end() || found->second != bytes ? name + " " : "";
    }
    for (const auto& [name, bytes] : before) {
      names += after.contains(name) ? "" : name + " ";
    }
    return names;
  }

  static int64_t Count(Connection* connection, std::string_view where) {
    const std::unique_ptr<Table> table = *connection->GetTable("t");
    return *table->CountRows({.where = *table->ParseQuery(where)});
  }
};

TEST_F(ReadOnlyTest, ShowsFilesAndLogAndChangesNoByte) {
  const auto before = Bytes();
  for (int round = 0; round < 2; ++round) {
    const std::unique_ptr<Connection> reader = Reader();
    table_ = *reader->GetTable("t");
    EXPECT_EQ(GetText("9913"), "f:q@1000000=in the log");
    EXPECT_EQ(GetText("1013"), "");
    EXPECT_EQ(GetText("1114"), "f:q@1000000=in a file");
    EXPECT_EQ(*table_->CountRows({}), 80);
    EXPECT_EQ(Count(reader.get(), "day=13"), 12);
    EXPECT_EQ(reader->admin().ListSnapshots()->size(), 1U);
    table_.reset();
  }
  EXPECT_EQ(Changed(before), "");
  Open();
  EXPECT_EQ(Count(connection_.get(), "day=13"), 12);
}

TEST_F(ReadOnlyTest, RefusesEveryWrite) {
  const auto before = Bytes();
  {
    const std::unique_ptr<Connection> reader = Reader();
    Admin& writes = reader->admin();
    const std::unique_ptr<Table> table = *reader->GetTable("t");
    const Status put = table->Put(Put{.row = "1010"}.Add("f", "q", "v"));
    EXPECT_EQ(put.ToString(), "ReadOnly: the store '" + root_ + "/store' was opened read-only");
    const std::vector<Status> refused = {
        table->Delete(Delete{.row = "1114"}),
        table->Increment(Increment{.row = "1114"}.Add("f", "n", 1)).status(),
        reader->Apply({.steps = {{"t", Put{.row = "1010"}.Add("f", "q", "v")}}}).status(),
        writes.CreateTable({.name = "u", .families = {Family("f")}}),
        writes.CreateNamespace({.name = "n"}),
        writes.AddFamily("t", Family("g")),
        writes.DisableTable("t"),
        writes.Flush("t"),
        writes.MajorCompact("t"),
        writes.Split("t", "70"),
        writes.Snapshot("s2", "t"),
        writes.DeleteSnapshot("s"),
        writes.CloneSnapshot("s", "u"),
        (*writes.indexes())->CreateIndex("t", {.name = "i", .fields = {{.column = "f:q", .type = "text"}}}),
    };
    for (size_t i = 0; i < refused.size(); ++i) {
      EXPECT_EQ(refused[i].code(), Code::kReadOnly) << i << ": " << refused[i].ToString();
    }
    auto loader = reader->NewBulkLoader("t");
    Status load = loader.status();
    if (load.ok()) {
      load = (*loader)->Add(Put{.row = "0010"}.Add("f", "q", "v"));
      load = load.ok() ? (*loader)->Finish() : load;
    }
    EXPECT_EQ(load.code(), Code::kReadOnly) << load.ToString();
  }
  EXPECT_EQ(Changed(before), "");
}

TEST_F(ReadOnlyTest, ManyMayReadAndNobodyMayWriteMeanwhile) {
  const std::string uri = "klip:" + root_ + "/store";
  {
    const std::unique_ptr<Connection> one = Reader();
    const std::unique_ptr<Connection> two = Reader();
    EXPECT_EQ(Count(two.get(), "day=13"), 12);
    EXPECT_EQ(Connection::Open(uri, options_).status().code(), Code::kStoreInUse);
  }
  Open();
  EXPECT_EQ(Connection::Open(uri + "?read-only", options_).status().code(), Code::kStoreInUse);
}

TEST_F(ReadOnlyTest, MakesNoStore) {
  const Status missing = Connection::Open("klip:" + root_ + "/none?read-only").status();
  EXPECT_EQ(missing.ToString(), "IoError: no store at '" + root_ + "/none'");
  EXPECT_FALSE(fs::exists(root_ + "/none"));
  EXPECT_FALSE(fs::exists(root_ + "/none?read-only"));
}

}  // namespace
}  // namespace klip::table
