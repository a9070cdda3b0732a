// The store's behaviour when the disk fails.
#include <atomic>
#include <filesystem>
#include <functional>
#include <thread>

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

  // Opens the current contents of the disk, as after kill -9.
  void OpenCopy() {
    const std::string copy = root_ + "/copy";
    std::error_code failed;
    do {  // a copy fails if the store removes a file meanwhile
      std::filesystem::remove_all(copy);
      std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive, failed);
    } while (failed == std::errc::no_such_file_or_directory);
    ASSERT_FALSE(failed) << failed.message();
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
  EXPECT_NE(status.message().find(
                "has accepted no writes since 2023-11-14 22:13:20 UTC, because writing or syncing its log failed"),
            std::string::npos)
      << status.message();
  faults_.fail_log_sync = false;
  status = Put("t", "r3", "v", Durability::kSkipWal);
  EXPECT_EQ(status.code(), Code::kReadOnly);
  EXPECT_NE(status.message().find("injected: fsync failed"), std::string::npos) << status.message();
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kReadOnly);
  EXPECT_EQ(store_->storage().Flush("t").code(), Code::kReadOnly);
  EXPECT_EQ(Dump("t").substr(0, 5), "r1=v ");
  Open();
  EXPECT_EQ(Dump("t").substr(0, 5), "r1=v ");
  EXPECT_TRUE(Put("t", "r4", "v", Durability::kFsyncWal).ok());
}

TEST_F(StoreFaultsTest, AStoreOnAFullDiskOpensAndIsRead) {
  const std::string large(1 << 20, 'x');  // more than a memtable holds
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
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  Open();
  EXPECT_TRUE(Dump("t").ends_with("r5=last r6=v "));
  EXPECT_TRUE(View("t")->families[0].state->leads->complete());
}

TEST_F(StoreFaultsTest, AStoreThatAFullDiskKeepsClosedSaysHowToReadIt) {
  ASSERT_TRUE(Put("t", "r1", "v", Durability::kFsyncWal).ok());
  store_.reset();
  faults_.disk_full = true;
  StoreOptions options = Options();
  const std::string refused = Store::Open(options).status().ToString();
  EXPECT_NE(refused.find("(klip:" + path_ + "?read-only reads it without writing): no space left"), std::string::npos)
      << refused;
  options.read_only = true;
  Expected<std::unique_ptr<Store>> opened = Store::Open(options);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  store_ = *std::move(opened);
  EXPECT_EQ(Dump("t"), "r1=v ");
  store_.reset();
  faults_.disk_full = false;
  Open();
  EXPECT_EQ(Dump("t"), "r1=v ");
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
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  faults_.disk_full = true;
  EXPECT_EQ(Put("t", "r1", "lost", Durability::kFsyncWal).code(), Code::kIoError);
  faults_.disk_full = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r2=v ");
}

// Flushing the memtable would need more space than is free again.
TEST_F(StoreFaultsTest, WritingGoesOnWithRoomForTheNextWrite) {
  const std::string value(100 << 10, 'v');
  faults_.free_bytes = 5 << 20;  // less than is in memory before it is flushed
  Open();
  faults_.no_room_for_tables = true;
  int written = 0;
  Status status = Put("t", "r" + std::to_string(written), value, Durability::kFsyncWal);
  for (; status.ok() && written < 1000; ++written) {
    status = Put("t", "r" + std::to_string(written), value, Durability::kFsyncWal);
  }
  EXPECT_EQ(status.code(), Code::kIoError);
  EXPECT_NE(status.message().find("no space left on the device"), std::string::npos) << status.message();
  EXPECT_GT(written, 20);
  EXPECT_FALSE(Put("t", "refused", value, Durability::kFsyncWal).ok());
  faults_.free_bytes = 200 << 10;
  EXPECT_EQ(Put("t", "s1", value, Durability::kFsyncWal).ToString(), "ok");
  EXPECT_EQ(Put("t", "s2", "last", Durability::kFsyncWal).ToString(), "ok");
  OpenCopy();
  EXPECT_TRUE(Dump("t").ends_with("s2=last "));
  EXPECT_EQ(Dump("t").find("refused"), std::string::npos);
}

