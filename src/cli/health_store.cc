// Health: a store's directory and the store in it, or a cluster.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/health.h"
#include "engine/log/kept_logs.h"
#include "engine/rocks/store_directory.h"
#include "engine/store/cluster_id_file.h"
#include "engine/store/file_checks.h"
#include "engine/store/peer_records.h"

namespace klip::cli {
namespace {

constexpr int64_t kLittleSpaceBytes = int64_t{5} << 30;
constexpr int64_t kNoSpaceBytes = int64_t{256} << 20;
constexpr uint64_t kManyLogBytes = uint64_t{1} << 30;
constexpr int64_t kSlowSyncUs = 20'000;

void CheckSpace(const std::string& directory, Findings* findings) {
  struct statvfs disk = {};
  if (::statvfs(directory.c_str(), &disk) != 0) {
    findings->push_back({"free space", Health::kFail, std::strerror(errno), "look at the file system"});
    return;
  }
  const auto free = static_cast<int64_t>(disk.f_bavail * disk.f_frsize);
  const auto all = static_cast<int64_t>(disk.f_blocks * disk.f_frsize);
  const Health health = free < kNoSpaceBytes ? Health::kFail : free < kLittleSpaceBytes ? Health::kWarn : Health::kOk;
  findings->push_back(
      {"free space", health, FormatBytes(free) + " of " + FormatBytes(all),
       health == Health::kOk ? "" : "compactions need free space: delete other files, or move the store"});
}

// Each acknowledged write waits for one of these.
void CheckSync(const std::string& directory, Findings* findings) {
  constexpr int kSyncs = 11;
  const std::string path = directory + "/klip-doctor-" + std::to_string(::getpid());
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) {
    findings->push_back({"sync", Health::kFail, "cannot write in " + directory + ": " + std::strerror(errno),
                         "make it writable for the user that klip runs as"});
    return;
  }
  const std::string block(4096, 'x');
  std::vector<int64_t> times_us;
  bool works = true;
  for (int i = 0; i < kSyncs && works; ++i) {
    const int64_t start_us = MonotonicUs();
    works = ::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size()) && ::fdatasync(file) == 0;
    times_us.push_back(MonotonicUs() - start_us);
  }
  const int error = errno;
  ::close(file);
  ::unlink(path.c_str());
  if (!works) {
    findings->push_back({"sync", Health::kFail, std::strerror(error), "this file system cannot hold a store"});
    return;
  }
  std::nth_element(times_us.begin(), times_us.begin() + kSyncs / 2, times_us.end());
  const int64_t median_us = times_us[kSyncs / 2];
  const bool slow = median_us > kSlowSyncUs;
  findings->push_back({"sync", slow ? Health::kWarn : Health::kOk, "4 KB in " + FormatDuration(median_us),
                       slow ? "each write waits this long: use a faster disk, batches of writes, or --no-fsync" : ""});
}

std::string AdviceFor(Code code) {
  switch (code) {
    case Code::kStoreInUse:
      return "stop the other process (fuser DIRECTORY/LOCK names it), or use its address";
    case Code::kNewerFormat:
      return "use a newer klip, like the one that wrote it";
    case Code::kCorruption:
      return "restore a backup; klip repair copies the readable data";
    default:
      return "see the message";
  }
}

void CheckClusterIdFile(const std::string& directory, Findings* findings) {
  if (const Status status = engine::CheckClusterId(directory); !status.ok()) {
    findings->push_back(
        {"cluster id", Health::kFail, status.ToString(), "klip serve does not start until this is repaired"});
  }
}

