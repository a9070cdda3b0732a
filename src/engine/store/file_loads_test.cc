// Bulk load.
#include "engine/store/file_loads.h"

#include <filesystem>
#include <memory>
#include <vector>

#include "rocksdb/utilities/stackable_db.h"

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class FileLoaderTest : public StoreTest {
 protected:
  FileLoaderTest() {
    Open();
    Create("t", {"f", "g"});
  }
  Status Finish(FileLoader* loader) {
    const auto writing = store_->locks().LockForWrite("t");
    return loader->Finish();
  }
  static Cell CellOf(std::string_view family, std::string_view value, std::string_view qualifier = "q") {
    return {.family = family, .qualifier = qualifier, .timestamp_ms = 1, .value = value};
  }
};

TEST_F(FileLoaderTest, AllFamiliesAppearTogether) {
  EXPECT_TRUE(Put("t", "r2", "old").ok());
  auto loader = store_->loads().NewFileLoader(View("t"));
  ASSERT_TRUE(loader.ok());
  for (const char* row : {"r1", "r2", "r3"}) {
    const std::vector<Cell> cells = {CellOf("f", "a"), CellOf("g", "b")};
    EXPECT_EQ((*loader)->AddRow(row, cells).ToString(), "ok");
  }
  EXPECT_EQ(Dump("t"), "r2=old | r2=old ");
  EXPECT_EQ(Finish(loader->get()).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r1=a r2=a r3=a | r1=b r2=b r3=b ");
  EXPECT_EQ(store_->storage().Statistics(*View("t"))->cells, 2 + 6);
  loader->reset();
  Open();
  EXPECT_EQ(Dump("t"), "r1=a r2=a r3=a | r1=b r2=b r3=b ");
}

TEST_F(FileLoaderTest, RowsMustAscend) {
  auto loader = store_->loads().NewFileLoader(View("t"));
  const std::vector<Cell> cells = {CellOf("f", "a")};
  EXPECT_TRUE((*loader)->AddRow("b", cells).ok());
  EXPECT_EQ((*loader)->AddRow("b", cells).ToString(),
            "InvalidArgument: cells of row 'b' are out of order or repeated in family 'f'");
  EXPECT_EQ((*loader)->AddRow("a", cells).code(), Code::kInvalidArgument);
  const std::vector<Cell> backwards = {CellOf("f", "a", "q2"), CellOf("f", "a", "q1")};
  EXPECT_EQ((*loader)->AddRow("c", backwards).code(), Code::kInvalidArgument);
  const std::vector<Cell> stranger = {CellOf("x", "a")};
  EXPECT_EQ((*loader)->AddRow("d", stranger).code(), Code::kNoSuchColumnFamily);
}

TEST_F(FileLoaderTest, WithoutFinishNothingIsLoadedOrLeft) {
  {
    auto loader = store_->loads().NewFileLoader(View("t"));
    const std::vector<Cell> cells = {CellOf("f", "a")};
    EXPECT_TRUE((*loader)->AddRow("b", cells).ok());
  }
  EXPECT_EQ(Dump("t"), "| ");
  EXPECT_TRUE(std::filesystem::is_empty(path_ + "/load"));
}

TEST_F(FileLoaderTest, ATableThatChangedMeanwhile) {
  auto loader = store_->loads().NewFileLoader(View("t"));
  const std::vector<Cell> cells = {CellOf("f", "a")};
  EXPECT_TRUE((*loader)->AddRow("b", cells).ok());
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_EQ(Finish(loader->get()).code(), Code::kTableNotEnabled);
  EXPECT_TRUE(store_->catalog().TruncateTable("t", true).ok());
  EXPECT_EQ(Finish(loader->get()).code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(Dump("t"), "| ");
}

// Is as busy as it says, then takes files.
class BusyDb final : public rocksdb::StackableDB {
 public:
  explicit BusyDb(int busy) : StackableDB(std::shared_ptr<rocksdb::DB>()), busy_(busy) {}
  rocksdb::Status IngestExternalFiles(const std::vector<rocksdb::IngestExternalFileArg>& /*files*/) override {
    ++calls_;
    return busy_-- > 0 ? rocksdb::Status::TryAgain() : last;
  }
  int calls() const { return calls_; }
  rocksdb::Status last;

 private:
  int busy_;
  int calls_ = 0;
};

TEST(IngestFilesTest, RetriesWhileFlushesEnd) {
  BusyDb soon(3);
  EXPECT_TRUE(IngestFiles(&soon, {}).ok());
  EXPECT_EQ(soon.calls(), 4);
  BusyDb broken(0);
  broken.last = rocksdb::Status::IOError("disk");
  EXPECT_TRUE(IngestFiles(&broken, {}).IsIOError());
  EXPECT_EQ(broken.calls(), 1);
  BusyDb never(1 << 30);
  EXPECT_TRUE(IngestFiles(&never, {}).IsTryAgain());
}

}  // namespace
}  // namespace klip::engine
