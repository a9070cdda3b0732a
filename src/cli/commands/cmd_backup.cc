// klip backup: creates, lists, checks, restores, tests and removes backups of a store.
#include <filesystem>

#include <fmt/chrono.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/printer.h"
#include "engine/backup/backup.h"
#include "klip/index.h"
#include "klip/query.h"
#include "rowkey/time_text.h"

namespace klip::cli {
namespace {

struct BackupArguments {
  std::string action;
  std::string backups;
  std::string store;
  std::string to;
  uint64_t number = 0;
  std::string at;
  bool keep_logs = false;
  bool json = false;
};

std::string UtcTime(int64_t time_ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(time_ms / 1000), time_ms % 1000);
}

std::string Size(uint64_t bytes) { return FormatBytes(static_cast<int64_t>(bytes)); }

// The contents of a restored table.
struct TableCount {
  int64_t rows = 0;
  int64_t cells = 0;  // all versions and markers
};

Expected<TableCount> CountTable(Connection* connection, const std::string& name) {
  KLIP_ASSIGN_OR_RETURN(const auto table, connection->GetTable(name));
  Scan all;
  all.raw = true;
  all.max_versions = kAllVersions;
  KLIP_ASSIGN_OR_RETURN(const auto scanner, table->Scan(all));
  TableCount count;
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return count;
    }
    ++count.rows;
    count.cells += static_cast<int64_t>(row.cells().size());
  }
}

class BackupCommand {
 public:
  BackupCommand(const Console& console, const BackupArguments& options) : console_(console), options_(options) {}

  Expected<int> Run() {
    if (options_.action == "create") {
      return Create();
    }
    if (options_.action == "list") {
      return List();
    }
    if (options_.action == "verify") {
      return Verify();
    }
    if (options_.action == "restore") {
      return Restore();
    }
    return options_.action == "drill" ? Drill() : Drop();
  }

 private:
  Expected<int> Create() {
    if (options_.store.empty()) {
      return UsageError("--of STORE is missing: which store should be backed up?");
    }
    const std::string store = options_.store.starts_with("klip:") ? options_.store.substr(5) : options_.store;
    const int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(const engine::BackupReport made,
                          engine::CreateBackup(store, options_.backups, {.keep_logs = options_.keep_logs}));
    console_.Print("backup {} of {}: {} in {} files, of which {} in {} files were copied, in {}\n", made.record.number,
                   made.record.store, Size(made.record.bytes()), made.record.files.size(), Size(made.copied_bytes),
                   made.copied_files, FormatDuration(MonotonicUs() - start_us));
    return kExitOk;
  }

  Expected<int> List() {
    KLIP_ASSIGN_OR_RETURN(const engine::BackupSet set, engine::BackupSet::Open(options_.backups));
    std::vector<Status> unreadable;
    KLIP_ASSIGN_OR_RETURN(const std::vector<engine::BackupRecord> records, set.Records(&unreadable));
    for (const engine::BackupRecord& record : records) {
      if (options_.json) {
        console_.Write(Json({{"number", record.number},
                             {"time", UtcTime(record.time_ms)},
                             {"store", record.store},
                             {"files", record.files.size()},
                             {"bytes", record.bytes()},
                             {"keeps_logs", record.keeps_logs}})
                           .dump() +
                       "\n");
      } else {
        console_.Print("{:6}  {}  {:>9}  {}{}\n", record.number, UtcTime(record.time_ms), Size(record.bytes()),
                       record.store, record.keeps_logs ? ", with logs from here on" : "");
      }
    }
    for (const Status& status : unreadable) {
      console_.PrintError(status.message());
    }
    return unreadable.empty() ? kExitOk : kExitError;
  }

  Expected<int> Verify() {
    const int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(const engine::BackupCheck check, engine::VerifyBackups(options_.backups, options_.number));
    for (const std::string& damaged : check.damaged) {
      console_.Print("{}\n", damaged);
    }
    console_.Print("read {} in {} files in {}: {}\n", Size(check.bytes), check.files,
                   FormatDuration(MonotonicUs() - start_us),
                   check.damaged.empty() ? "no damage" : fmt::format("{} damaged or missing", check.damaged.size()));
    return check.damaged.empty() ? kExitOk : kExitError;
  }

  Expected<engine::RestoreReport> RestoreTo(const std::string& to) {
    engine::RestoreOptions how = {.number = options_.number, .at_ms = {}};
    if (!options_.at.empty()) {
      const std::optional<rowkey::TimeSpan> at = rowkey::ParseTime(options_.at);
      if (!at.has_value()) {
        return UsageError("--at: '" + options_.at + "' is not a time; write it like 2026-11-26T03:15:00.250Z");
      }
      how.at_ms = at->first_ms;
    }
    const int64_t start_us = MonotonicUs();
    KLIP_ASSIGN_OR_RETURN(engine::RestoreReport report, engine::RestoreBackup(options_.backups, to, how));
    console_.Print(
        "restored backup {} of {}{} to {}: {} in {} files in {}\n", report.record.number,
        UtcTime(report.record.time_ms),
        how.at_ms.has_value() ? fmt::format(", and {} logs up to {},", report.replayed_logs, UtcTime(*how.at_ms)) : "",
        to, Size(report.bytes), report.files, FormatDuration(MonotonicUs() - start_us));
    return report;
  }