// Checks the logs kept for replication. Their space is freed only when the peers have received them. The store may be
// open in another process.
void CheckReplication(const std::string& directory, Findings* findings) {
  const Expected<std::vector<engine::PeerBacklog>> backlogs = engine::ReadPeerBacklogs(directory);
  if (!backlogs.ok()) {
    findings->push_back(
        {"replication", Health::kFail, backlogs.status().ToString(), AdviceFor(backlogs.status().code())});
    return;
  }
  for (const auto& [peer, log_files, log_bytes] : *backlogs) {
    const std::string seen =
        fmt::format("{} of log in {} files kept for peer '{}'{}", FormatBytes(static_cast<int64_t>(log_bytes)),
                    log_files, peer.id, peer.enabled ? "" : ", which is disabled");
    if (log_bytes < kManyLogBytes) {
      findings->push_back({"replication", Health::kOk, seen});
      continue;
    }
    const std::string first = peer.enabled ? fmt::format(
                                                 "is {} up, and klip serve running? status 'replication' in klip "
                                                 "shell shows the reason",
                                                 peer.config.cluster_key)
                                           : fmt::format("enable_peer '{}' in klip shell sends it", peer.id);
    findings->push_back(
        {"replication", Health::kWarn, seen,
         first +
             fmt::format("; remove_peer '{}' frees the log that no other peer needs, without sending it", peer.id)});
  }
}

// Checks the logs that wait for the next backup. The store may be open in another process.
void CheckArchive(const std::string& directory, Findings* findings) {
  uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory + "/" + engine::kArchiveDirectory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // a backup may take it meanwhile
    const auto size = entry->file_size(gone);
    bytes += gone ? 0 : size;
  }
  if (bytes >= kManyLogBytes) {
    findings->push_back({"archive", Health::kWarn,
                         FormatBytes(static_cast<int64_t>(bytes)) + " of log waiting for a backup",
                         "klip backup create moves them into the backup; if you plan no more backups, remove " +
                             directory + "/archive"});
  }
}

void CheckIndex(IndexAdmin* indexes, const std::string& table, const IndexInfo& info, Findings* findings) {
  const std::string name = info.index.name + " of " + table;
  if (info.building) {
    findings->push_back(
        {"index", Health::kWarn, name + " is not complete, and answers no reads", "klip index rebuild resumes it"});
    return;
  }
  const int64_t start_us = MonotonicUs();
  const Expected<IndexCheck> check = indexes->VerifyIndex(table, info.index.name);
  if (!check.ok()) {
    findings->push_back({"index", Health::kFail, name + ": " + check.status().ToString(), ""});
  } else if (check->ok()) {
    findings->push_back({"index", Health::kOk,
                         fmt::format("{}: {} entries agree with the rows, read in {}", name,
                                     FormatCount(check->entries), FormatDuration(MonotonicUs() - start_us))});
  } else {
    findings->push_back({"index", Health::kFail,
                         fmt::format("{}: {} entries are missing, {} wrong", name, FormatCount(check->missing),
                                     FormatCount(check->wrong)),
                         "klip index verify --repair mends it"});
  }
}

// Skips disabled tables, which cannot be read.
void CheckIndexes(Connection* connection, const std::vector<TableDescriptor>& tables, Findings* findings) {
  const Expected<IndexAdmin*> indexes = connection->admin().indexes();
  for (const TableDescriptor& table : indexes.ok() ? tables : std::vector<TableDescriptor>()) {
    const Expected<bool> enabled = connection->admin().IsTableEnabled(table.name);
    const Expected<std::vector<IndexInfo>> all = (*indexes)->ListIndexes(table.name);
    for (const IndexInfo& info : enabled.ok() && *enabled && all.ok() ? *all : std::vector<IndexInfo>()) {
      CheckIndex(*indexes, table.name, info, findings);
    }
  }
}

}  // namespace

