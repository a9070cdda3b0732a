// Flush, compaction, and the thread that looks after region splits.
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "rocksdb/metadata.h"

#include "engine/layout/rocksdb_status.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/store_rep.h"

namespace klip::engine {

// --- Events ---

void StoreEvents::OnFlushBegin(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) {
  rewrites.fetch_add(1, std::memory_order_acq_rel);
}

void StoreEvents::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) {
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++new_files;
  changed.notify_all();
}

void StoreEvents::OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) {
  rewrites.fetch_add(1, std::memory_order_acq_rel);
  running_compactions.fetch_add(1, std::memory_order_relaxed);
}

void StoreEvents::OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) {
  running_compactions.fetch_sub(1, std::memory_order_relaxed);
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++compactions;
  changed.notify_all();
}

// The log that a full disk has cut short cannot be written out when it is left behind. That is no reason never to resume
// (Rep::MakeRoom), which is what RocksDB makes of it.
void StoreEvents::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status* error) {
  if (IsAbandonedLog(*error)) {
    *error = rocksdb::Status(*error, rocksdb::Status::Severity::kHardError);
  }
}

// RocksDB would resume by itself and go on with a log file that has failed; the store resumes when it is safe
// (Rep::MakeRoom).
void StoreEvents::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                                       bool* auto_recovery) {
  *auto_recovery = false;
}

void StoreEvents::OnExternalFileIngested(rocksdb::DB* /*db*/, const rocksdb::ExternalFileIngestionInfo& /*info*/) {
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++new_files;
  changed.notify_all();
}

// --- Flush and compaction ---

namespace {

// All of the table's, or the one of that name.
Expected<std::vector<Family>> FamiliesOf(const TableView& table, std::string_view name) {
  if (name.empty()) {
    return table.families;
  }
  const Family* family = table.Find(name);
  if (family == nullptr) {
    return Status(Code::kNoSuchColumnFamily,
                  "Column family " + std::string(name) + " does not exist in table " + table.descriptor.name);
  }
  return std::vector<Family>{*family};
}

}  // namespace

Status Store::Flush(std::string_view table, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, GetTable(table));
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  KLIP_ASSIGN_OR_RETURN(const std::vector<Family> families, FamiliesOf(*view, family));
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  for (const Family& one : families) {
    handles.push_back(one.handle.get());
  }
  rocksdb::Status status = rep_->db->Flush(rocksdb::FlushOptions(), handles);
  if (!status.ok() && IsDiskFull(status) && rep_->MakeRoom()) {
    status = rep_->db->Flush(rocksdb::FlushOptions(), handles);
  }
  return FromRocks(status, "flushing table '" + view->descriptor.name + "'");
}

namespace {

int64_t MinFilesToCompact(const TableDescriptor& table, const FamilyDescriptor& family) {
  constexpr int64_t kWorthMerging = 2;
  const std::string key = "hbase.hstore.compaction.min";
  return std::max(NumberIn({{key, FamilySettingOf(table, family, key)}}, key, kWorthMerging), kWorthMerging);
}

int64_t NewFiles(rocksdb::DB* db, const Family& family) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(family.handle.get(), &meta);
  return static_cast<int64_t>(meta.levels.front().files.size());
}

}  // namespace

Status Store::Compact(std::string_view table, bool major, std::string_view family) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, GetTable(table));
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  KLIP_ASSIGN_OR_RETURN(const std::vector<Family> families, FamiliesOf(*view, family));
  for (const Family& one : families) {
    if (!major && NewFiles(rep_->db, one) < MinFilesToCompact(view->descriptor, one.descriptor)) {
      continue;
    }
    KLIP_RETURN_IF_ERROR(rep_->CompactFamily(one, major));
  }
  return Status::Ok();
}

namespace {

struct CompactionInput {
  std::vector<std::string> files;
  int output_level = 0;
};

// Major: every file, into the last level. Minor: the newest level's files, joined with what they overlap below.
CompactionInput ChooseFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, bool major) {
  rocksdb::ColumnFamilyMetaData meta;
  db->GetColumnFamilyMetaData(handle, &meta);
  CompactionInput input;
  input.output_level = db->NumberLevels(handle) - 1;
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    if (!major && level.level > 0 && !level.files.empty()) {
      input.output_level = level.level;
      break;
    }
    for (const rocksdb::SstFileMetaData& file : level.files) {
      input.files.push_back(file.name);
    }
  }
  return input;
}

}  // namespace

Status Store::Rep::CompactFamily(const Family& family, bool major) {
  const std::string doing = "compacting family '" + family.descriptor.name + "'";
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kDisableCompressionOption;  // the family's own
  compaction.output_file_size_limit = 64 << 20;
  compaction.max_subcompactions = 1;
  while (true) {
    uint64_t seen = 0;
    {
      const std::lock_guard lock(database->events->mutex);
      seen = database->events->compactions;
    }
    const CompactionInput input = ChooseFiles(db, family.handle.get(), major);
    if (input.files.empty()) {
      return Status::Ok();
    }
    StoreEvents& events = *database->events;  // RocksDB reports only the compactions of its own choice
    events.rewrites.fetch_add(1, std::memory_order_acq_rel);
    events.running_compactions.fetch_add(1, std::memory_order_relaxed);
    const rocksdb::Status status =
        ChangeFiles([&] { return db->CompactFiles(compaction, family.handle.get(), input.files, input.output_level); });
    events.running_compactions.fetch_sub(1, std::memory_order_relaxed);
    events.file_generation.fetch_add(1, std::memory_order_acq_rel);
    // Files that an automatic compaction has taken or has just replaced: look again when one has ended.
    const bool taken = status.IsAborted() || status.IsInvalidArgument() || status.IsNotFound();
    if (!taken) {
      return FromRocks(status, doing);
    }
    std::unique_lock lock(database->events->mutex);
    database->events->changed.wait_for(lock, std::chrono::milliseconds(100), [&] {
      return database->events->compactions != seen || database->events->stopping;
    });
    if (database->events->stopping) {
      return {Code::kCancelled, doing + ": the store is closing"};
    }
  }
}

// --- The splitter ---

void Store::Rep::StartSplitter(Store* store) {
  splitter = std::thread([this, store] {
    StoreEvents& events = *database->events;
    uint64_t seen = 0;
    std::unique_lock lock(events.mutex);
    while (true) {
      events.changed.wait(lock, [&] { return events.stopping || events.new_files != seen; });
      if (events.stopping) {
        return;
      }
      seen = events.new_files;
      lock.unlock();
      (void)store->RunSplitPolicies();  // a region that could not be split now is met again after the next flush
      lock.lock();
    }
  });
}

void Store::Rep::StopSplitter() {
  if (database->events == nullptr) {
    return;
  }
  {
    const std::lock_guard lock(database->events->mutex);
    database->events->stopping = true;
    database->events->changed.notify_all();
  }
  if (splitter.joinable()) {
    splitter.join();
  }
}

}  // namespace klip::engine
