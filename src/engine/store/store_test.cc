// Opening, closing and writing, and the reasons for which a store does not open.
#include "engine/store/store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/resource.h>

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(StoreTest, KeepsTablesAndCellsAcrossOpens) {
  Open();
  Create("t", {"b", "a"}, {"m"});
  EXPECT_TRUE(Put("t", "r1", "v1").ok());
  Open();
  EXPECT_EQ(Dump("t"), "r1=v1 | r1=v1 ");
  EXPECT_EQ(View("t")->families[0].descriptor.name, "a");
  EXPECT_EQ(View("t")->regions->size(), 2u);
  EXPECT_EQ(View("default:t")->RegionOf("z").start_key, "m");
  EXPECT_TRUE(Put("t", std::string("r\0\xff", 3), "v2").ok());
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  Open();
  const std::string both = std::string("r\0\xff", 3) + "=v2 r1=v1 ";
  EXPECT_EQ(Dump("t"), both + "| " + both);
}

TEST_F(StoreTest, KnowsTheShortestRowAfterOpen) {
  Open();
  Create("t", {"f"});
  EXPECT_EQ(View("t")->families[0].state->shortest_row_bytes, UINT32_MAX);
  EXPECT_TRUE(Put("t", "12345", "v").ok());
  EXPECT_EQ(View("t")->families[0].state->shortest_row_bytes, 5u);
  Open();
  EXPECT_EQ(View("t")->families[0].state->shortest_row_bytes, 5u);
}

TEST_F(StoreTest, OpensLeaveNoLogsBehind) {
  Open();
  Create("t", {"f"});
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  const auto count_logs = [this] {
    return std::ranges::count_if(fs::directory_iterator(path_),
                                 [](const auto& file) { return file.path().extension() == ".log"; });
  };
  for (int i = 0; i < 5; ++i) {
    Open();
  }
  EXPECT_LE(count_logs(), 2);
  EXPECT_TRUE(Put("t", "r", "v").ok());
  for (int i = 0; i < 5; ++i) {
    Open();
  }
  EXPECT_LE(count_logs(), 2);
  EXPECT_EQ(Dump("t"), "r=v ");
}

TEST_F(StoreTest, RefusesAStoreThatIsNotThere) {
  StoreOptions options = Options();
  options.create_if_missing = false;
  const Status status = Store::Open(options).status();
  EXPECT_EQ(status.ToString(), "IoError: no store at '" + path_ + "'");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StoreTest, RefusesADirectoryOfSomebodyElse) {
  fs::create_directories(path_);
  WriteAll(path_ + "/notes.txt", "mine");
  EXPECT_EQ(TryOpen().code(), Code::kInvalidArgument);
  EXPECT_EQ(ReadAll(path_ + "/notes.txt"), "mine");
}

TEST_F(StoreTest, RefusesAStoreInUse) {
  Open();
  const Status status = Store::Open(Options()).status();
  EXPECT_EQ(status.code(), Code::kStoreInUse);
  EXPECT_EQ(status.message(), "the store '" + path_ + "' is open in this process already: use that connection");
}

TEST_F(StoreTest, RefusesAStoreInUseWithoutItsLockFiles) {
  Open();
  std::filesystem::remove(path_ + "/STORE.LOCK");
  std::filesystem::remove(path_ + "/LOCK");
  const std::string other = root_ + "/other";
  std::filesystem::create_symlink(path_, other);  // this process records by name what it has locked
  StoreOptions options = Options();
  options.path = other;
  EXPECT_EQ(Store::Open(options).status().code(), Code::kStoreInUse);
}

TEST_F(StoreTest, MakesNoFilesWhereItIsNotAnyMore) {
  Open();
  Create("t", {"f"});
  ASSERT_TRUE(Put("t", "r", "v").ok());
  std::filesystem::rename(path_, root_ + "/moved");
  std::filesystem::create_directory(path_);
  EXPECT_NE(store_->storage().Flush("t").message().find("moved or replaced"), std::string::npos);
  EXPECT_EQ(store_->catalog().CreateTable(Descriptor("u", {"f"}), {}).ok(), false);
  store_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(path_));
  path_ = root_ + "/moved";
  Open();
  EXPECT_EQ(Dump("t"), "r=v ");
}

TEST_F(StoreTest, FollowsNoLinksWhenItCleansUp) {
  Open();
  store_.reset();
  const std::string others = root_ + "/others";
  std::filesystem::create_directories(others);
  std::ofstream(others + "/file") << "precious";
  std::filesystem::create_directories(path_ + "/snapshots/half");
  std::filesystem::create_directory_symlink(others, path_ + "/load");
  std::filesystem::create_directory_symlink(others, path_ + "/snapshots/link");
  std::filesystem::create_directory_symlink(others, path_ + "/snapshots/half/0");
  Open();
  EXPECT_TRUE(std::filesystem::exists(others + "/file"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path_ + "/load")));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/snapshots/half"));
}

TEST_F(StoreTest, IsItsOwnersOnly) {
  path_ = root_ + "/a/b";
  Open();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions() & (perms::group_all | perms::others_all), perms::none);
  store_.reset();
  std::filesystem::permissions(path_, perms::owner_all | perms::group_read | perms::group_exec);
  Open();  // with permissions that its owner chose
  EXPECT_NE(std::filesystem::status(path_).permissions() & perms::group_read, perms::none);
}

