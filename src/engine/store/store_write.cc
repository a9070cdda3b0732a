// Encoding and writing cells, and what the store does when the disk fails it.
//
// After a failed write or sync of the log nobody knows what is on disk, and a second sync may lie: the store takes no more
// writes until it is opened again. A full disk is different: what was refused is known, so writing goes on once there is room.
#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include "rocksdb/write_batch.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_mark.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/store_rep.h"
#include "klip/bytes.h"

namespace klip::engine {

struct WriteSet::Rep {
  rocksdb::WriteBatch batch;
  std::string key;
  std::string value_head;
  const rocksdb::ColumnFamilyHandle* family = nullptr;  // of the cells, while all are of one
  bool several_families = false;
  filter::LeadingValuesWriter leads;
};

WriteSet::WriteSet() : rep_(std::make_unique<Rep>()) {}
WriteSet::~WriteSet() = default;
WriteSet::WriteSet(WriteSet&&) noexcept = default;
WriteSet& WriteSet::operator=(WriteSet&&) noexcept = default;

void WriteSet::Add(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                   CellType type, std::string_view value, std::string_view tags) {
  family.state->NoteRowBytes(row.size());
  rep_->leads.Add(family.state->leads.get(), row);
  const bool ordered = family.descriptor.new_version_behavior;
  rep_->several_families = rep_->several_families || (rep_->family != nullptr && rep_->family != family.handle.get());
  rep_->family = family.handle.get();
  rep_->key.clear();
  rep_->value_head.clear();
  AppendCellKey(row, qualifier, timestamp_ms, type, &rep_->key);
  AppendCellValue({}, tags, ordered ? family.state->next_sequence() : 0, ordered, &rep_->value_head);
  const rocksdb::Slice whole_key = rep_->key;
  const std::array<rocksdb::Slice, 2> value_parts = {rep_->value_head, rocksdb::Slice(value.data(), value.size())};
  rep_->batch.Put(family.handle.get(), {&whole_key, 1}, {value_parts.data(), static_cast<int>(value_parts.size())})
      .PermitUncheckedError();  // fails only above 4 GB
}

void WriteSet::AddNonce(const Nonce& nonce, int64_t now_ms) {
  if (nonce.number != 0) {
    rep_->batch.PutLogData(EncodeNonce({nonce, now_ms})).PermitUncheckedError();
  }
}

void WriteSet::BeginReplicated(const ClusterIds& clusters) {
  rep_->batch.PutLogData(EncodeClusters(clusters)).PermitUncheckedError();
}
void WriteSet::EndReplicated() { rep_->batch.PutLogData(EncodeClusters({})).PermitUncheckedError(); }

bool WriteSet::empty() const { return rep_->batch.Count() == 0; }
size_t WriteSet::size_bytes() const { return rep_->batch.GetDataSize(); }
void WriteSet::Clear() {
  rep_->batch.Clear();
  rep_->family = nullptr;
  rep_->several_families = false;
}

namespace {

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

}  // namespace

Status Store::Write(WriteSet* writes, Durability durability) {
  // Families are flushed one by one, so what spans several is logged in any case: a crash must not tear a row.
  if (durability == Durability::kSkipWal && writes->rep_->several_families) {
    durability = Durability::kAsyncWal;
  }
  return rep_->WriteBatch(durability, &writes->rep_->batch);
}

Status Store::Rep::WriteBatch(Durability durability, rocksdb::WriteBatch* batch) {
  if (read_only.load(std::memory_order_acquire)) {
    return ReadOnlyStatus();
  }
  const rocksdb::WriteOptions how = OptionsFor(durability, options.sync_wal);
  rocksdb::Status status;
  {
    const std::shared_lock gate(log_gate);
    status = db->Write(how, batch);
  }
  if (!status.ok() && IsDiskFull(status) && MakeRoom()) {
    status = db->Write(how, batch);
  }
  return status.ok() ? Status::Ok() : FailureOf(status);
}

Status Store::TruncateRegion(std::string_view table, std::string_view start_key) {
  const std::string name(CanonicalTableName(table));
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, rep_->Find(name));
  const Region& region = view->RegionOf(start_key);
  if (region.start_key != start_key) {
    return {Code::kInvalidArgument, "no region of table '" + name + "' starts at '" + ToStringBinary(start_key) + "'"};
  }
  const std::unique_lock writers(rep_->locks.ForTable(name));
  for (const Family& family : view->families) {
    KLIP_RETURN_IF_ERROR(rep_->DeleteKeys(family, region));
  }
  for (const Family& family : view->families) {
    rep_->CompactDeleted(family, region);
  }
  return Status::Ok();
}

