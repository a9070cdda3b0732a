#include "engine/backup/backup.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/backup/backup_set.h"
#include "engine/log/kept_logs.h"
#include "engine/store/small_file.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

class BackupTest : public StoreTest {
 protected:
  Expected<BackupReport> TryBackup(bool keep_logs = false) {
    return CreateBackup(path_, backups_, {.keep_logs = keep_logs, .clock_ms = [this] { return now_ms_; }});
  }
  BackupReport Backup(bool keep_logs = false) {
    Expected<BackupReport> made = TryBackup(keep_logs);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *made : BackupReport();
  }

  // The first backup of a store with row `a`, which stays closed. An open then deletes the empty log that this backup contains.
  void BackUpClosedStore() {
    Open();
    Create("t", {"d"});
    ASSERT_TRUE(Put("t", "a", "1").ok());
    Open();
    store_.reset();
    Backup(/*keep_logs=*/true);
  }

  // The table in a store restored from a backup, as Dump formats it.
  std::string DumpRestored(const RestoreOptions& options = {}, const std::string& table = "t") {
    const std::string to = root_ + "/restored" + std::to_string(++restored_);
    const Expected<RestoreReport> report = RestoreBackup(backups_, to, options);
    if (!report.ok()) {
      EXPECT_FALSE(fs::exists(to));
      return report.status().ToString();
    }
    StoreOptions with = Options();
    with.path = to;
    with.create_if_missing = false;
    Expected<std::unique_ptr<Store>> opened = Store::Open(with);
    if (!opened.ok()) {
      return opened.status().ToString();
    }
    std::swap(store_, *opened);
    std::string rows = store_->views().GetTable(table).ok() ? Dump(table) : "no table";
    std::swap(store_, *opened);
    return rows;
  }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(backups_ + "/files")) {
      files.push_back(entry.path());
    }
    return files;
  }
  uint64_t BytesOnDisk() const {
    uint64_t bytes = 0;
    for (const fs::path& file : Files()) {
      bytes += fs::file_size(file);
    }
    return bytes;
  }

  static void Flip(const fs::path& file, uint64_t offset) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(bytes.get() ^ 0x10);
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes.put(byte);
  }

  void Fill(int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(Put("t", "row" + std::to_string(i), std::string(1000, 'x') + std::to_string(i)).ok());
    }
  }
  void Flush() { ASSERT_TRUE(store_->storage().Flush("t").ok()); }

  const std::string backups_ = root_ + "/backups";
  int restored_ = 0;
  std::string refused_;
};

// A hostile backup directory cannot make klip wait: a pipe has no writer, and a device has no end.
TEST_F(BackupTest, PipesInPlaceOfFilesAreNamed) {
  BackUpClosedStore();
  const Expected<BackupSet> set = BackupSet::Open(backups_);
  std::vector<Status> unreadable;
  const std::vector<BackupRecord> records = *set->Records(&unreadable);
  std::vector<std::string> names = {"BACKUPS", "000001.backup"};
  for (const BackupFile& file : records[0].files) {
    names.push_back("files/" + file.sha256);
  }
  for (const std::string& name : names) {
    const std::string path = backups_ + "/" + name;
    fs::rename(path, path + ".kept");
    for (const char* what : {"pipe", "device", "directory", "link to a device"}) {
      if (what == std::string("pipe")) {
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
      } else if (what == std::string("directory")) {
        fs::create_directory(path);
      } else {
        fs::create_symlink("/dev/zero", path);
      }
      const Expected<BackupCheck> check = VerifyBackups(backups_, 0);
      EXPECT_TRUE(!check.ok() || !check->damaged.empty()) << name << " is a " << what;
      EXPECT_FALSE(RestoreBackup(backups_, root_ + "/restored", {}).ok()) << name << " is a " << what;
      EXPECT_FALSE(fs::exists(root_ + "/restored"));
      fs::remove(path);
    }
    fs::rename(path + ".kept", path);
  }
  EXPECT_TRUE(VerifyBackups(backups_, 0)->damaged.empty());
}

