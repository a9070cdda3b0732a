// What the store does when the disk fails it.
#include <filesystem>

#include "engine/rocks/fault_file_system_test.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class StoreFaultsTest : public StoreTest {
 protected:
  StoreFaultsTest() : fault_env_(rocksdb::NewCompositeEnv(std::make_shared<FaultFileSystem>(&faults_))) {
    env_ = fault_env_.get();
    Open();
    Create("t", {"f"});
  }
  ~StoreFaultsTest() override { store_.reset(); }

  // Opens what is on disk at this moment, as after kill -9.
  void OpenCopy() {
    const std::string copy = root_ + "/copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive);
    store_.reset();
    path_ = copy;
    env_ = nullptr;
    Open();
  }

  Faults faults_;
  std::unique_ptr<rocksdb::Env> fault_env_;
};

TEST_F(StoreFaultsTest, AFailedSyncEndsWritesButNotReads) {
  EXPECT_TRUE(Put("t", "r1", "v", Durability::kFsyncWal).ok());
  faults_.fail_log_sync = true;
  Status status = Put("t", "r2", "v", Durability::kFsyncWal);
  EXPECT_EQ(status.code(), Code::kReadOnly);
  EXPECT_NE(
      status.message().find("takes no writes since 2023-11-14 22:13:20 UTC, because writing or syncing its log failed"),
      std::string::npos)
      << status.message();
  faults_.fail_log_sync = false;
  status = Put("t", "r3", "v", Durability::kSkipWal);
  EXPECT_EQ(status.code(), Code::kReadOnly);
  EXPECT_NE(status.message().find("injected: fsync failed"), std::string::npos) << status.message();
  EXPECT_EQ(store_->CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kReadOnly);
  EXPECT_EQ(store_->Flush("t").code(), Code::kReadOnly);
  EXPECT_EQ(Dump("t").substr(0, 5), "r1=v ");
  Open();
  EXPECT_EQ(Dump("t").substr(0, 5), "r1=v ");
  EXPECT_TRUE(Put("t", "r4", "v", Durability::kFsyncWal).ok());
}

TEST_F(StoreFaultsTest, AStoreOnAFullDiskOpensAndIsRead) {
  const std::string large(1 << 20, 'x');  // more than a memtable may hold
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(Put("t", "r" + std::to_string(i), i == 5 ? "last" : large, Durability::kFsyncWal).ok());
  }
  faults_.no_room_for_tables = true;
  Open();
  EXPECT_EQ(Dump("t").substr(0, 4), "r0=x");
  EXPECT_TRUE(Dump("t").ends_with("r5=last "));
  EXPECT_FALSE(View("t")->families[0].state->leads->complete());
  EXPECT_EQ(View("t")->families[0].state->shortest_row_bytes, 0u);
  faults_.no_room_for_tables = false;
  EXPECT_TRUE(Put("t", "r6", "v", Durability::kFsyncWal).ok());
  EXPECT_TRUE(store_->Flush("t").ok());
  Open();
  EXPECT_TRUE(Dump("t").ends_with("r5=last r6=v "));
  EXPECT_TRUE(View("t")->families[0].state->leads->complete());
}

TEST_F(StoreFaultsTest, AFullDiskRefusesWritesUntilThereIsRoom) {
  EXPECT_TRUE(Put("t", "r1", "v", Durability::kFsyncWal).ok());
  faults_.disk_full = true;
  for (int i = 0; i < 3; ++i) {
    const Status status = Put("t", "r2", "lost", Durability::kFsyncWal);
    EXPECT_EQ(status.code(), Code::kIoError);
    EXPECT_NE(status.message().find("no space left on the device"), std::string::npos) << status.message();
  }
  EXPECT_EQ(Dump("t"), "r1=v ");
  faults_.disk_full = false;
  EXPECT_EQ(Put("t", "r3", "v", Durability::kFsyncWal).ToString(), "ok");
  EXPECT_EQ(Put("t", "r4", "v", Durability::kFsyncWal).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r1=v r3=v r4=v ");
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r1=v r3=v r4=v ");
}

TEST_F(StoreFaultsTest, AFullDiskBeforeTheFirstWriteLosesNothingLater) {
  EXPECT_TRUE(store_->Flush("t").ok());
  faults_.disk_full = true;
  EXPECT_EQ(Put("t", "r1", "lost", Durability::kFsyncWal).code(), Code::kIoError);
  faults_.disk_full = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r2=v ");
}

TEST_F(StoreFaultsTest, AFullDiskDuringAFlushIsReportedAndOver) {
  EXPECT_TRUE(Put("t", "r1", "v", Durability::kFsyncWal).ok());
  faults_.disk_full = true;
  EXPECT_EQ(store_->Flush("t").code(), Code::kIoError);
  EXPECT_EQ(store_->CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kIoError);
  EXPECT_EQ(Dump("t"), "r1=v ");
  faults_.disk_full = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  EXPECT_EQ(store_->Flush("t").ToString(), "ok");
  EXPECT_EQ(store_->CreateTable(Descriptor("u", {"f"}), {}).ToString(), "ok");
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r1=v r2=v ");
  EXPECT_EQ(Dump("u"), "");
}

}  // namespace
}  // namespace klip::engine
