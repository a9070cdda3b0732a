#include "engine/store/writer.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_mark.h"
#include "engine/rocks/rocksdb_versions.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

// TUNING: 14 bytes of log ten times a second; that is also the precision of a restore to a point in time.
constexpr int64_t kTimeMarkMs = 100;

rocksdb::WriteOptions OptionsFor(Durability durability, bool sync_wal) {
  rocksdb::WriteOptions options;
  switch (durability) {
    case Durability::kSkipWal:
      options.disableWAL = true;
      break;
    case Durability::kAsyncWal:
      break;
    case Durability::kUseDefault:
    case Durability::kSyncWal:
      options.sync = sync_wal;
      break;
    case Durability::kFsyncWal:
      options.sync = true;
      break;
  }
  return options;
}

std::string UtcText(int64_t time_ms) {
  const std::time_t seconds = static_cast<std::time_t>(time_ms / 1000);
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, length};
}

rocksdb::Status ReadAndTake(const std::function<rocksdb::Status()>& ingest) {
  const KeptLogs::ReadFiles reads;
  return ingest();
}

}  // namespace

Writer::Writer(const Database* database, const Views* views)
    : database_(database), views_(views), resumer_(&database->db) {
  if (database->read_only()) {
    failure_ = "the store '" + database->path() + "' was opened read-only";
    read_only_ = true;
  }
}

Status Writer::Write(Durability durability, rocksdb::WriteBatch* batch) {
  if (read_only_.load(std::memory_order_acquire)) {
    return CheckWritable();
  }
  const rocksdb::WriteOptions how = OptionsFor(durability, database_->options.sync_wal);
  rocksdb::Status status;
  if (!how.disableWAL) {
    const int64_t now_ms = database_->NowMs();
    int64_t marked_ms = marked_ms_.load(std::memory_order_relaxed);
    const bool is_due = now_ms - kTimeMarkMs >= marked_ms || now_ms + kTimeMarkMs <= marked_ms;  // or set back
    if (is_due && marked_ms_.compare_exchange_strong(marked_ms, now_ms)) {
      batch->PutLogData(EncodeTime(kTimeMark, now_ms)).PermitUncheckedError();
    }
  }
  if (!how.disableWAL && !database_->logs->room().Take(batch->GetDataSize())) {
    return FailureOf(rocksdb::Status::NoSpace("No space left on device", "for the log"));
  }
  {
    const std::shared_lock gate(log_gate_);
    status = database_->db->Write(how, batch);
  }
  if (!status.ok() && IsDiskFull(status) && MakeRoom()) {
    status = database_->db->Write(how, batch);
  }
  return status.ok() ? Status::Ok() : FailureOf(status);
}

Status Writer::CheckWritable() {
  if (!read_only_.load(std::memory_order_acquire)) {
    return Status::Ok();
  }
  const std::lock_guard lock(failure_mutex_);
  return {Code::kReadOnly, failure_};
}

Status Writer::FailureOf(const rocksdb::Status& status) {
  if (IsDiskFull(status) || !(status.IsIOError() || status.IsCorruption())) {
    return FromRocks(status, "writing to the store '" + database_->options.path + "'");
  }
  return EndWrites("writing or syncing its log failed", status.ToString());
}

Status Writer::EndWrites(const std::string& reason, const std::string& detail) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!read_only_) {
      failure_ = "the store '" + database_->options.path + "' has accepted no writes since " +
                 UtcText(database_->options.clock_ms()) + ", because " + reason + " (" + detail +
                 "). Reads continue. Check the disk, then open the store again";
      read_only_.store(true, std::memory_order_release);
    }
  }
  return CheckWritable();
}

rocksdb::Status Writer::MarkChange() {
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.PutLogData(EncodeTime(kChangeMark, database_->NowMs()));
  if (status.ok() && !database_->logs->room().Take(batch.GetDataSize())) {
    status = rocksdb::Status::NoSpace("No space left on device", "for the log");
  }
  if (status.ok()) {
    const std::shared_lock gate(log_gate_);
    status = database_->db->Write(rocksdb::WriteOptions(), &batch);
  }
  return status;
}

rocksdb::Status Writer::ChangeUnlogged(const std::function<rocksdb::Status()>& change) {
  // A full disk rejects marks, but must not prevent families from being dropped.
  rocksdb::Status status = MarkChange();
  if (status.ok() || IsDiskFull(status)) {
    status = change();
    MarkChange().PermitUncheckedError();
    // Loaded files are in no log. Without the mark they are as safe as before marks existed.
    (void)database_->manifest_marker->Mark();
  }
  return status;
}

rocksdb::Status Writer::ChangeFiles(const std::function<rocksdb::Status()>& change) {
  database_->db->DisableFileDeletions().PermitUncheckedError();
  rocksdb::Status status;
  {
    const KeptLogs::KeptTables kept(database_->logs.get());
    status = change();
  }
  if (!status.IsIOError()) {
    EnableFileDeletions(database_->db.get()).PermitUncheckedError();
    return status;
  }
  kept_deletions_.fetch_add(1, std::memory_order_relaxed);
  manifest_failed_.store(true, std::memory_order_release);
  const std::unique_lock gate(log_gate_);
  if (manifest_failed_.load(std::memory_order_acquire) && !RenewManifest() && !IsDiskFull(status)) {
    (void)EndWrites("writing its MANIFEST failed", status.ToString());
  }
  return status;
}

rocksdb::Status Writer::TakeFiles(const std::function<rocksdb::Status()>& ingest) {
  return ChangeUnlogged([&] {
    return ChangeFiles([&] {
      const std::shared_lock gate(log_gate_);
      return resumed_.load(std::memory_order_acquire)
                 ? rocksdb::Status::NotSupported("the disk was full: bulk loads work again after the store is reopened")
                 : ReadAndTake(ingest);
    });
  });
}