TEST_F(BackupTest, ABackupIsOutsideOfStores) {
  Open();
  Create("t", {"d"});
  fs::create_symlink(path_, root_ + "/link");
  for (const std::string& directory : {path_ + "/backups", path_, path_ + "/a/b", root_ + "/link/backups"}) {
    const Status status = CreateBackup(path_, directory, {}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << directory;
    EXPECT_NE(status.message().find("is inside the store"), std::string::npos) << status.message();
  }
  EXPECT_FALSE(fs::exists(path_ + "/backups"));
  Backup();
  EXPECT_NE(RestoreBackup(backups_, path_ + "/restored", {}).status().message().find("is inside the store"),
            std::string::npos);
}

TEST_F(BackupTest, OfAnOpenAndAClosedStore) {
  Open();
  Create("t", {"d"});
  ASSERT_TRUE(Put("t", "a", "1").ok());
  Flush();
  ASSERT_TRUE(Put("t", "b", "2").ok());
  EXPECT_EQ(Backup().record.number, 1U);
  ASSERT_TRUE(Put("t", "c", "3").ok());
  store_.reset();
  EXPECT_EQ(Backup().record.number, 2U);
  EXPECT_EQ(DumpRestored({.number = 1}), "a=1 b=2 ");
  EXPECT_EQ(DumpRestored(), "a=1 b=2 c=3 ");
  EXPECT_EQ(DumpRestored({.number = 3}), "InvalidArgument: no backup 3");
}

TEST_F(BackupTest, ASecondOneIsSmall) {
  Open();
  Create("t", {"d"});
  Fill(0, 3000);
  Flush();
  const BackupReport first = Backup();
  EXPECT_GT(first.copied_bytes, 100000U);
  ASSERT_TRUE(Put("t", "b", "2").ok());
  const uint64_t before = BytesOnDisk();
  const BackupReport second = Backup();
  EXPECT_LT(second.copied_bytes, first.copied_bytes / 4);
  EXPECT_LE(BytesOnDisk() - before, second.copied_bytes);
  EXPECT_EQ(VerifyBackups(backups_, 0)->damaged.size(), 0U);
  EXPECT_EQ(Backup().copied_files, 0) << "nothing has changed";
}

TEST_F(BackupTest, SnapshotsComeAlongAndShareFiles) {
  Open();
  Create("t", {"d"});
  Fill(0, 1000);
  ASSERT_TRUE(store_->snapshots().Take("s", "t", {}).ok());
  const uint64_t all = Backup().record.bytes();
  EXPECT_LT(BytesOnDisk(), all);
  const std::string to = root_ + "/again";
  ASSERT_TRUE(RestoreBackup(backups_, to, {}).ok());
  store_.reset();
  path_ = to;
  Open();
  ASSERT_TRUE(store_->snapshots().Clone("s", "u").ok());
  EXPECT_EQ(Dump("u"), Dump("t"));
}

// Each backup is a prefix of the writes: all up to some row.
TEST_F(BackupTest, UnderWritesAndChangesOfTables) {
  Open();
  Create("t", {"d"});
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      const std::string row = std::to_string(100000 + i);
      if (!Put("t", row, std::string(2000, 'v')).ok()) {
        ADD_FAILURE();
      }
      written = i + 1;
      if (i % 200 == 0) {
        (void)store_->storage().Flush("t");
        (void)store_->catalog().CreateTable(Descriptor("u", {"d"}), {});
      } else if (i % 200 == 100) {
        (void)store_->catalog().SetEnabled("u", false);
        (void)store_->catalog().DeleteTable("u");
      }
    }
  });
  std::vector<int> least;
  for (int i = 0; i < 6; ++i) {
    const int from = written;
    while (written < from + 150) {
      std::this_thread::yield();
    }
    least.push_back(written);
    Backup();
  }
  stop = true;
  writer.join();
  for (size_t i = 0; i < least.size(); ++i) {
    const std::string rows = DumpRestored({.number = i + 1});
    int count = 0;
    for (size_t at = rows.find('='); at != std::string::npos; at = rows.find('=', at + 1)) {
      EXPECT_EQ(rows.substr(at - 6, 6), std::to_string(100000 + count)) << "backup " << i + 1;
      ++count;
    }
    EXPECT_GE(count, least[i]) << rows.substr(0, 200);
  }
}