// Key by key and not as a range: RocksDB shows a compaction filter what a range deletes, which would count as versions and mask, and
// RocksDB 7.8 does not import such ranges as they were.
Status Store::Rep::DeleteKeys(const Family& family, const Region& region) {
  constexpr size_t kBatchBytes = 1 << 20;
  const std::string doing = "truncating a region, family '" + family.descriptor.name + "'";
  const std::string low = RowLowerBound(region.start_key);
  const std::string high = RowLowerBound(region.end_key);
  rocksdb::ReadOptions read;
  read.total_order_seek = true;
  read.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> keys(db->NewIterator(read, family.handle.get()));
  rocksdb::WriteBatch batch;
  // Backwards: whatever a crash leaves of a row then lacks no marker and no newer version of what it has.
  if (high.empty()) {
    keys->SeekToLast();
  } else {
    keys->SeekForPrev(high);  // no cell's key equals a bound
  }
  for (; keys->Valid() && keys->key().compare(low) >= 0; keys->Prev()) {
    KLIP_RETURN_IF_ERROR(FromRocks(batch.Delete(family.handle.get(), keys->key()), doing));
    if (batch.GetDataSize() >= kBatchBytes) {
      KLIP_RETURN_IF_ERROR(WriteBatch(Durability::kSyncWal, &batch));
      batch.Clear();
    }
  }
  KLIP_RETURN_IF_ERROR(FromRocks(keys->status(), doing));
  return batch.Count() == 0 ? Status::Ok() : WriteBatch(Durability::kSyncWal, &batch);
}

// Else scans would pass over all that is deleted until a compaction comes by, and one that took an old cell and a new one, but not what
// deletes the old one, would count that as a version. Best effort: nothing is seen of the region any more.
void Store::Rep::CompactDeleted(const Family& family, const Region& region) {
  const std::string low = RowLowerBound(region.start_key);
  const std::string high = RowLowerBound(region.end_key);
  const rocksdb::Slice begin = low;
  const rocksdb::Slice end = high;
  rocksdb::CompactRangeOptions how;
  how.exclusive_manual_compaction = false;
  how.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  family.state->truncating.store(true, std::memory_order_release);
  db->CompactRange(how, family.handle.get(), &begin, high.empty() ? nullptr : &end).PermitUncheckedError();
  family.state->truncating.store(false, std::memory_order_release);
}

Status Store::Rep::ReadOnlyStatus() {
  if (!read_only.load(std::memory_order_acquire)) {
    return Status::Ok();
  }
  const std::lock_guard lock(failure_mutex);
  return {Code::kReadOnly, failure};
}

Status Store::Rep::FailureOf(const rocksdb::Status& status) {
  if (IsDiskFull(status) || !(status.IsIOError() || status.IsCorruption())) {
    return FromRocks(status, "writing to the store '" + options.path + "'");
  }
  return EndWrites("writing or syncing its log failed", status.ToString());
}

Status Store::Rep::EndWrites(const std::string& reason, const std::string& detail) {
  {
    const std::lock_guard lock(failure_mutex);
    if (!read_only) {
      failure = "the store '" + options.path + "' takes no writes since " + UtcText(options.clock_ms()) + ", because " +
                reason + " (" + detail + "). Reads go on. Check the disk, then open the store again";
      read_only.store(true, std::memory_order_release);
    }
  }
  return ReadOnlyStatus();
}