// After RocksDB 7.8 has resumed from an error, it ingests files without numbers, or aborts.
TEST_F(StoreFaultsTest, AfterAFullDiskFilesAreRefusedUntilTheStoreIsOpenedAgain) {
  faults_.no_room_for_logs = true;
  EXPECT_EQ(Put("t", "r1", "lost", Durability::kFsyncWal).code(), Code::kIoError);
  faults_.no_room_for_logs = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  const auto load = [&]() -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<FileLoader> loader, store_->loads().NewFileLoader(View("t")));
    const std::vector<Cell> cells = {{.family = "f", .qualifier = "q", .timestamp_ms = 2, .value = "loaded"}};
    KLIP_RETURN_IF_ERROR(loader->AddRow("r9", cells));
    return loader->Finish();
  };
  const Status refused = load();
  EXPECT_EQ(refused.code(), Code::kUnsupported);
  EXPECT_NE(refused.message().find("the disk was full: bulk loads work again after the store is reopened"),
            std::string::npos)
      << refused.message();
  EXPECT_EQ(Dump("t"), "r2=v ");
  Open();
  EXPECT_EQ(load().ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r2=v r9=loaded ");
}

// After a flush has returned, its data is on disk: unlogged writes survive a crash.
TEST_F(StoreFaultsTest, AfterAFullDiskAFlushIsStillWaitedFor) {
  faults_.no_room_for_logs = true;
  EXPECT_EQ(Put("t", "r1", "lost", Durability::kFsyncWal).code(), Code::kIoError);
  faults_.no_room_for_logs = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  faults_.no_descriptors = true;  // the flush takes a while
  EXPECT_EQ(Put("t", "r3", "v", Durability::kSkipWal).ToString(), "ok");
  std::atomic<bool> flushed = false;
  std::thread flush([&] {
    EXPECT_EQ(store_->storage().Flush("t").ToString(), "ok");
    flushed = true;
  });
  while (faults_.refused_opens < 3) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(flushed);
  faults_.no_descriptors = false;
  flush.join();
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r2=v r3=v ");
}

TEST_F(StoreFaultsTest, AfterAFullDiskASnapshotHasAllRows) {
  faults_.no_room_for_logs = true;
  EXPECT_EQ(Put("t", "r1", "lost", Durability::kFsyncWal).code(), Code::kIoError);
  faults_.no_room_for_logs = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  faults_.no_descriptors = true;
  Status taken;
  std::thread snapshot([&] { taken = store_->snapshots().Take("s", "t"); });
  while (faults_.refused_opens < 2) {
    std::this_thread::yield();
  }
  faults_.no_descriptors = false;
  snapshot.join();
  ASSERT_EQ(taken.ToString(), "ok");
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Dump("c"), "r2=v ");
}

TEST_F(StoreFaultsTest, AFullDiskDuringAFlushIsReportedAndOver) {
  EXPECT_TRUE(Put("t", "r1", "v", Durability::kFsyncWal).ok());
  faults_.disk_full = true;
  EXPECT_EQ(store_->storage().Flush("t").code(), Code::kIoError);
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kIoError);
  EXPECT_EQ(Dump("t"), "r1=v ");
  faults_.disk_full = false;
  EXPECT_EQ(Put("t", "r2", "v", Durability::kFsyncWal).ToString(), "ok");
  EXPECT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).ToString(), "ok");
  OpenCopy();
  EXPECT_EQ(Dump("t"), "r1=v r2=v ");
  EXPECT_EQ(Dump("u"), "");
}

// RocksDB 7.8 loads a file that it cannot read, without bounds: nothing of it is found, and scans abort.
TEST_F(StoreFaultsTest, AFileThatCannotBeReadIsNotLoaded) {
  EXPECT_TRUE(Put("t", "r1", "v").ok());
  const auto load = [&](const std::string& row) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<FileLoader> loader, store_->loads().NewFileLoader(View("t")));
    const std::vector<Cell> cells = {{.family = "f", .qualifier = "q", .timestamp_ms = 2, .value = "loaded"}};
    KLIP_RETURN_IF_ERROR(loader->AddRow(row, cells));
    return loader->Finish();
  };
  std::string rows = "r1=v ";
  bool reached = true;
  for (int i = 0; reached && i < 100; ++i) {
    faults_.reads_left = i;
    const std::string row = "s" + std::to_string(100 + i);
    const Status loaded = load(row);
    reached = faults_.reads_left < 0;
    faults_.reads_left = INT64_MAX;
    rows += loaded.ok() ? row + "=loaded " : "";
    EXPECT_EQ(loaded.ok(), !reached) << i << ": " << loaded.ToString();
    EXPECT_EQ(Dump("t"), rows) << i;
    Open();
    EXPECT_EQ(Dump("t"), rows) << i;
  }
  EXPECT_FALSE(reached);
}