TEST_F(BackupTest, FlippedBytesAreNoticed) {
  Open();
  Create("t", {"d"});
  Fill(0, 300);
  Flush();
  ASSERT_TRUE(Put("t", "b", "2").ok());
  Backup();
  EXPECT_TRUE(VerifyBackups(backups_, 1)->damaged.empty());
  for (const fs::path& file : Files()) {
    const uint64_t size = fs::file_size(file);
    for (const uint64_t offset : {uint64_t{0}, size / 2, size - 1}) {
      Flip(file, offset);
      EXPECT_EQ(VerifyBackups(backups_, 0)->damaged.size(), 1U) << file;
      EXPECT_NE(DumpRestored().find("Corruption: backup 1"), std::string::npos) << file;
      Flip(file, offset);
    }
  }
  const std::string record = backups_ + "/000001.backup";
  for (uint64_t offset = 0; offset < fs::file_size(record); offset += 13) {
    Flip(record, offset);
    EXPECT_FALSE(VerifyBackups(backups_, 0)->damaged.empty()) << offset;
    EXPECT_NE(DumpRestored().find("Corruption"), std::string::npos) << offset;
    Flip(record, offset);
  }
  const fs::path last = Files().back();
  fs::resize_file(last, fs::file_size(last) - 1);
  EXPECT_EQ(VerifyBackups(backups_, 0)->damaged.size(), 1U);
  EXPECT_NE(DumpRestored().find("Corruption: backup 1"), std::string::npos);
  fs::remove(last);
  EXPECT_EQ(VerifyBackups(backups_, 0)->damaged.size(), 1U);
  EXPECT_NE(DumpRestored().find("Corruption: backup 1"), std::string::npos);
}

// The file system accepts no byte beyond 100 KB of a file, like a full disk.
TEST_F(BackupTest, AFullDiskLeavesTheEarlierOnes) {
  Open();
  Create("t", {"d"});
  Fill(0, 10);
  Flush();
  Backup();
  const std::string rows = DumpRestored();
  Fill(10, 3000);
  store_.reset();
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit most = {.rlim_cur = 100 << 10, .rlim_max = 100 << 10};
    ::setrlimit(RLIMIT_FSIZE, &most);
    ::signal(SIGXFSZ, SIG_IGN);
    ::_exit(TryBackup().status().code() == Code::kIoError ? 7 : 1);
  }
  int code = 0;
  ::waitpid(child, &code, 0);
  EXPECT_EQ(WEXITSTATUS(code), 7);
  EXPECT_FALSE(fs::exists(backups_ + "/incoming"));
  EXPECT_TRUE(VerifyBackups(backups_, 0)->damaged.empty());
  EXPECT_EQ(DumpRestored(), rows);
  EXPECT_EQ(Backup().record.number, 2U);
}

TEST_F(BackupTest, NoneIsMadeOfADamagedTable) {
  Open();
  Create("t", {"d"});
  Fill(0, 300);
  Flush();
  Backup();
  Fill(300, 600);
  Flush();
  store_.reset();
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".sst") {
      Flip(entry.path(), 1000);
    }
  }
  const Status status = TryBackup().status();
  EXPECT_EQ(status.code(), Code::kCorruption) << status.ToString();
  EXPECT_NE(status.message().find(".sst"), std::string::npos);
  EXPECT_TRUE(VerifyBackups(backups_, 0)->damaged.empty());
  EXPECT_FALSE(VerifyBackups(backups_, 2).ok());
}

TEST_F(BackupTest, KilledInTheMiddleLeavesTheEarlierOnes) {
  Open();
  Create("t", {"d"});
  Fill(0, 300);
  Flush();
  Backup();
  const std::string rows = DumpRestored();
  Fill(300, 3000);
  Flush();
  store_.reset();
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      (void)TryBackup();
      ::_exit(0);
    }
    const int64_t end_us = i * 1500;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(end_us)) {
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(VerifyBackups(backups_, 0)->damaged.empty());
  }
  EXPECT_EQ(DumpRestored({.number = 1}), rows);
  Backup();
  EXPECT_NE(DumpRestored(), rows);
  EXPECT_FALSE(fs::exists(backups_ + "/incoming"));
}