void CheckStore(const std::string& directory, const coprocessor::HostOptions& host, const std::string& wasm_runtime,
                bool deep, Findings* findings) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    const bool file = std::filesystem::exists(directory, error);
    findings->push_back({"directory", Health::kFail, directory + (file ? " is not a directory" : " does not exist"),
                         "klip create or klip serve creates a store; is the path right?"});
    return;
  }
  const bool usable = ::access(directory.c_str(), R_OK | W_OK | X_OK) == 0;
  findings->push_back({"directory", usable ? Health::kOk : Health::kFail,
                       directory + (usable ? " is readable and writable" : ": " + std::string(std::strerror(errno))),
                       usable ? "" : "make it readable and writable for the user that klip runs as"});
  if (!usable) {
    return;
  }
  CheckSpace(directory, findings);
  CheckSync(directory, findings);
  CheckClusterIdFile(directory, findings);
  CheckReplication(directory, findings);
  CheckArchive(directory, findings);
  if (!std::filesystem::exists(directory + "/CURRENT", error)) {
    findings->push_back(
        {"store", Health::kWarn, "none in " + directory + " yet", "klip create or klip serve creates it"});
    return;
  }
  const int64_t start_us = MonotonicUs();
  auto connection = OpenStore("klip:" + directory);
  auto tables = connection.ok() ? (*connection)->admin().ListTables()
                                : Expected<std::vector<TableDescriptor>>(connection.status());
  if (!tables.ok()) {
    const bool used = tables.status().code() == Code::kStoreInUse;
    findings->push_back(
        {"store", used ? Health::kWarn : Health::kFail, tables.status().ToString(), AdviceFor(tables.status().code())});
    return;
  }
  findings->push_back({"store", Health::kOk,
                       fmt::format("opened in {}, {} table{}", FormatDuration(MonotonicUs() - start_us), tables->size(),
                                   tables->size() == 1 ? "" : "s")});
  if (const auto snapshots = (*connection)->admin().ListSnapshots(); !snapshots.ok()) {
    findings->push_back(
        {"snapshots", Health::kFail, snapshots.status().ToString(), "restore its SNAPSHOT from a copy, or delete it"});
  }
  CheckCoprocessors(*tables, host, findings);
  CheckModules(*tables, wasm_runtime, findings);
  if (deep) {
    CheckIndexes(connection->get(), *tables, findings);
  }
}

bool CheckFiles(const std::string& directory, Findings* findings) {
  engine::StoreDirectory lock;
  if (const Status locked = lock.Lock(directory); !locked.ok()) {
    findings->push_back({"files", Health::kFail, locked.ToString(), AdviceFor(locked.code())});
    return false;
  }
  const int64_t start_us = MonotonicUs();
  const Expected<engine::FileCheck> check =
      engine::CheckStoreFiles(nullptr, directory, /*is_open=*/false, /*direct=*/false);
  if (!check.ok()) {
    findings->push_back({"files", Health::kFail, check.status().ToString(), AdviceFor(check.status().code())});
    return false;
  }
  for (const engine::FileDamage& damage : check->damages) {
    findings->push_back({"files", Health::kFail, damage.file + ": " + damage.what,
                         "restore a backup (klip backup); klip repair copies the readable data"});
  }
  if (check->damages.empty()) {
    findings->push_back(
        {"files", Health::kOk,
         fmt::format("{} files are undamaged, read in {}", check->files, FormatDuration(MonotonicUs() - start_us))});
  }
  return check->damages.empty();
}

void CheckCluster(const std::string& uri, Findings* findings) {
  int64_t start_us = MonotonicUs();
  auto done = [&](const char* check, const std::string& what) {
    findings->push_back({check, Health::kOk, what + " in " + FormatDuration(MonotonicUs() - start_us)});
    start_us = MonotonicUs();
  };
  auto connection = OpenStore(uri);
  if (!connection.ok()) {
    findings->push_back({"registry", Health::kFail, connection.status().ToString(),
                         "is the address right, and the cluster running? docs/clusters.md"});
    return;
  }
  done("registry", "answered");
  auto tables = (*connection)->admin().ListTables();
  if (!tables.ok()) {
    findings->push_back({"master", Health::kFail, tables.status().ToString(),
                         "can this machine reach the master by the name that the registry gives?"});
    return;
  }
  done("master", fmt::format("listed {} tables", tables->size()));
  for (const TableDescriptor& descriptor : *tables) {
    auto enabled = (*connection)->admin().IsTableEnabled(descriptor.name);
    if (!enabled.ok() || !*enabled) {
      continue;
    }
    auto table = (*connection)->GetTable(descriptor.name);
    Status status = table.ok() ? (*table)->Get(Get{.row = "klip-doctor"}).status() : table.status();
    if (!status.ok()) {
      findings->push_back({"get", Health::kFail, descriptor.name + ": " + status.ToString(),
                           "can this machine reach the region servers by their names? is hbase:meta intact?"});
      return;
    }
    done("get", "of " + descriptor.name + " answered");
    return;
  }
}

}  // namespace klip::cli