rocksdb::Status Writer::ChangeFamilies(const std::function<rocksdb::Status()>& change) {
  const std::shared_lock gate(log_gate_);
  rocksdb::Status status = change();
  if (!status.ok()) {
    manifest_failed_.store(true, std::memory_order_release);
  }
  return status;
}

Status Writer::SaveFile(const std::string& directory, const std::string& name, std::string_view bytes) {
  if (database_->read_only()) {
    return CheckWritable();
  }
  if (!database_->directory.InPlace()) {
    return {Code::kIoError, "the directory of the store '" + database_->path() + "' has been moved or replaced"};
  }
  bool unknown = false;
  const Status saved = ReplaceFile(database_->env, directory, name, bytes, &unknown);
  return unknown ? EndWrites("it is not known whether its " + name + " was replaced", saved.message()) : saved;
}

// Ends RocksDB's refusal to write after a full disk. RocksDB asserts if the log that could not be extended is written
// again. So the gate keeps writers out, and a flush starts a new log. False: the disk is still full.
bool Writer::MakeRoom() {
  const std::unique_lock gate(log_gate_);
  if (read_only() || (manifest_failed_.load(std::memory_order_acquire) && !RenewManifest())) {
    return false;
  }
  if (!Resume()) {  // flushes, if there is anything to flush
    return false;
  }
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  rocksdb::WriteBatch batch;  // a flush of empty memtables would keep the log
  if (!batch.Put("log", "").ok() || !database_->db->Write(unlogged, &batch).ok()) {
    return false;
  }
  // If Resume had nothing to flush, the failed log is still the current one. Its buffer cannot be written, so this flush
  // fails, and the recovery from that starts a new log.
  return FlushAll().ok() || (!read_only() && Resume());
}

// RocksDB asserts that file deletions are disabled after its manifest failed, but only some of its failures disable them.
bool Writer::Resume() {
  database_->db->DisableFileDeletions().PermitUncheckedError();
  const rocksdb::Status status = resumer_.Resume();
  resumed_.store(resumed_ || status.ok(), std::memory_order_release);
  EnableFileDeletions(database_->db.get()).PermitUncheckedError();
  if (status.IsTimedOut()) {
    (void)EndWrites("RocksDB does not resume after an error of the disk", status.ToString());
  }
  return status.ok();
}

rocksdb::Status Writer::Flush(const std::vector<rocksdb::ColumnFamilyHandle*>& families) {
  rocksdb::Status status = FlushOnce(families);
  if (!status.ok() && IsDiskFull(status) && MakeRoom()) {
    status = FlushOnce(families);
  }
  return status;
}

rocksdb::Status Writer::FlushOnce(const std::vector<rocksdb::ColumnFamilyHandle*>& families) {
  uint64_t failures = 0;
  {
    const std::lock_guard lock(database_->events->mutex);
    failures = database_->events->failures;
  }
  const rocksdb::Status status = database_->db->Flush(rocksdb::FlushOptions(), families);
  return status.ok() && resumed_.load(std::memory_order_acquire) ? AwaitTables(families, failures) : status;
}

// `failures`: their number before the flush.
rocksdb::Status Writer::AwaitTables(const std::vector<rocksdb::ColumnFamilyHandle*>& families, uint64_t failures) {
  StoreEvents& events = *database_->events;
  const auto in_memory = [&](rocksdb::ColumnFamilyHandle* family) {
    uint64_t tables = 0;
    return database_->db->GetIntProperty(family, rocksdb::DB::Properties::kNumImmutableMemTable, &tables) && tables > 0;
  };
  FlushWatch watch(database_->db.get());
  while (std::ranges::any_of(families, in_memory)) {
    if (watch.IsLost()) {
      (void)EndWrites("RocksDB does not flush after an error of the disk", "a flush does not begin");
      return rocksdb::Status::TimedOut("a flush does not begin");
    }
    std::unique_lock lock(events.mutex);
    if (events.failures != failures) {
      return events.failure;
    }
    if (events.stopping) {
      return rocksdb::Status::ShutdownInProgress();
    }
    events.changed.wait_for(lock, std::chrono::milliseconds(100));
  }
  return rocksdb::Status::OK();
}

rocksdb::Status Writer::FlushAll() {
  std::vector<rocksdb::ColumnFamilyHandle*> handles = {database_->db->DefaultColumnFamily()};
  const std::vector<TablePtr> tables = views_->All();
  for (const TablePtr& view : tables) {
    for (const Family& family : view->AllFamilies()) {
      handles.push_back(family.handle.get());
    }
  }
  return FlushOnce(handles);
}

// RocksDB 7.8 cannot resume if writing the manifest failed while a column family was created or dropped. A later
// successful change of the manifest, in a new file, repairs that.
bool Writer::RenewManifest() {
  rocksdb::ColumnFamilyHandle* scratch = nullptr;
  if (!database_->db->CreateColumnFamily(FamilyOptions({}, nullptr, database_->shared), "scratch", &scratch).ok()) {
    return false;
  }
  const bool dropped = database_->db->DropColumnFamily(scratch).ok();
  database_->db->DestroyColumnFamilyHandle(scratch).PermitUncheckedError();
  manifest_failed_.store(!dropped, std::memory_order_release);
  for (int kept = dropped ? kept_deletions_.exchange(0, std::memory_order_acq_rel) : 0; kept > 0; --kept) {
    EnableFileDeletions(database_->db.get()).PermitUncheckedError();
  }
  return dropped;
}

}  // namespace klip::engine