TEST_F(BackupTest, RemovedOnesLeaveWhatOthersNeed) {
  Open();
  Create("t", {"d"});
  Fill(0, 1000);
  Flush();
  Backup();
  const std::string first = DumpRestored();
  Fill(1000, 2000);
  Flush();
  Backup();
  const uint64_t both = BytesOnDisk();
  Expected<BackupSet> set = BackupSet::OpenToWrite(backups_);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(TryBackup().status().code(), Code::kStoreInUse);
  ASSERT_TRUE(set->Remove(2).ok());
  EXPECT_LT(BytesOnDisk(), both);
  EXPECT_EQ(set->Remove(2).code(), Code::kInvalidArgument);
  EXPECT_EQ(DumpRestored(), first);
}

// Neither is written to, nor taken for an older set.
TEST_F(BackupTest, WhatIsNoSetOfBackupsIsRefused) {
  Open();
  Create("t", {"d"});
  store_.reset();
  fs::create_directory(backups_);
  std::ofstream(backups_ + "/mine") << "x";
  EXPECT_EQ(TryBackup().status().ToString(),
            "InvalidArgument: '" + backups_ + "' is not empty, and contains no backups");
  EXPECT_EQ(DumpRestored(), "InvalidArgument: no backups in '" + backups_ + "'");
  fs::remove(backups_ + "/mine");
  Backup();
  const auto refused_as = [&](const std::string& head) {
    ASSERT_TRUE(ReplaceFile(rocksdb::Env::Default(), backups_, "BACKUPS", Seal(head)).ok());
    const std::string made = TryBackup().status().ToString();
    EXPECT_EQ(VerifyBackups(backups_, 0).status().ToString(), made);
    EXPECT_EQ(DumpRestored(), made);
    refused_ = made;
  };
  refused_as("something else\n");
  EXPECT_EQ(refused_, "Corruption: " + backups_ + "/BACKUPS: not the header file of a backup directory");
  refused_as("klip backups, format 2 0123\n");
  EXPECT_EQ(refused_, "NewerFormat: the backups in '" + backups_ + "' were made by a newer klip");
  path_ = root_ + "/none";
  EXPECT_EQ(TryBackup().status().ToString(), "InvalidArgument: no store at '" + path_ + "'");
}

TEST_F(BackupTest, AnUnreadableRecordDoesNotHideTheOthers) {
  Open();
  Create("t", {"d"});
  Fill(0, 10);
  Backup();
  const std::string first = DumpRestored();
  Fill(10, 20);
  Backup();
  EXPECT_EQ(VerifyBackups(backups_, 7).status().ToString(), "InvalidArgument: no backup 7 in '" + backups_ + "'");
  ASSERT_TRUE(ReplaceFile(rocksdb::Env::Default(), backups_, "000002.backup", Seal("begun 2\nsurprise 1\n")).ok());
  const std::string newest = DumpRestored();
  EXPECT_NE(newest.find("line 2: not a line of a backup: surprise. Choose a backup by its number"), std::string::npos)
      << newest;
  EXPECT_EQ(DumpRestored({.number = 1}), first);
  EXPECT_EQ(DumpRestored({.number = 7}), "InvalidArgument: no backup 7");
  EXPECT_FALSE(VerifyBackups(backups_, 0)->damaged.empty());
  EXPECT_EQ(BackupSet::OpenToWrite(backups_)->Remove(1).code(), Code::kCorruption) << "2 may need its files";
  EXPECT_EQ(DumpRestored({.number = 1}), first);
}

TEST_F(BackupTest, NoneIsMadeOfAStoreThatLacksATable) {
  Open();
  Create("t", {"d"});
  Fill(0, 10);
  Flush();
  store_.reset();
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".sst") {
      fs::remove(entry.path());
    }
  }
  const Status status = TryBackup().status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_NE(status.message().find(", which is missing"), std::string::npos) << status.message();
}