// After an error of access(), it is unknown whether the file exists.
TEST_F(StoreFaultsTest, WhatCannotBeLookedAtIsNotTakenForMissing) {
  const auto hide = [&](const std::string& name) {
    const std::lock_guard lock(faults_.mutex);
    faults_.unseen = name;
  };
  EXPECT_TRUE(Put("t", "r1", "v").ok());
  ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
  hide("/SNAPSHOT");
  Open();
  EXPECT_EQ(store_->snapshots().List().status().code(), Code::kIoError);
  EXPECT_EQ(store_->snapshots().Take("s", "t").code(), Code::kIoError);
  EXPECT_EQ(store_->snapshots().Delete("s").code(), Code::kIoError);
  hide("");
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Dump("c"), "r1=v ");
  for (const char* name : {"/FORMAT", "/CATALOG", "/CURRENT", "/MANIFEST_MARK", "/SEQUENCE", "/PEERS"}) {
    hide(name);
    const Status refused = TryOpen();
    EXPECT_EQ(refused.code(), Code::kIoError) << name;
    EXPECT_NE(refused.message().find("injected: access failed"), std::string::npos) << refused.message();
    hide("");
    ASSERT_EQ(TryOpen().ToString(), "ok") << name;
    EXPECT_EQ(Dump("t"), "r1=v ");
  }
}

// CATALOG was renamed, but the sync of its directory fails: a power cut may leave either file.
TEST_F(StoreFaultsTest, AfterAnUnknownOutcomeTheCatalogAndTheFamiliesFitWhicheverIsFound) {
  Create("u", {"f", "g"});
  ASSERT_TRUE(Put("u", "r1", "v").ok());
  ASSERT_TRUE(store_->catalog().SetEnabled("u", false).ok());
  const std::vector<std::function<Status()>> changes = {
      [&] { return store_->catalog().CreateTable(Descriptor("new", {"f"}), {}); },
      [&] { return store_->catalog().ModifyTable(Descriptor("t", {"f", "added"})); },
      [&] { return store_->catalog().ModifyTable(Descriptor("u", {"f"})); },
      [&] { return store_->catalog().TruncateTable("u", false); },
      [&] { return store_->catalog().DeleteTable("u"); },
      [&] { return store_->catalog().SetEnabled("u", true); },
  };
  const std::string kept = root_ + "/kept";
  store_.reset();
  std::filesystem::copy(path_, kept, std::filesystem::copy_options::recursive);
  for (size_t i = 0; i < changes.size(); ++i) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(kept, path_, std::filesystem::copy_options::recursive);
    Open();
    faults_.fail_directory_sync = true;
    const Status refused = changes[i]();
    faults_.fail_directory_sync = false;
    EXPECT_EQ(refused.code(), Code::kReadOnly) << i;
    EXPECT_NE(refused.message().find("it is not known whether its CATALOG was replaced"), std::string::npos)
        << refused.message();
    EXPECT_EQ(Put("t", "r", "v").code(), Code::kReadOnly);  // nothing is acknowledged that one of the files would lose
    EXPECT_EQ(store_->catalog().CreateTable(Descriptor("later", {"f"}), {}).code(), Code::kReadOnly);
    EXPECT_EQ(Dump("u"), "r1=v | r1=v ") << i;
    // The disk has the new CATALOG. A power cut could have left the old one.
    const std::string old = root_ + "/old";
    std::filesystem::remove_all(old);
    std::filesystem::copy(path_, old, std::filesystem::copy_options::recursive);
    std::filesystem::copy_file(kept + "/CATALOG", old + "/CATALOG", std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(TryOpen().ToString(), "ok") << i;
    const std::string path = path_;
    path_ = old;
    ASSERT_EQ(TryOpen().ToString(), "ok") << i;
    EXPECT_EQ(Dump("u"), "r1=v | r1=v ") << i;
    EXPECT_TRUE(Put("t", "r", "v").ok());
    store_.reset();
    path_ = path;
  }
}