rocksdb::Status Store::Rep::ChangeFiles(const std::function<rocksdb::Status()>& change) {
  db->DisableFileDeletions().PermitUncheckedError();
  rocksdb::Status status = change();
  if (!status.IsIOError()) {
    db->EnableFileDeletions(/*force=*/false).PermitUncheckedError();
    return status;
  }
  kept_deletions.fetch_add(1, std::memory_order_relaxed);
  manifest_failed.store(true, std::memory_order_release);
  const std::unique_lock gate(log_gate);
  if (manifest_failed.load(std::memory_order_acquire) && !RenewManifest() && !IsDiskFull(status)) {
    (void)EndWrites("writing its MANIFEST failed", status.ToString());
  }
  return status;
}

// Ends RocksDB's own refusal to write, which a full disk causes. The log that could not be extended must not be written to
// again (RocksDB asserts on it), hence the gate, and it is left behind by a flush, which begins a new one.
// False: there is no room yet.
bool Store::Rep::MakeRoom() {
  const std::unique_lock gate(log_gate);
  if (manifest_failed.load(std::memory_order_acquire) && !RenewManifest()) {
    return false;
  }
  if (!Resume()) {  // flushes, if there is anything to flush
    return false;
  }
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  rocksdb::WriteBatch batch;  // a flush of empty memtables would keep the log
  if (!batch.Put("log", "").ok() || !db->Write(unlogged, &batch).ok()) {
    return false;
  }
  // When Resume had nothing to flush, the failed log is still the current one. Its buffer cannot be written out, so this
  // flush fails, and the recovery from that leaves the log behind.
  return FlushAll().ok() || Resume();
}

// RocksDB asserts that files are kept from deletion after its manifest failed, which only some of its failures see to.
bool Store::Rep::Resume() {
  db->DisableFileDeletions().PermitUncheckedError();
  const bool resumed = db->Resume().ok();
  db->EnableFileDeletions(/*force=*/false).PermitUncheckedError();
  return resumed;
}

rocksdb::Status Store::Rep::FlushAll() {
  std::vector<rocksdb::ColumnFamilyHandle*> handles = {db->DefaultColumnFamily()};
  const std::shared_lock lock(tables_mutex);
  for (const auto& [name, view] : tables) {
    for (const Family& family : view->families) {
      handles.push_back(family.handle.get());
    }
  }
  return db->Flush(rocksdb::FlushOptions(), handles);
}

// RocksDB 7.8 cannot resume after the creation or drop of a column family failed on its manifest. A later change of the
// manifest that succeeds, in a new file, mends that.
bool Store::Rep::RenewManifest() {
  rocksdb::ColumnFamilyHandle* scratch = nullptr;
  if (!db->CreateColumnFamily(FamilyOptions({}, nullptr, database->shared), "scratch", &scratch).ok()) {
    return false;
  }
  const bool dropped = db->DropColumnFamily(scratch).ok();
  db->DestroyColumnFamilyHandle(scratch).PermitUncheckedError();
  manifest_failed.store(!dropped, std::memory_order_release);
  for (int kept = dropped ? kept_deletions.exchange(0, std::memory_order_acq_rel) : 0; kept > 0; --kept) {
    db->EnableFileDeletions(/*force=*/false).PermitUncheckedError();
  }
  return dropped;
}

uint64_t Store::NextSequence() { return rep_->NextSequence(); }

uint64_t Store::Rep::NextSequence() {
  const uint64_t number = sequence.fetch_add(1, std::memory_order_relaxed);
  if (number >= sequence_limit.load(std::memory_order_acquire)) {
    ReserveSequences(number);
  }
  return number;
}

// Numbers are reserved on disk in large lots, so that no later life of the store gives one out again.
void Store::Rep::ReserveSequences(uint64_t number) {
  constexpr uint64_t kAtOnce = 1 << 20;
  const std::lock_guard lock(sequence_mutex);
  if (number < sequence_limit.load(std::memory_order_acquire)) {
    return;
  }
  const std::string text = std::to_string(number + kAtOnce);
  if (const Status saved = ReplaceFile(env, options.path, "SEQUENCE", Seal(text + "\n")); !saved.ok()) {
    (void)FailureOf(rocksdb::Status::IOError(saved.message()));  // the numbers go on; writes stop
    return;
  }
  sequence_limit.store(number + kAtOnce, std::memory_order_release);
}

}  // namespace klip::engine