// Restores to times between backups, across flushes, and compares with the contents at that time.
TEST_F(BackupTest, ToAPointInTime) {
  Open();
  Create("t", {"d"});
  const int64_t start_ms = now_ms_;
  Backup(/*keep_logs=*/true);
  std::map<int64_t, std::string> then;
  for (int i = 0; i < 24; ++i) {
    now_ms_ += 1000;
    ASSERT_TRUE(Put("t", "row" + std::to_string(i * 7 % 10), std::to_string(i)).ok());
    then[now_ms_] = Dump("t");
    if (i % 5 == 3) {
      Flush();
    }
    if (i == 11 || i == 12) {
      now_ms_ += 1000;
      Backup();
    }
    if (i == 17) {
      Open();
    }
  }
  EXPECT_EQ(DumpRestored({.at_ms = now_ms_}).substr(0, 16), "InvalidArgument:");
  now_ms_ += 1000;
  Backup();
  EXPECT_EQ(DumpRestored({.at_ms = start_ms - 1}).substr(0, 16), "InvalidArgument:");
  EXPECT_EQ(DumpRestored({.at_ms = start_ms}), "");
  for (const auto& [time_ms, rows] : then) {
    EXPECT_EQ(DumpRestored({.at_ms = time_ms}), rows) << time_ms;
    EXPECT_EQ(DumpRestored({.at_ms = time_ms + 999}), rows) << time_ms;
  }
  EXPECT_EQ(DumpRestored(), Dump("t"));
}

TEST_F(BackupTest, ToAPointInTimeFromABackupOfAClosedStore) {
  BackUpClosedStore();
  for (int i = 0; i < 3; ++i) {
    now_ms_ += 1000;
    Open();
    ASSERT_TRUE(Put("t", "b", std::to_string(i)).ok());
    store_.reset();
  }
  const int64_t at_ms = now_ms_ - 1000;
  now_ms_ += 1000;
  Backup();
  EXPECT_EQ(DumpRestored({.at_ms = at_ms}), "a=1 b=1 ");
}

// archive/ does not grow with each open of an idle store, and still has the logs of the newest backup.
TEST_F(BackupTest, OpensOfAnIdleStoreArchiveFewLogs) {
  BackUpClosedStore();
  for (int backup = 0; backup < 2; ++backup) {
    for (int i = 0; i < 10; ++i) {
      Open();
      store_.reset();
    }
    const auto archived = std::distance(fs::directory_iterator(path_ + "/archive"), fs::directory_iterator());
    EXPECT_LE(archived, 4) << "BACKUPS, the mark, and the logs of a backup";
    now_ms_ += 2000;
    Backup();
  }
  now_ms_ += 2000;
  Open();
  ASSERT_TRUE(Put("t", "b", "2").ok());
  const int64_t at_ms = now_ms_;
  now_ms_ += 2000;
  ASSERT_TRUE(Put("t", "c", "3").ok());
  now_ms_ += 2000;
  Backup();
  EXPECT_EQ(DumpRestored({.number = 1, .at_ms = at_ms}), "a=1 b=2 ");
  EXPECT_EQ(DumpRestored({.at_ms = at_ms}), "a=1 b=2 ");
}

// A log behind that time is only read to see whether the time occurs again.
TEST_F(BackupTest, ToAPointInTimeWithoutALaterLog) {
  Open();
  Create("t", {"d"});
  Backup(/*keep_logs=*/true);
  int64_t at_ms = 0;
  for (int i = 0; i < 3; ++i) {
    now_ms_ += 2000;
    at_ms = i == 0 ? now_ms_ : at_ms;
    ASSERT_TRUE(Put("t", std::to_string(i), std::string(1000 * i, 'v')).ok());
    Flush();
  }
  now_ms_ += 2000;
  const BackupRecord last = Backup().record;
  EXPECT_EQ(DumpRestored({.at_ms = at_ms}), "0= ");
  const BackupFile* log = nullptr;
  for (const BackupFile& file : last.files) {
    log = file.path.ends_with(".log") && file.bytes > 2000 ? &file : log;
  }
  ASSERT_NE(log, nullptr);
  fs::remove(BackupSet::Open(backups_)->PathOf(*log));
  EXPECT_EQ(DumpRestored({.at_ms = at_ms}), "0= ");
  EXPECT_EQ(DumpRestored({.at_ms = at_ms + 4000}).substr(0, 16), "IoError: opening");
}