// RocksDB opens the directory after it has written a new family to the MANIFEST. If that failed, it would abort when it
// writes the next MANIFEST: here, after the disk was full.
TEST_F(StoreFaultsTest, ADirectoryThatCannotBeOpenedLeavesNoHalfFamily) {
  faults_.fail_directory_open = true;
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kIoError);
  faults_.fail_directory_open = false;
  faults_.disk_full = true;
  EXPECT_FALSE(store_->catalog().CreateTable(Descriptor("v", {"f"}), {}).ok());
  faults_.disk_full = false;
  Status created(Code::kIoError, "not tried");
  for (int tries = 0; tries < 10'000 && !created.ok(); ++tries) {  // RocksDB resumes on its own thread
    created = store_->catalog().CreateTable(Descriptor("w", {"f"}), {});
  }
  EXPECT_EQ(created.ToString(), "ok");
  EXPECT_TRUE(Put("w", "r1", "v", Durability::kFsyncWal).ok());
  Open();
  EXPECT_EQ(Dump("w"), "r1=v ");
}

TEST_F(StoreFaultsTest, ADirectoryThatCannotBeOpenedLeavesTheCatalogAsItWas) {
  faults_.fail_directory_open = true;
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).code(), Code::kIoError);
  EXPECT_EQ(store_->catalog().SetEnabled("t", false).code(), Code::kIoError);
  faults_.fail_directory_open = false;
  EXPECT_TRUE(Put("t", "r1", "v").ok());
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).ToString(), "ok");
  Open();
  EXPECT_EQ(Dump("t"), "r1=v ");
  EXPECT_EQ(Dump("u"), "");
}

TEST_F(StoreFaultsTest, TheCatalogsDirectoryIsSyncedAfterItsRename) {
  const int64_t before = faults_.directory_syncs;
  ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_EQ(faults_.directory_syncs, before + 1);
}

TEST_F(StoreFaultsTest, TheDirectoriesOfANewStoreAreSyncedInTheirParents) {
  const std::string parent = root_ + "/parent";
  path_ = parent + "/new";
  Open();
  EXPECT_TRUE(faults_.synced_directories.contains(root_));
  EXPECT_TRUE(faults_.synced_directories.contains(parent));
  // The state after an open that was killed when it had created the directory.
  const std::string other = root_ + "/other";
  std::filesystem::create_directories(other + "/new");
  path_ = other + "/new";
  Open();
  EXPECT_TRUE(faults_.synced_directories.contains(other));
}

// Whichever sync fails: a load reserves its files' numbers first, and a clone creates families.
TEST_F(StoreFaultsTest, AFailedSyncOfTheManifestKeepsTheFilesThatItMayName) {
  int stores = 0;
  const auto load = [&] {
    Expected<std::unique_ptr<FileLoader>> loader = store_->loads().NewFileLoader(View("t"));
    EXPECT_TRUE(loader.ok());
    const std::vector<Cell> cells = {{.family = "f", .qualifier = "q", .timestamp_ms = 2, .value = "loaded"}};
    EXPECT_TRUE((*loader)->AddRow("r9", cells).ok());
    return (*loader)->Finish();
  };
  const auto clone = [&] { return store_->snapshots().Clone("s", "c"); };
  const auto compact = [&] { return store_->storage().Compact("t", /*major=*/true); };
  for (const std::function<Status()>& change : {std::function<Status()>(load), {clone}, {compact}}) {
    Status status(Code::kIoError, "");
    for (int syncs = 0; !status.ok(); ++syncs) {
      SCOPED_TRACE("fails after syncs: " + std::to_string(syncs));
      path_ = root_ + "/store" + std::to_string(++stores);
      env_ = fault_env_.get();
      Open();
      Create("t", {"f"});
      ASSERT_TRUE(Put("t", "r1", "v").ok());
      ASSERT_TRUE(store_->storage().Flush("t").ok());
      ASSERT_TRUE(Put("t", "r2", "v").ok());
      ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());  // otherwise it starts in the background
      ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
      faults_.manifest_syncs_left = syncs;
      status = change();
      EXPECT_TRUE(status.ok() || (status.code() == Code::kIoError && syncs < 5)) << status.ToString();
      EXPECT_TRUE(status.ok() || Put("t", "r3", "v").code() == Code::kReadOnly);
      EXPECT_EQ(Dump("t").substr(0, 10), "r1=v r2=v ");
      faults_.manifest_syncs_left = INT64_MAX;
      OpenCopy();
      ASSERT_NE(store_, nullptr);
      EXPECT_EQ(Dump("t").substr(0, 10), "r1=v r2=v ");
      EXPECT_TRUE(Put("t", "r4", "v").ok());
    }
  }
}

