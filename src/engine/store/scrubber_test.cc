#include "engine/store/scrubber.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "engine/log/kept_logs.h"
#include "engine/store/file_checks.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

class ScrubTest : public StoreTest {
 protected:
  void Make() {
    Open();
    Create("t", {"d"});
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(Put("t", "row" + std::to_string(i), std::string(1000, 'x')).ok());
    }
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    ASSERT_TRUE(store_->snapshots().Take("s", "t", {}).ok());
    ASSERT_TRUE(Put("t", "more", "1").ok());
  }
  // The files that are damaged.
  std::vector<std::string> Damaged(bool is_open) {
    const Expected<FileCheck> check = CheckStoreFiles(rocksdb::Env::Default(), path_, is_open, /*direct=*/is_open);
    EXPECT_TRUE(check.ok()) << check.status().ToString();
    std::vector<std::string> files;
    for (const FileDamage& damage : check->damages) {
      files.push_back(damage.file);
    }
    return files;
  }
  // That file, under each name that it has in the store.
  std::vector<std::string> Damages(const fs::path& file) const {
    std::vector<std::string> names;
    for (const char* kept : {kReplicationDirectory, kArchiveDirectory}) {
      const fs::path name = fs::path(path_) / kept / file.filename();
      if (fs::exists(name) && fs::equivalent(name, file)) {
        names.push_back(name);
      }
    }
    return names;
  }
  // Every seventh byte is changed, then the last one is cut off. Returns how many bytes.
  int CheckDamageTo(const fs::path& log) {
    const std::string copy = root_ + "/copy.log";
    fs::copy_file(log, copy, fs::copy_options::overwrite_existing);
    int checked = 0;
    for (uint64_t offset = 0; offset < fs::file_size(copy); offset += 7) {
      Flip(log, offset);
      EXPECT_EQ(Damaged(/*is_open=*/false), Damages(log)) << log << " " << offset;
      Flip(log, offset);
      ++checked;
    }
    fs::resize_file(log, fs::file_size(copy) - 1);
    EXPECT_EQ(Damaged(/*is_open=*/false), Damages(log)) << "cut short";
    fs::copy_file(copy, log, fs::copy_options::overwrite_existing);
    return checked;
  }
  static void Flip(const std::string& file, uint64_t offset, char bit = 1) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(bytes.get() ^ bit);
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes.put(byte);
  }
};

TEST_F(ScrubTest, EveryFlippedByteOfAnyFileIsFound) {
  Make();
  EXPECT_TRUE(Damaged(/*is_open=*/true).empty());
  store_.reset();
  EXPECT_TRUE(Damaged(/*is_open=*/false).empty());
  int checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    const std::string name = entry.path().filename();
    const bool shared = entry.path().extension() == ".sst" && entry.hard_link_count() > 1;
    if (!entry.is_regular_file() || (name != "CATALOG" && name != "SNAPSHOT" && name != "CURRENT" &&
                                     !name.starts_with("MANIFEST-") && entry.path().extension() != ".sst")) {
      continue;
    }
    const uint64_t size = entry.file_size();
    for (const uint64_t offset : {uint64_t{0}, size / 3, size / 2}) {
      Flip(entry.path(), offset);
      const std::vector<std::string> found = Damaged(/*is_open=*/false);
      EXPECT_EQ(found.size(), shared ? 2U : 1U) << entry.path() << " " << offset;
      Flip(entry.path(), offset);
      ++checked;
    }
  }
  EXPECT_GE(checked, 15);
}

TEST_F(ScrubTest, EveryFlippedByteOfAFooterIsFound) {
  Make();
  store_.reset();
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".sst") {
      for (uint64_t offset = entry.file_size() - 53; offset < entry.file_size(); ++offset) {
        for (const char bit : {'\x01', '\x80'}) {
          Flip(entry.path(), offset, bit);
          EXPECT_EQ(Damaged(/*is_open=*/false).size(), 2U) << offset << "; the snapshot has it too";
          Flip(entry.path(), offset, bit);
        }
      }
    }
  }
}

// Logs that a peer and a backup still need.
TEST_F(ScrubTest, DamageToKeptLogsIsFound) {
  Open();
  Create("t", {"d"});
  fs::create_directory(path_ + "/" + kArchiveDirectory);
  ASSERT_TRUE(store_->peers().Add({.id = "1", .config = {.cluster_key = "127.0.0.1:1:/hbase"}}).ok());
  for (int i = 0; i < 3; ++i) {
    for (int row = 0; row < 3; ++row) {
      ASSERT_TRUE(Put("t", "row" + std::to_string(row), std::string(100, 'x')).ok());
    }
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  ASSERT_TRUE(Put("t", "last", "x").ok());
  store_.reset();
  EXPECT_TRUE(Damaged(/*is_open=*/false).empty());
  std::map<std::string, int> checked;
  for (const std::string kept : {kReplicationDirectory, kArchiveDirectory}) {
    for (const auto& entry : fs::directory_iterator(path_ + "/" + kept)) {
      if (entry.path().extension() == ".log" && entry.file_size() >= 300) {
        checked[kept] += CheckDamageTo(entry.path());
      }
    }
  }
  EXPECT_GE(checked[kReplicationDirectory], 100);
  EXPECT_GE(checked[kArchiveDirectory], 100);
}

TEST_F(ScrubTest, AServedStoreIsReadSlowlyAndDamageIsTold) {
  Make();
  fs::path table;
  for (const auto& entry : fs::directory_iterator(path_)) {
    table = entry.path().extension() == ".sst" ? entry.path() : table;
  }
  Flip(table, 100);
  std::promise<std::string> found;
  std::promise<void> done;
  std::atomic<int> told{0};
  {
    Scrubber scrubber({.store = path_,
                       .bytes_per_second = 10 << 20,
                       .first_pause = std::chrono::milliseconds(0),
                       .pause = std::chrono::milliseconds(0),
                       .tell = [&](const std::string& file, const std::string& /*what*/) {
                         if (file == table.string() && told++ == 0) {
                           found.set_value(file);
                         } else if (file.empty() && told++ == 2) {
                           done.set_value();  // of the second round, which does not report it again
                         }
                       }});
    EXPECT_EQ(found.get_future().get(), table.string());
    done.get_future().wait();
    const ScrubState state = scrubber.Tell();
    EXPECT_GT(state.bytes, 1000);
    EXPECT_GE(state.rounds, 2);
    EXPECT_EQ(state.damaged.size(), 2U) << "the snapshot has it too";
  }
  EXPECT_TRUE(fs::exists(table));
  // A scrubber that has just started stops at once. Otherwise this test takes hours.
  const Scrubber slow({.store = path_, .bytes_per_second = 1, .first_pause = std::chrono::milliseconds(0), .tell = {}});
  while (slow.Tell().bytes == 0) {
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace klip::engine