// The clock is an hour ahead for a while: times after that are found, those that occur twice are refused.
TEST_F(BackupTest, ToAPointInTimeAroundAClockThatIsSetBack) {
  constexpr int64_t kHourMs = 3'600'000;
  Open();
  Create("t", {"d"});
  Backup(/*keep_logs=*/true);
  int64_t at_ms[6];
  const auto put = [&](int i) {
    now_ms_ += 1000;
    at_ms[i] = now_ms_;
    ASSERT_TRUE(Put("t", std::to_string(i), "v").ok());
  };
  put(0);
  now_ms_ += kHourMs;
  put(1);
  now_ms_ -= kHourMs;
  put(2);
  Flush();
  put(3);
  now_ms_ += 1000;
  Backup();
  EXPECT_EQ(DumpRestored({.at_ms = at_ms[0]}), "0=v ");
  const std::string refused = DumpRestored({.at_ms = at_ms[3]});
  EXPECT_NE(refused.find("the clock was set back from"), std::string::npos) << refused;
  put(4);
  put(5);
  now_ms_ += 1000;
  Backup();
  EXPECT_EQ(DumpRestored({.at_ms = at_ms[4]}), "0=v 1=v 2=v 3=v 4=v ");
  EXPECT_EQ(DumpRestored(), Dump("t"));
}

TEST_F(BackupTest, ToAPointInTimeAmongBackupsOfAClockThatWasSetBack) {
  constexpr int64_t kHourMs = 3'600'000;
  Open();
  Create("t", {"d"});
  Backup(/*keep_logs=*/true);
  now_ms_ += kHourMs;
  ASSERT_TRUE(Put("t", "a", "1").ok());
  now_ms_ += 1000;
  Backup();
  now_ms_ -= kHourMs;
  Backup();
  now_ms_ += 1000;
  ASSERT_TRUE(Put("t", "b", "2").ok());
  const int64_t at_ms = now_ms_;
  now_ms_ += 1000;
  ASSERT_TRUE(Put("t", "c", "3").ok());
  now_ms_ += 1000;
  Backup();
  const std::string refused = DumpRestored({.at_ms = at_ms});
  EXPECT_NE(refused.find("the clock was set back before backup 3"), std::string::npos) << refused;
  EXPECT_EQ(DumpRestored({.number = 3, .at_ms = at_ms}), "a=1 b=2 ");
  EXPECT_EQ(DumpRestored({.number = 4, .at_ms = at_ms}).substr(0, 16), "InvalidArgument:");
}

TEST_F(BackupTest, NotBeyondChangesThatLogsDoNotTell) {
  Open();
  Create("t", {"d"});
  Backup(/*keep_logs=*/true);
  now_ms_ += 1000;
  ASSERT_TRUE(Put("t", "a", "1").ok());
  const int64_t put_ms = now_ms_;
  now_ms_ += 1000;
  Create("u", {"d"});
  now_ms_ += 1000;
  ASSERT_TRUE(Put("t", "b", "2").ok());
  const int64_t second_ms = now_ms_;
  now_ms_ += 1000;
  Backup();
  EXPECT_EQ(DumpRestored({.at_ms = put_ms}), "a=1 ");
  const std::string refused = DumpRestored({.at_ms = second_ms});
  EXPECT_NE(refused.find("tables were created, dropped"), std::string::npos) << refused;
  EXPECT_EQ(DumpRestored({.at_ms = now_ms_}), "a=1 b=2 ");
}

TEST_F(BackupTest, NotOverLogsThatWereNotKept) {
  Open();
  Create("t", {"d"});
  Backup();
  now_ms_ += 1000;
  ASSERT_TRUE(Put("t", "a", "1").ok());
  const int64_t put_ms = now_ms_;
  now_ms_ += 1000;
  Backup(/*keep_logs=*/true);
  const std::string refused = DumpRestored({.at_ms = put_ms});
  EXPECT_NE(refused.find("no logs were kept since backup 1"), std::string::npos) << refused;
  // The archive is deleted by hand, and logs with it.
  ASSERT_TRUE(Put("t", "b", "2").ok());
  fs::remove_all(path_ + "/archive");
  Flush();
  ASSERT_TRUE(Put("t", "b", "3").ok());
  Flush();
  now_ms_ += 1000;
  Backup(/*keep_logs=*/true);
  const std::string gap = DumpRestored({.at_ms = now_ms_ - 500});
  EXPECT_NE(gap.find("is not in backup 3"), std::string::npos) << gap;
  const std::string other = root_ + "/others";
  const Status taken = CreateBackup(path_, other, {.keep_logs = true, .clock_ms = {}}).status();
  EXPECT_NE(taken.message().find("kept for another directory"), std::string::npos) << taken.ToString();
  EXPECT_TRUE(CreateBackup(path_, other, {}).ok());
}

}  // namespace
}  // namespace klip::engine