TEST_F(StoreFaultsTest, AFlushWaitsForADescriptor) {
  ASSERT_TRUE(Put("t", "r1", "v").ok());
  faults_.no_descriptors = true;
  std::thread flush([&] { EXPECT_EQ(store_->storage().Flush("t").ToString(), "ok"); });
  while (faults_.refused_opens < 2) {
    ASSERT_EQ(Put("t", "r2", "v").ToString(), "ok");  // meanwhile writes continue
  }
  faults_.no_descriptors = false;
  flush.join();
  EXPECT_EQ(Put("t", "r3", "v").ToString(), "ok");
  EXPECT_EQ(store_->storage().Flush("t").ToString(), "ok");
}

TEST_F(StoreFaultsTest, AStoreThatClosesWaitsForNoDescriptor) {
  ASSERT_TRUE(Put("t", "r1", std::string(2 << 20, 'v')).ok());  // worth a flush
  faults_.no_descriptors = true;
  store_.reset();
  EXPECT_EQ(faults_.refused_opens, 1);
  faults_.no_descriptors = false;
  Open();
  EXPECT_EQ(Dump("t").substr(0, 4), "r1=v");
}

TEST_F(StoreFaultsTest, ASnapshotWhoseLinksFailIsNotTaken) {
  for (const char* row : {"r1", "r2", "r3"}) {
    ASSERT_TRUE(Put("t", row, "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    if (row == std::string("r2")) {
      ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());  // files of two levels
    }
  }
  for (int64_t links = 0; links < 2; ++links) {
    faults_.links_left = links;
    EXPECT_EQ(store_->snapshots().Take("s", "t").code(), Code::kIoError) << links;
    EXPECT_TRUE(store_->snapshots().List()->empty());
  }
  faults_.links_left = INT64_MAX;
  const int64_t before = faults_.directory_syncs;
  ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
  EXPECT_GE(faults_.directory_syncs, before + 3);  // its own, snapshots/ and the store's
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Dump("c"), "r1=v r2=v r3=v ");
}

// A power cut may remove a file's name if its directory was not synced afterwards.
TEST_F(StoreFaultsTest, TheNamesOfTablesAreOnTheDiskBeforeTheManifestHasThem) {
  ASSERT_TRUE(Put("t", "r1", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(faults_.early_manifests, 0);
  Expected<std::unique_ptr<FileLoader>> loader = store_->loads().NewFileLoader(View("t"));
  ASSERT_TRUE(loader.ok());
  const std::vector<Cell> cells = {{.family = "f", .qualifier = "q", .timestamp_ms = 2, .value = "loaded"}};
  ASSERT_TRUE((*loader)->AddRow("r9", cells).ok());
  ASSERT_EQ((*loader)->Finish().ToString(), "ok");
  EXPECT_EQ(faults_.early_manifests, 0);
}

TEST_F(StoreFaultsTest, ASyncedWriteIsSynced) {
  store_.reset();
  StoreOptions options = Options();
  options.sync_wal = true;
  Expected<std::unique_ptr<Store>> opened = Store::Open(options);
  ASSERT_TRUE(opened.ok());
  store_ = std::move(*opened);
  for (const Durability durability : {Durability::kUseDefault, Durability::kSyncWal, Durability::kFsyncWal}) {
    const int64_t before = faults_.log_syncs;
    ASSERT_TRUE(Put("t", "r", "v", durability).ok());
    EXPECT_EQ(faults_.log_syncs, before + 1) << static_cast<int>(durability);
  }
  const int64_t before = faults_.log_syncs;
  ASSERT_TRUE(Put("t", "r", "v", Durability::kAsyncWal).ok());
  EXPECT_EQ(faults_.log_syncs, before);
}

TEST_F(StoreFaultsTest, ARowOfSeveralFamiliesIsLoggedWhatItsDurability) {
  Create("u", {"f", "g"});
  ASSERT_TRUE(Put("u", "r", "v", Durability::kSkipWal).ok());
  ASSERT_TRUE(
      store_->storage().Flush("u", "f").ok());  // after a crash now, one family is in a file, the other in the log only
  OpenCopy();
  EXPECT_EQ(Dump("u"), "r=v | r=v ");
}

}  // namespace
}  // namespace klip::engine
