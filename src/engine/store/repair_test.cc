#include "engine/store/repair.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/log/kept_logs.h"
#include "engine/store/cluster_id_file.h"
#include "engine/store/file_checks.h"
#include "engine/store/small_file.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A closed store with every kind of file: table t with a large file and a small one, table o, whose family needs SEQUENCE, a
// snapshot of t, logs for a peer and for backups.
class RepairTest : public StoreTest {
 protected:
  static constexpr int kRows = 2000;

  void SetUp() override {
    Open();
    Create("t", {"d"});
    TableDescriptor ordered = Descriptor("o", {"d"});
    ordered.families[0].new_version_behavior = true;
    ASSERT_TRUE(store_->catalog().CreateTable(ordered, {}).ok());
    fs::create_directory(path_ + "/" + kArchiveDirectory);
    std::ofstream(path_ + "/" + kArchiveDirectory + "/BACKUPS") << Seal("a set\n");
    ASSERT_TRUE(store_->peers().Add({.id = "1", .config = {.cluster_key = "127.0.0.1:1:/hbase"}}).ok());
    ASSERT_TRUE(ReadOrMakeClusterId(store_->options()).ok());
    for (int i = 0; i < kRows; ++i) {
      ASSERT_TRUE(Put("t", "row" + std::to_string(10'000 + i), std::string(100, 'v'), Durability::kAsyncWal).ok());
    }
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    ASSERT_TRUE(store_->snapshots().Take("s", "t", {}).ok());
    ASSERT_TRUE(Put("t", "row10005", "newer").ok());
    ASSERT_TRUE(Put("o", "row", "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    ASSERT_TRUE(Put("t", "row9", "last").ok());
    want_ = Dump("t");
    want_other_ = Dump("o");
    store_.reset();
    whole_ = path_;
  }

  // Repairs a copy of the store of which `damage` has changed a file, and opens the result.
  RepairReport After(const std::string& name, const std::function<void(std::string*)>& damage) {
    store_.reset();
    const std::string damaged = root_ + "/damaged";
    const std::string repaired = root_ + "/repaired";
    fs::remove_all(damaged);
    fs::remove_all(repaired);
    fs::copy(whole_, damaged, fs::copy_options::recursive);
    std::string bytes = ReadAll(damaged + "/" + name);
    damage(&bytes);
    std::ofstream(damaged + "/" + name, std::ios::binary) << bytes;
    const Expected<RepairReport> said = RepairStore(damaged, repaired, /*write=*/false);
    const Expected<RepairReport> report = RepairStore(damaged, repaired, /*write=*/true);
    EXPECT_EQ(report.status().ToString(), "ok") << name;
    if (!report.ok() || !said.ok()) {
      return {};
    }
    EXPECT_FALSE(report->is_whole()) << name;
    EXPECT_EQ(said->files.size(), report->files.size());
    path_ = repaired;
    EXPECT_EQ(CheckedFiles(), "") << name;
    EXPECT_EQ(TryOpen().ToString(), "ok") << name;
    return *report;
  }
  std::string CheckedFiles() const {
    const Expected<FileCheck> check =
        CheckStoreFiles(rocksdb::Env::Default(), path_, /*is_open=*/false, /*direct=*/false);
    std::string damages = check.ok() ? "" : check.status().ToString();
    for (const FileDamage& damage : check.ok() ? check->damages : std::vector<FileDamage>()) {
      damages += damage.file + ": " + damage.what + "\n";
    }
    return damages;
  }
  // Every file of that kind, relative to the store.
  std::vector<std::string> FilesWith(const std::string& prefix, const std::string& suffix) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(whole_)) {
      const std::string name = fs::relative(entry.path(), whole_);
      if (entry.is_regular_file() && name.starts_with(prefix) && name.ends_with(suffix) && entry.file_size() > 0) {
        names.push_back(name);
      }
    }
    std::ranges::sort(names);
    return names;
  }

  std::string whole_;
  std::string want_;
  std::string want_other_;
};

TEST_F(RepairTest, AWholeStoreIsCopied) {
  const Expected<RepairReport> report = RepairStore(whole_, root_ + "/copy", /*write=*/true);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_TRUE(report->is_whole());
  path_ = root_ + "/copy";
  Open();
  EXPECT_EQ(Dump("t"), want_);
}

TEST_F(RepairTest, OneChangedBitOfASealedFileIsRestored) {
  for (const std::string name : {"CATALOG", "SEQUENCE", "CLUSTER_ID", "MANIFEST_MARK", "replication/PEERS",
                                 "archive/BACKUPS", "snapshots/s/SNAPSHOT"}) {
    const std::string was = ReadAll(whole_ + "/" + name);
    ASSERT_FALSE(was.empty()) << name;
    for (const size_t at : {size_t{0}, was.size() / 2, was.size() - 1}) {
      const RepairReport report = After(name, [&](std::string* bytes) { (*bytes)[at] ^= 4; });
      ASSERT_EQ(report.files.size(), 1U) << name;
      EXPECT_EQ(report.files[0].name, name);
      EXPECT_EQ(report.files[0].bytes, was) << name << " " << at;
      EXPECT_EQ(Dump("t"), want_);
      EXPECT_EQ(Dump("o"), want_other_);
    }
  }
}

TEST_F(RepairTest, EachFileWithMoreDamageIsReplaced) {
  const auto zero = [](std::string* bytes) {
    bytes->replace(bytes->size() / 2, bytes->size(), bytes->size() / 2, '\0');
  };
  const auto empty = [](std::string* bytes) { bytes->clear(); };
  for (const auto& damage : {std::function<void(std::string*)>(zero), std::function<void(std::string*)>(empty)}) {
    for (const std::string name : {"FORMAT", "CURRENT", "SEQUENCE", "CLUSTER_ID", "MANIFEST_MARK", "replication/PEERS",
                                   "archive/BACKUPS", "snapshots/s/SNAPSHOT"}) {
      const RepairReport report = After(name, damage);
      EXPECT_EQ(report.files.size(), 1U) << name;
      EXPECT_EQ(Dump("t"), want_) << name;
      EXPECT_EQ(Dump("o"), want_other_) << name;
      EXPECT_TRUE(Put("o", "row", "newer").ok());
      EXPECT_EQ(Dump("o"), "row=newer ") << name;
    }
  }
}

TEST_F(RepairTest, NoFamilyIsLostWithTheCatalog) {
  for (const bool missing : {false, true}) {
    const RepairReport report =
        After("CATALOG", [&](std::string* bytes) { *bytes = missing ? "" : "{" + bytes->substr(100); });
    ASSERT_EQ(report.files.size(), 1U);
    EXPECT_NE(report.files[0].instead.find("table 't' as in snapshot 's', table 'lost_f2'"), std::string::npos)
        << report.files[0].instead;
    EXPECT_EQ(Dump("t"), want_);
    EXPECT_EQ(Dump("lost_f2"), want_other_);
    Create("new", {"f"});
    EXPECT_EQ(Dump("new"), "");
  }
}

// Of a table with many blocks, only the rows of the damaged ones are lost. The cells kept do not hide newer ones.
class DamagedBlocksTest : public RepairTest {
 protected:
  // One bit at each of these places.
  void CheckDamageAt(const std::string& name, const std::vector<size_t>& places) {
    const RepairReport report = After(name, [&](std::string* bytes) {
      for (const size_t at : places) {
        (*bytes)[at] ^= 1;
      }
    });
    ASSERT_EQ(report.tables.size(), 1U);
    const DamagedTable& table = report.tables[0];
    EXPECT_EQ(table.family, "family 'd' of table 't'");
    EXPECT_EQ(table.lost.size(), places.size());
    EXPECT_GT(table.kept_cells, kRows / 2);
    EXPECT_LT(table.kept_cells, kRows);
    const std::string got = Dump("t");
    EXPECT_EQ(std::ranges::count(got, '='), table.kept_cells + 1 + (places[0] == 10 ? 1 : 0)) << "and the later ones";
    EXPECT_NE(got.find("row10005=newer "), std::string::npos);
    CheckNames(table.lost, got);
    EXPECT_EQ(Dump("o"), want_other_);
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
    EXPECT_EQ(Dump("t"), got);
  }

 private:
  static void CheckNames(const std::vector<LostRows>& lost, const std::string& got) {
    for (const LostRows& rows : lost) {
      EXPECT_LT(rows.from, rows.to.empty() ? "z" : rows.to);
      for (const std::string& row : {rows.from, rows.to}) {
        EXPECT_TRUE(row.empty() || got.find(row + "=") != std::string::npos) << row;
      }
    }
  }
};

TEST_F(DamagedBlocksTest, RowsBesideThemAreKept) {
  std::string large;
  for (const std::string& name : FilesWith("0", ".sst")) {
    large = large.empty() || fs::file_size(whole_ + "/" + name) > fs::file_size(whole_ + "/" + large) ? name : large;
  }
  const size_t size = fs::file_size(whole_ + "/" + large);
  CheckDamageAt(large, {10});
  CheckDamageAt(large, {size / 2});
  CheckDamageAt(large, {size / 4, size / 4 + 70'000});
  CheckDamageAt(large, {size - 60'000});
}

TEST_F(RepairTest, AMissingTableDoesNotHideTheOthers) {
  const std::vector<std::string> tables = FilesWith("0", ".sst");
  ASSERT_GE(tables.size(), 2U);
  const std::string manifest = FilesWith("MANIFEST-", "").at(0);
  for (const std::string& name : tables) {
    for (const bool cut : {false, true}) {
      const std::string broken = root_ + "/broken";
      fs::remove_all(broken);
      fs::copy(whole_, broken, fs::copy_options::recursive);
      fs::remove(broken + "/" + name);
      const std::string opened = [&] {
        path_ = broken;
        return TryOpen().ToString();
      }();
      EXPECT_EQ(opened.find("Corruption: " + broken + "/" + name + " is missing"), 0U) << opened;
      if (cut) {
        fs::resize_file(broken + "/" + manifest, fs::file_size(broken + "/" + manifest) - 1);
      }
      const std::string repaired = root_ + "/repaired";
      fs::remove_all(repaired);
      const Expected<RepairReport> report = RepairStore(broken, repaired, /*write=*/true);
      ASSERT_EQ(report.status().ToString(), "ok") << name;
      ASSERT_EQ(report->tables.size(), 1U) << name;
      EXPECT_EQ(report->tables[0].file, broken + "/" + name);
      EXPECT_TRUE(report->tables[0].missing);
      EXPECT_EQ(report->tables[0].lost.size(), 1U);
      path_ = repaired;
      Open();
      EXPECT_EQ(CheckedFiles(), "") << name;
      const std::string got = Dump("t") + Dump("o");
      EXPECT_NE(got.find("row9=last"), std::string::npos) << "it is in the log";
      EXPECT_GT(got.size(), 10U);
      EXPECT_NE(got, want_ + want_other_);
      store_.reset();
    }
  }
}

TEST_F(RepairTest, AMissingFileOfASnapshotIsNamed) {
  const std::string name = FilesWith("snapshots/s/0/", ".sst").at(0);
  fs::remove(whole_ + "/" + name);
  const Expected<RepairReport> report = RepairStore(whole_, root_ + "/repaired", /*write=*/true);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->snapshot_files, std::vector<std::string>{whole_ + "/" + name});
}

// RocksDB does not notice it, but klip doctor does.
TEST_F(RepairTest, ATableWithADamagedFooterIsRewritten) {
  for (const std::string& name : FilesWith("0", ".sst")) {
    const RepairReport report = After(name, [](std::string* bytes) { (*bytes)[bytes->size() - 15] ^= 1; });
    ASSERT_EQ(report.tables.size(), 1U) << name;
    EXPECT_TRUE(report.tables[0].lost.empty());
    EXPECT_EQ(Dump("t"), want_);
    EXPECT_EQ(Dump("o"), want_other_);
  }
}

TEST_F(RepairTest, ATableWithoutItsFooterIsOmitted) {
  for (const std::string& name : FilesWith("0", ".sst")) {
    const RepairReport report = After(name, [](std::string* bytes) { bytes->resize(bytes->size() - 20); });
    ASSERT_EQ(report.tables.size(), 1U) << name;
    EXPECT_EQ(report.tables[0].kept_cells, 0);
    EXPECT_NE(Dump("t").find("row9=last"), std::string::npos);
  }
}

TEST_F(RepairTest, KeptLogsAndTheManifestAreSalvaged) {
  for (const std::string& name : FilesWith("", ".log")) {
    if (name.find('/') == std::string::npos || fs::file_size(whole_ + "/" + name) < 1000) {
      continue;
    }
    const RepairReport report = After(name, [](std::string* bytes) { (*bytes)[bytes->size() / 2] ^= 1; });
    ASSERT_EQ(report.logs.size(), 1U) << name;
    EXPECT_GT(report.logs[0].kept_behind, 0);
    EXPECT_EQ(Dump("t"), want_);
  }
  const std::string manifest = FilesWith("MANIFEST-", "").at(0);
  const RepairReport report = After(manifest, [](std::string* bytes) { (*bytes)[bytes->size() - 20] ^= 1; });
  ASSERT_TRUE(report.manifest.has_value());
  EXPECT_GT(report.manifest->bytes, 0U);
  fs::copy(whole_, root_ + "/early", fs::copy_options::recursive);
  std::fstream(root_ + "/early/" + manifest, std::ios::in | std::ios::out).put('x');
  const Status refused = RepairStore(root_ + "/early", root_ + "/none", /*write=*/true).status();
  EXPECT_EQ(refused.code(), Code::kCorruption);
  EXPECT_NE(refused.message().find("Restore a backup"), std::string::npos) << refused.message();
  EXPECT_FALSE(fs::exists(root_ + "/none"));
}

}  // namespace
}  // namespace klip::engine