TEST_F(StoreTest, RefusesANewerFormat) {
  Open();
  store_.reset();
  WriteAll(path_ + "/FORMAT", "klip store, format 99\n");
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), Code::kNewerFormat);
  EXPECT_NE(status.message().find("has format 99, written by a newer klip"), std::string::npos) << status.message();
}

TEST_F(StoreTest, NamesTheCorruptFile) {
  Open();
  Create("t", {"f"});
  store_.reset();
  const std::string catalog = ReadAll(path_ + "/CATALOG");
  for (const std::string name : {"FORMAT", "CATALOG"}) {
    const std::string good = ReadAll(path_ + "/" + name);
    WriteAll(path_ + "/" + name, "x" + good.substr(1));
    Status status = TryOpen();
    EXPECT_EQ(status.code(), Code::kCorruption) << name;
    EXPECT_NE(status.message().find(path_ + "/" + name), std::string::npos) << status.message();
    fs::remove(path_ + "/" + name);
    status = TryOpen();
    EXPECT_EQ(status.code(), Code::kCorruption) << name;
    EXPECT_NE(status.message().find(name + " is missing"), std::string::npos) << status.message();
    WriteAll(path_ + "/" + name, good);
  }
  Open();
}

TEST_F(StoreTest, NamesTheCorruptTableFile) {
  Open();
  Create("t", {"f"});
  EXPECT_TRUE(Put("t", "r", "v").ok());
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  store_.reset();
  std::string name;
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".sst") {
      name = entry.path().filename();
      WriteAll(entry.path(), "short");
    }
  }
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), Code::kCorruption) << status.ToString();
  EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
}

TEST_F(StoreTest, DropsColumnFamiliesThatNoTableOwns) {
  Open();
  Create("t", {"f"});
  EXPECT_TRUE(Put("t", "r", "v").ok());
  store_.reset();
  const std::string catalog = ReadAll(path_ + "/CATALOG");
  Open();
  Create("t2", {"f", "g"});
  store_.reset();
  WriteAll(path_ + "/CATALOG", catalog);  // as after a crash just before the catalog's rename
  Open();
  EXPECT_EQ(store_->views().ListTables({}).size(), 1u);
  EXPECT_EQ(Dump("t"), "r=v ");
  Create("t2", {"f", "g"});
  EXPECT_TRUE(Put("t2", "r", "w").ok());
  EXPECT_EQ(Dump("t2"), "r=w | r=w ");
}

TEST_F(StoreTest, DataOfADroppedTableStaysReadableWhileHeld) {
  Open();
  Create("t", {"f"});
  EXPECT_TRUE(Put("t", "r", "v").ok());
  const TablePtr held = View("t");
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_TRUE(store_->catalog().DeleteTable("t").ok());
  EXPECT_EQ(store_->views().GetTable("t").status().ToString(), "TableNotFound: t");
  EXPECT_EQ(Dump(*held), "r=v ");
}

TEST_F(StoreTest, SequencesGrowAcrossOpens) {
  Open();
  Create("t", {"f"});
  uint64_t last = 0;
  for (int life = 0; life < 3; ++life) {
    for (int i = 0; i < 5; ++i) {
      const uint64_t next = View("t")->families[0].state->next_sequence();
      EXPECT_GT(next, last);
      last = next;
    }
    Open();
  }
}

TEST_F(StoreTest, RowLocksInAnyOrderDoNotDeadlock) {
  Open();
  const RowLockId a = RowLockIdOf("t", "a");
  const RowLockId b = RowLockIdOf("t", "b");
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const RowLocks locks =
            store_->locks().LockRows(t % 2 == 0 ? std::vector<RowLockId>{a, b, a} : std::vector<RowLockId>{b, a, a});
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(count, 800);
}

TEST_F(StoreTest, UnloggedRowsAreWholeAfterAFlush) {
  Open();
  Create("t", {"f", "g"});
  EXPECT_TRUE(Put("t", "r", "v", Durability::kSkipWal).ok());
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  fs::copy(path_, root_ + "/copy", fs::copy_options::recursive);  // as after kill -9
  store_.reset();
  path_ = root_ + "/copy";
  Open();
  EXPECT_EQ(Dump("t"), "r=v | r=v ");
}

// As a shell or a container starts a program that does not raise its limit.
TEST_F(StoreTest, OpensWithMoreFilesThanDescriptors) {
  constexpr int kFamilies = 60;
  std::vector<std::string> families;
  for (int i = 0; i < kFamilies; ++i) {
    families.push_back("f" + std::to_string(i));
  }
  Open();
  Create("t", families);
  ASSERT_TRUE(Put("t", "r1", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  const std::string all = Dump("t");
  store_.reset();
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(TryOpen().ToString(), "ok");
  if (store_ != nullptr) {
    EXPECT_EQ(Dump("t"), all);
    EXPECT_TRUE(Put("t", "r2", "v").ok());
    EXPECT_EQ(store_->storage().Flush("t").ToString(), "ok");
    EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
    EXPECT_EQ(std::ranges::count(Dump("t"), '='), 2 * kFamilies);
  }
  store_.reset();
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace klip::engine
