#include "engine/store/manifest_mark.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/file_checks.h"
#include "engine/store/repair.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

class ManifestMarkTest : public StoreTest {
 protected:
  std::string Manifest() const {
    std::string name;
    for (const auto& entry : fs::directory_iterator(path_)) {
      const bool newer = entry.path().filename().string().starts_with("MANIFEST-") && entry.path().string() > name;
      name = newer ? entry.path().string() : name;
    }
    return name;
  }
  // A copy of the store, with its MANIFEST cut.
  std::string Cut(uint64_t bytes) {
    const std::string copy = root_ + "/cut" + std::to_string(bytes);
    fs::copy(path_, copy, fs::copy_options::recursive);
    fs::resize_file(copy + "/" + fs::path(Manifest()).filename().string(), bytes);
    return copy;
  }
  // Its rows, or the error of opening it.
  std::string DumpOf(const std::string& store) {
    StoreOptions options = Options();
    options.path = store;
    Expected<std::unique_ptr<Store>> opened = Store::Open(options);
    if (!opened.ok()) {
      return opened.status().ToString();
    }
    std::swap(store_, *opened);
    const std::string rows = store_->views().GetTable("t").ok() ? Dump("t") : "no table";
    std::swap(store_, *opened);
    return rows;
  }
};

// Wherever the MANIFEST is cut, no row is lost silently.
TEST_F(ManifestMarkTest, AnyCutIsNoticedOrHarmless) {
  Open();
  Create("t", {"d", "e"});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Put("t", "row" + std::to_string(i), "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
  }
  ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
  ASSERT_TRUE(Put("t", "row3", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_TRUE(Put("t", "row4", "v").ok());
  const std::string rows = Dump("t");
  store_.reset();
  int refused = 0;
  const uint64_t size = fs::file_size(Manifest());
  for (uint64_t bytes = 0; bytes < size; bytes += 7) {
    const std::string dumped = DumpOf(Cut(bytes));
    refused += dumped.starts_with("Corruption: ") || dumped.starts_with("IoError: ") ? 1 : 0;
    EXPECT_TRUE(dumped == rows || dumped.starts_with("Corruption: ") || dumped.starts_with("IoError: "))
        << bytes << " of " << size << ": " << dumped;
  }
  EXPECT_GT(refused, 20);
  EXPECT_EQ(DumpOf(path_), rows);
}

// A flush deletes a log and writes the mark while another thread creates a table: a process that is killed meanwhile
// leaves a complete mark.
TEST_F(ManifestMarkTest, MarksOfSeveralThreadsAreWholeAtEveryMoment) {
  Open();
  Create("t", {"d"});
  ManifestMarker marker(rocksdb::Env::Default(), path_);
  std::atomic<int> at_work{2};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int mark = 0; mark < 100; ++mark) {
        EXPECT_EQ(marker.Mark().ToString(), "ok");
      }
      --at_work;
    });
  }
  while (at_work > 0) {
    EXPECT_EQ(FindCutManifest(rocksdb::Env::Default(), path_).status().ToString(), "ok");
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// A marker that has marked before reads only what was added since, and writes what one does that reads everything.
TEST_F(ManifestMarkTest, ReadsOnWhereItStopped) {
  const std::string copy = root_ + "/copy";  // the store marks its own MANIFEST in the background
  fs::create_directory(copy);
  ManifestMarker marker(rocksdb::Env::Default(), copy);
  const auto mark_by = [&](ManifestMarker* with) {
    EXPECT_EQ(with->Mark().ToString(), "ok");
    std::ifstream mark(copy + "/" + kManifestMarkName, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(mark), {});
  };
  std::set<std::string> marks;
  for (int i = 0; i < 8; ++i) {
    if (i % 4 == 0) {  // with a new MANIFEST
      store_.reset();
      Open();
      Create("t" + std::to_string(i), {"d", "e"});
    }
    ASSERT_TRUE(Put("t0", "row" + std::to_string(i), "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t0").ok());
    for (const std::string& file : {Manifest(), path_ + "/CURRENT"}) {
      fs::copy(file, copy, fs::copy_options::overwrite_existing);
    }
    const std::string mark = mark_by(&marker);
    ManifestMarker other(rocksdb::Env::Default(), copy);
    EXPECT_EQ(mark, mark_by(&other)) << i;
    marks.insert(mark);
  }
  EXPECT_EQ(marks.size(), 8U);

  const std::string manifest = copy + "/" + fs::path(Manifest()).filename().string();
  std::fstream(manifest, std::ios::binary | std::ios::in | std::ios::out).write("what was read", 13);
  EXPECT_EQ(marker.Mark().ToString(), "ok");
  EXPECT_EQ(ManifestMarker(rocksdb::Env::Default(), copy).Mark().code(), Code::kCorruption);
}

TEST_F(ManifestMarkTest, RepairNamesWhatACutLoses) {
  Open();
  Create("t", {"d"});
  ASSERT_TRUE(Put("t", "a", "1").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  const uint64_t first = fs::file_size(Manifest());
  ASSERT_TRUE(Put("t", "b", "2").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  store_.reset();
  const std::string cut = Cut(first);
  const std::string refused = DumpOf(cut);
  EXPECT_NE(refused.find("was cut short at byte " + std::to_string(first) + " of "), std::string::npos) << refused;
  const Expected<FileCheck> check = CheckStoreFiles(nullptr, cut, /*is_open=*/false, /*direct=*/false);
  ASSERT_TRUE(check.ok());
  ASSERT_EQ(check->damages.size(), 1U);
  EXPECT_TRUE(check->damages[0].file.ends_with(fs::path(Manifest()).filename().string()));
  const Expected<RepairReport> report = RepairStore(cut, root_ + "/repaired", /*write=*/true);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->unnamed.size(), 1U);
  EXPECT_EQ(report->unnamed[0].family, "family 'd' of table 't'");
  EXPECT_EQ(report->unnamed[0].entries, 1);
  EXPECT_EQ(DumpOf(root_ + "/repaired"), "a=1 ");
  EXPECT_TRUE(fs::exists(root_ + "/repaired/lost/" + fs::path(report->unnamed[0].file).filename().string()));
}

}  // namespace
}  // namespace klip::engine