  Expected<int> Restore() {
    if (options_.to.empty()) {
      return UsageError("--to NEWDIR is missing: where should the backup be restored?");
    }
    KLIP_RETURN_IF_ERROR(RestoreTo(options_.to).status());
    return kExitOk;
  }

  // Removes the directory even if that fails.
  Expected<int> Drill() {
    const std::string to = options_.to.empty() ? fmt::format("{}/drill-{}", options_.backups, ::getpid()) : options_.to;
    Expected<int> outcome = DrillIn(to);
    std::error_code error;
    std::filesystem::remove_all(to, error);
    return outcome;
  }

  Expected<int> DrillIn(const std::string& to) {
    KLIP_RETURN_IF_ERROR(RestoreTo(to).status());
    ConnectionOptions how;
    how.create_if_missing = false;
    KLIP_ASSIGN_OR_RETURN(const auto connection, OpenStore(to, how));
    KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> tables, connection->admin().ListTables());
    KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
    int64_t differences = 0;
    for (const TableDescriptor& table : tables) {
      KLIP_ASSIGN_OR_RETURN(const bool enabled, connection->admin().IsTableEnabled(table.name));
      if (!enabled) {
        KLIP_RETURN_IF_ERROR(connection->admin().EnableTable(table.name));
      }
      KLIP_ASSIGN_OR_RETURN(const TableCount count, CountTable(connection.get(), table.name));
      console_.Print("{}: {} rows, {} cells\n", table.name, FormatCount(count.rows), FormatCount(count.cells));
      KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, indexes->ListIndexes(table.name));
      for (const IndexInfo& info : all) {
        KLIP_ASSIGN_OR_RETURN(const IndexCheck check, indexes->VerifyIndex(table.name, info.index.name, false, {}));
        console_.Print("  index {}: {} entries, {} differences\n", info.index.name, FormatCount(check.entries),
                       check.missing + check.wrong + check.stale);
        differences += check.missing + check.wrong + check.stale;
      }
    }
    KLIP_RETURN_IF_ERROR(VerifySnapshots(connection.get()));
    console_.Print("{}\n", differences == 0 ? "drill passed" : "indexes differ from their tables");
    return differences == 0 ? kExitOk : kExitError;
  }

  // Restores each snapshot as a table.
  Status VerifySnapshots(Connection* connection) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> snapshots, connection->admin().ListSnapshots());
    const std::string scratch = "klip_backup_drill";
    for (const SnapshotInfo& snapshot : snapshots) {
      KLIP_RETURN_IF_ERROR(connection->admin().CloneSnapshot(snapshot.name, scratch));
      KLIP_ASSIGN_OR_RETURN(const TableCount count, CountTable(connection, scratch));
      console_.Print("snapshot {}: {} rows, {} cells\n", snapshot.name, FormatCount(count.rows),
                     FormatCount(count.cells));
      KLIP_RETURN_IF_ERROR(connection->admin().DisableTable(scratch));
      KLIP_RETURN_IF_ERROR(connection->admin().DeleteTable(scratch));
    }
    return Status::Ok();
  }

  Expected<int> Drop() {
    if (options_.number == 0) {
      return UsageError("--number is missing: which backup?");
    }
    KLIP_RETURN_IF_ERROR(engine::BackupSet::Open(options_.backups).status());
    KLIP_ASSIGN_OR_RETURN(const engine::BackupSet set, engine::BackupSet::OpenToWrite(options_.backups));
    KLIP_RETURN_IF_ERROR(set.Remove(options_.number));
    console_.Print("dropped backup {}\n", options_.number);
    return kExitOk;
  }

  const Console& console_;
  const BackupArguments& options_;
};

}  // namespace

Run AddBackupCommand(Arguments* args) {
  auto options = std::make_shared<BackupArguments>();
  args->Add("ACTION", &options->action, "the action")
      .Required()
      .OneOf({"create", "list", "verify", "restore", "drill", "drop"});
  args->Add("BACKUPS", &options->backups, "a directory of backups; create creates it if needed").Required();
  args->Add("--of", &options->store, "with create: the directory of the store; klip serve may have it open");
  args->AddFlag("--keep-logs", &options->keep_logs,
                "with create: keep the store's logs from now on, so that --at can restore any later time");
  args->Add("--number", &options->number, "the backup's number; default: the newest (before --at), with verify all");
  args->Add("--at", &options->at,
            "with restore and drill: the time to restore, e.g. 2026-11-26T03:15:00Z; needs backups with --keep-logs");
  args->Add("--to", &options->to,
            "with restore: the new directory. With drill: the directory to use; default in BACKUPS");
  args->AddFlag("--json", &options->json, "with list: JSON, one object per line");
  return [options](const Console& console) -> Expected<int> { return BackupCommand(console, *options).Run(); };
}

}  // namespace klip::cli
