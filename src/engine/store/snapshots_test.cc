// Snapshots: taking, cloning and restoring them, and what a crash leaves of one.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/blocks/block_database_test.h"
#include "engine/log/log_reader.h"
#include "engine/log/manifest.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class StoreSnapshotsTest : public StoreTest {
 protected:
  StoreSnapshotsTest() {
    Open();
    Create("t", {"f", "g"}, {"m"});
  }
};

TEST_F(StoreSnapshotsTest, CloneAndRestore) {
  EXPECT_TRUE(Put("t", "r1", "v1", Durability::kSyncWal, "f").ok());  // "g" has no file
  EXPECT_TRUE(Put("t", "r2", "v2", Durability::kSkipWal, "f").ok());
  EXPECT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
  EXPECT_TRUE(Put("t", "r3", "v3").ok());

  EXPECT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Dump("c"), "r1=v1 r2=v2 | ");
  EXPECT_EQ(View("c")->regions->size(), 2u);
  EXPECT_TRUE(Put("c", "r4", "v4").ok());
  EXPECT_EQ(store_->snapshots().Clone("s", "c2").ToString(), "ok");  // a clone does not change the snapshot
  EXPECT_EQ(Dump("c2"), "r1=v1 r2=v2 | ");

  EXPECT_EQ(store_->snapshots().Restore("s").ToString(), "TableNotDisabled: t");
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_EQ(store_->snapshots().Restore("s").ToString(), "ok");
  EXPECT_FALSE(View("t")->enabled);
  EXPECT_TRUE(store_->catalog().SetEnabled("t", true).ok());
  EXPECT_EQ(Dump("t"), "r1=v1 r2=v2 | ");
  EXPECT_EQ(View("t")->families[0].state->shortest_row_bytes, 2u);

  Open();
  EXPECT_EQ(Dump("t"), "r1=v1 r2=v2 | ");
  EXPECT_EQ(Dump("c"), "r1=v1 r2=v2 r4=v4 | r4=v4 ");
}

// Tables with bulk loads of rows that are stored already.
class LoadedSnapshotsTest : public StoreTest {
 protected:
  LoadedSnapshotsTest() {
    Open();
    Create("t", {"f"});
  }
  void PutAndFlush(std::string_view row, std::string_view value) {
    EXPECT_TRUE(Put("t", row, value).ok());
    EXPECT_TRUE(store_->storage().Flush("t").ok());
  }
  void Load(const std::vector<std::string>& rows, std::string_view value) {
    auto loader = store_->loads().NewFileLoader(View("t"));
    ASSERT_TRUE(loader.ok());
    const Cell cell = {.family = "f", .qualifier = "q", .timestamp_ms = 1, .value = value};
    for (const std::string& row : rows) {
      EXPECT_TRUE((*loader)->AddRow(row, {&cell, 1}).ok());
    }
    const auto writing = store_->locks().LockForWrite("t");
    EXPECT_EQ((*loader)->Finish().ToString(), "ok");
  }
  void AwaitCompactions() {
    rocksdb::ColumnFamilyHandle* const handle = View("t")->families[0].handle.get();
    const auto is = [&](const char* property) {
      uint64_t value = 0;
      return store_->db()->GetIntProperty(handle, property, &value) && value > 0;
    };
    while (is("rocksdb.compaction-pending") || is("rocksdb.num-running-compactions")) {
      std::this_thread::yield();
    }
  }
  int64_t FilesAtLastLevel() {
    std::string files;
    store_->db()->GetProperty(View("t")->families[0].handle.get(), "rocksdb.num-files-at-level6", &files);
    return std::stoll(files);
  }
  // A clone and a restored table have the cells of the table, after a compaction and an open too.
  void CheckSnapshot() {
    const std::string all = Dump("t");
    ASSERT_EQ(store_->snapshots().Take("s", "t").ToString(), "ok");
    EXPECT_EQ(Dump("t"), all);
    ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
    EXPECT_EQ(Dump("c"), all);
    EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
    ASSERT_EQ(store_->snapshots().Restore("s").ToString(), "ok");
    EXPECT_TRUE(store_->catalog().SetEnabled("t", true).ok());
    EXPECT_EQ(Dump("t"), all);
    ASSERT_EQ(store_->snapshots().Take("s2", "c").ToString(), "ok");
    ASSERT_EQ(store_->snapshots().Clone("s2", "c2").ToString(), "ok");
    Open();
    for (const char* table : {"c", "c2", "t"}) {
      EXPECT_EQ(Dump(table), all) << table;
      EXPECT_EQ(store_->storage().Compact(table, /*major=*/true).ToString(), "ok") << table;
      EXPECT_EQ(Dump(table), all) << table;
    }
  }
};

TEST_F(LoadedSnapshotsTest, ALoadedRowIsNotReplacedByTheOldOne) {
  PutAndFlush("r5", "old");
  Load({"r5"}, "new");
  for (const char* row : {"x1", "x2", "x3", "x4"}) {
    PutAndFlush(row, "v");
  }
  AwaitCompactions();
  EXPECT_GT(FilesAtLastLevel(), 1) << "they were merged: the test does not test what it should";
  CheckSnapshot();
}

// As klips that did not choose levels left a clone: the loaded file is behind the older one, with the bound r5@0.
TEST_F(LoadedSnapshotsTest, AClonesFilesInTheWrongOrderAreCorrected) {
  PutAndFlush("r5", "old");
  Load({"r5"}, "new");
  for (const char* row : {"x1", "x2", "x3", "x4"}) {
    PutAndFlush(row, "v");
  }
  AwaitCompactions();
  const std::string all = Dump("t");
  ASSERT_TRUE(store_->snapshots().Take("s", "t").ok());
  ASSERT_TRUE(store_->snapshots().Clone("s", "c").ok());
  const uint32_t family = View("c")->families[0].handle->GetID();
  store_.reset();
  const Expected<CurrentManifest> manifest = ReadCurrentManifest(rocksdb::Env::Default(), path_);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  uint64_t end = manifest->state.end;
  std::string pieces;
  for (const auto& [number, table] : manifest->state.tables) {
    if (table.family == family && table.level == 5) {
      std::string edit = MoveTableEdit(number, table, 6);
      for (const uint64_t type : {1, 0}) {
        const uint64_t right = table.largest_sequence << 8 | type;
        const uint64_t wrong = 1;
        const size_t at = edit.find(std::string(reinterpret_cast<const char*>(&right), sizeof(right)));
        ASSERT_NE(at, std::string::npos);
        edit.replace(at, sizeof(wrong), reinterpret_cast<const char*>(&wrong), sizeof(wrong));
      }
      AppendLogRecord(edit, &end, &pieces);
    }
  }
  ASSERT_FALSE(pieces.empty());
  std::ofstream(path_ + "/" + manifest->name, std::ios::binary | std::ios::app) << pieces;
  {
    const ReaderInEnvironment rocksdb("rocksdb");  // the other one does not rely on the order of files
    StoreOptions options = Options();
    options.read_only = true;
    store_ = *Store::Open(options);
    EXPECT_NE(Dump("c"), all) << "the test does not test what it should";
  }
  Open();
  EXPECT_EQ(Dump("c"), all);
  EXPECT_EQ(store_->storage().Compact("c", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(Dump("c"), all);
  Open();
  EXPECT_EQ(Dump("c"), all);
}

// A clone's files have the right bounds after the next open, too.
TEST_F(LoadedSnapshotsTest, AnOpenGivesImportedFilesTheirBounds) {
  EXPECT_TRUE(Put("t", "r5", "old").ok());
  PutAndFlush("r9", "old");
  Load({"r1", "r5"}, "new");
  const std::string all = Dump("t");
  ASSERT_TRUE(store_->snapshots().Take("s", "t").ok());
  ASSERT_TRUE(store_->snapshots().Clone("s", "c").ok());
  for (const int wrong : {1, 0}) {
    const Expected<CurrentManifest> manifest = ReadCurrentManifest(rocksdb::Env::Default(), path_);
    ASSERT_TRUE(manifest.ok());
    EXPECT_EQ(std::ranges::count_if(
                  manifest->state.tables,
                  [](const auto& one) { return one.second.smallest_sequence > 0 && one.second.smallest_bound == 0; }),
              wrong);
    Open();
    EXPECT_EQ(Dump("c"), all);
    EXPECT_EQ(Dump("t"), all);
  }
}

TEST_F(LoadedSnapshotsTest, ALoadMayTouchAFile) {
  EXPECT_TRUE(Put("t", "r5", "old").ok());
  PutAndFlush("r9", "old");
  Load({"r1", "r5"}, "new");
  for (const char* row : {"x1", "x2", "x3", "x4"}) {
    PutAndFlush(row, "v");
  }
  AwaitCompactions();
  EXPECT_GT(FilesAtLastLevel(), 1);
  CheckSnapshot();
}

TEST_F(LoadedSnapshotsTest, FilesOnTheFirstLevelKeepTheirOrder) {
  PutAndFlush("r5", "old");
  Load({"r5"}, "new");
  CheckSnapshot();
  for (const char* table : {"c", "t"}) {  // the import's files may be moved later
    for (const char* row : {"x1", "x2", "x3", "x4"}) {
      EXPECT_TRUE(Put(table, row, "v").ok());
      EXPECT_TRUE(store_->storage().Flush(table).ok());
    }
    EXPECT_EQ(Dump(table), "r5=new x1=v x2=v x3=v x4=v ");
  }
}

// More files of one row than an import can put on different levels.
TEST_F(LoadedSnapshotsTest, ASnapshotRewritesTheFilesOfManyLoads) {
  PutAndFlush("r5", "0");
  for (int i = 1; i <= 12; ++i) {
    Load({"r5"}, std::to_string(i));
    if (i % 4 == 0) {
      AwaitCompactions();
    }
  }
  EXPECT_EQ(Dump("t"), "r5=12 ");
  CheckSnapshot();
}

TEST_F(StoreSnapshotsTest, ASnapshotOutlivesItsTable) {
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_TRUE(store_->catalog().DeleteTable("t").ok());
  Open();
  const auto all = store_->snapshots().List();
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ((*all)[0].name, "s");
  EXPECT_EQ((*all)[0].table, "t");
  EXPECT_EQ((*all)[0].created_ms, now_ms_);
  EXPECT_EQ(store_->snapshots().Restore("s").ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r1=v1 | r1=v1 ");
}

TEST_F(StoreSnapshotsTest, ExpiresAfterItsTimeToLive) {
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  EXPECT_TRUE(store_->snapshots().Take("for_ever", "t").ok());
  EXPECT_TRUE(store_->snapshots().Take("s", "t", {.ttl_s = 60}).ok());
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  now_ms_ += 60'000;
  EXPECT_TRUE(store_->snapshots().Restore("s").ok());
  EXPECT_TRUE(store_->snapshots().DeleteExpired().ok());
  ++now_ms_;
  Open();
  ASSERT_EQ(store_->snapshots().List()->size(), 2u);
  EXPECT_EQ((*store_->snapshots().List())[1].ttl_s, 60);
  EXPECT_EQ(store_->snapshots().Restore("s").ToString(), "DoNotRetry: TTL for snapshot 's' has already expired.");
  EXPECT_EQ(store_->snapshots().Clone("s", "c").code(), Code::kDoNotRetry);
  EXPECT_EQ(store_->snapshots().Take("s", "t").code(), Code::kSnapshotExists);
  std::filesystem::create_directory(path_ + "/snapshots/damaged");
  std::ofstream(path_ + "/snapshots/damaged/SNAPSHOT") << "garbage";
  EXPECT_TRUE(store_->snapshots().DeleteExpired().ok());
  EXPECT_TRUE(store_->snapshots().Delete("damaged").ok());
  EXPECT_FALSE(std::filesystem::exists(path_ + "/snapshots/s"));
  ASSERT_EQ(store_->snapshots().List()->size(), 1u);
  EXPECT_TRUE(store_->snapshots().Clone("for_ever", "c").ok());
}

TEST_F(StoreSnapshotsTest, ADamagedOneIsNamed) {
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(store_->snapshots().Take(name, "t").ok());
  }
  std::filesystem::resize_file(path_ + "/snapshots/b/SNAPSHOT", 40);
  const std::string damaged = "Corruption: Snapshot 'b' is damaged: " + path_ +
                              "/snapshots/b/SNAPSHOT: checksum mismatch, the file is damaged or cut short";
  EXPECT_EQ(store_->snapshots().List().status().ToString(), damaged + ". Delete it, and the others are listed again");
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_EQ(store_->snapshots().Find("a")->table, "t");
  EXPECT_EQ(store_->snapshots().Find("d").status().code(), Code::kSnapshotNotFound);
  EXPECT_EQ(store_->snapshots().Find("b").status().ToString(), damaged);
  EXPECT_EQ(store_->snapshots().Clone("b", "n").ToString(), damaged);
  EXPECT_EQ(store_->snapshots().Restore("b").ToString(), damaged);
  EXPECT_EQ(store_->snapshots().Take("b", "t").code(), Code::kSnapshotExists);
  EXPECT_EQ(store_->snapshots().Delete("b").ToString(), "ok");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/snapshots/b"));
  EXPECT_TRUE(store_->snapshots().Take("b", "t").ok());
  EXPECT_EQ(store_->snapshots().List()->size(), 3u);
}

TEST_F(StoreSnapshotsTest, GivesItsTablesTheirFileSize) {
  EXPECT_TRUE(store_->snapshots().Take("s", "t", {.max_file_bytes = 20'000'000}).ok());
  EXPECT_TRUE(store_->snapshots().Clone("s", "c").ok());
  EXPECT_EQ(View("c")->descriptor.attributes.at("MAX_FILESIZE"), "20000000");
  EXPECT_FALSE(View("t")->descriptor.attributes.contains("MAX_FILESIZE"));
  EXPECT_TRUE(store_->snapshots().Take("s2", "c", {.max_file_bytes = 30'000'000}).ok());
  EXPECT_TRUE(store_->snapshots().Clone("s2", "c2").ok());
  EXPECT_EQ(View("c2")->descriptor.attributes.at("MAX_FILESIZE"), "20000000") << "its table has one";
  EXPECT_EQ(store_->snapshots().Take("s3", "t", {.ttl_s = -1}).code(), Code::kInvalidArgument);
}

TEST_F(StoreSnapshotsTest, TellsHowItWasTaken) {
  EXPECT_TRUE(store_->snapshots().Take("flushed", "t").ok());
  EXPECT_TRUE(store_->snapshots().Take("skipped", "t", {.skip_flush = true}).ok());
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_TRUE(store_->snapshots().Take("disabled", "t", {.skip_flush = true}).ok());
  EXPECT_EQ(store_->snapshots().Find("flushed")->type, SnapshotType::kFlush);
  EXPECT_EQ(store_->snapshots().Find("skipped")->type, SnapshotType::kSkipFlush);
  EXPECT_EQ(store_->snapshots().Find("disabled")->type, SnapshotType::kDisabled);
}

// Records from before snapshots could expire and recorded their options.
TEST_F(StoreSnapshotsTest, ReadsRecordsWithoutTimeToLive) {
  EXPECT_TRUE(store_->snapshots().Take("s", "t", {.ttl_s = 1}).ok());
  const std::string file = path_ + "/snapshots/s/SNAPSHOT";
  std::string json(*Unseal(*ReadSmallFile(rocksdb::Env::Default(), file), file));
  for (const std::string_view key : {"max_file_bytes", "ttl_s", "skip_flush"}) {
    const size_t at = json.rfind(key);  // families have a "ttl_s" too
    ASSERT_NE(at, std::string::npos);
    json.replace(at, key.size(), "unknown");
  }
  ASSERT_TRUE(ReplaceFile(rocksdb::Env::Default(), path_ + "/snapshots/s", "SNAPSHOT", Seal(json)).ok());
  now_ms_ += 10'000;
  EXPECT_EQ((*store_->snapshots().List())[0].ttl_s, 0);
  EXPECT_TRUE(store_->snapshots().Clone("s", "c").ok());
}

TEST_F(StoreSnapshotsTest, Refusals) {
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
  EXPECT_EQ(store_->snapshots().Take("s", "t").code(), Code::kSnapshotExists);
  EXPECT_EQ(store_->snapshots().Take("s2", "nope").ToString(),
            "TableNotFound: Table 'nope' doesn't exist, can't take snapshot.");
  EXPECT_EQ(store_->snapshots().Take("../x", "t").code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->snapshots().Delete("..").code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->snapshots().Take("a/b", "t").message(),
            "Illegal character code:47, </> at 1. Snapshot qualifiers may only contain 'alphanumeric characters' and "
            "digits: a/b");
  EXPECT_EQ(store_->snapshots().Delete("x").ToString(),
            "SnapshotNotFound: Snapshot 'x' doesn't exist on the filesystem");
  EXPECT_EQ(store_->snapshots().Clone("x", "c").code(), Code::kSnapshotNotFound);
  EXPECT_EQ(store_->snapshots().Restore("x").code(), Code::kSnapshotNotFound);
  EXPECT_EQ(store_->snapshots().Clone("s", "t").ToString(), "TableExists: t");
  EXPECT_EQ(store_->snapshots().Clone("s", "nope:c").ToString(), "NamespaceNotFound: nope");
  EXPECT_TRUE(store_->snapshots().Delete("s").ok());
  EXPECT_EQ(store_->snapshots().List()->size(), 0u);
}

TEST_F(StoreSnapshotsTest, EveryFlippedBitOfAFileIsFoundBeforeItIsImported) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(Put("t", "row" + std::to_string(1000 + i), std::string(50, static_cast<char>('a' + i % 7))).ok());
  }
  const std::string all = Dump("t");
  ASSERT_TRUE(store_->snapshots().Take("s", "t").ok());
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(path_ + "/snapshots/s/0")) {
    file = entry.path();
  }
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto write = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
  std::filesystem::remove(file);  // it was a link
  int found = 0;
  for (size_t at = whole.size() % 61; at < whole.size(); at += whole.size() / 61) {
    std::string bad = whole;
    bad[at] ^= 0x40;
    write(bad);
    const std::string clone = "clone" + std::to_string(at);
    if (const Status status = store_->snapshots().Clone("s", clone); status.ok()) {
      EXPECT_EQ(Dump(clone), all) << at;  // does not matter
    } else {
      EXPECT_EQ(status.code(), Code::kCorruption) << status.ToString();
      EXPECT_EQ(status.message().find("Snapshot 's' is damaged: "), 0U) << status.ToString();
      ++found;
    }
  }
  EXPECT_GT(found, 50);
  write(whole.substr(0, whole.size() - 1));
  EXPECT_EQ(store_->snapshots().Clone("s", "c").code(), Code::kCorruption);
  write(whole);
  ASSERT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Dump("c"), all);
}

// As with a directory that klip may not read: that is no reason to delete the snapshot, or to say that there is none.
TEST_F(StoreSnapshotsTest, OneThatCannotBeLookedAtStays) {
  namespace fs = std::filesystem;
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
  const std::string record = path_ + "/snapshots/s/SNAPSHOT";
  fs::rename(record, record + ".away");
  fs::create_symlink("SNAPSHOT", record);
  Open();
  EXPECT_EQ(store_->snapshots().Clone("s", "c").code(), Code::kIoError);
  EXPECT_EQ(store_->snapshots().List().status().code(), Code::kIoError);
  fs::rename(record + ".away", record);
  EXPECT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  fs::rename(path_ + "/snapshots", path_ + "/away");
  std::ofstream(path_ + "/snapshots") << "x";
  EXPECT_EQ(store_->snapshots().List().status().ToString(),
            "IoError: reading the directory " + path_ + "/snapshots: Not a directory");
}

TEST_F(StoreSnapshotsTest, AHalfMadeSnapshotIsGoneAfterOpen) {
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
  std::filesystem::remove(path_ + "/snapshots/s/SNAPSHOT");  // written last
  Open();
  EXPECT_EQ(store_->snapshots().List()->size(), 0u);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/snapshots/s"));
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
}

}  // namespace
}  // namespace klip::engine
