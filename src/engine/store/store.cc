#include "engine/store/store.h"

#include <utility>

#include "engine/store/catalog_file.h"
#include "engine/store/database.h"
#include "engine/store/families.h"
#include "engine/store/file_loads.h"
#include "engine/store/lock_table.h"
#include "engine/store/peers.h"
#include "engine/store/regions.h"
#include "engine/store/sequence.h"
#include "engine/store/snapshots.h"
#include "engine/store/storage.h"
#include "engine/store/table_catalog.h"
#include "engine/store/views.h"
#include "engine/store/writer.h"

namespace klip::engine {

Store::Store(StoreOptions options)
    : database_(std::make_shared<Database>(std::move(options))),
      locks_(std::make_unique<LockTable>()),
      views_(std::make_unique<Views>()),
      writer_(std::make_unique<Writer>(database_.get(), views_.get())),
      sequence_(std::make_unique<Sequence>(database_.get(), writer_.get())),
      storage_(std::make_unique<Storage>(database_.get(), views_.get(), writer_.get())),
      catalog_file_(std::make_unique<CatalogFile>(database_.get(), views_.get(), locks_.get(), writer_.get())),
      families_(std::make_unique<Families>(database_, writer_.get(), sequence_.get(), storage_.get())),
      catalog_(std::make_unique<TableCatalog>(database_.get(), catalog_file_.get(), families_.get())),
      regions_(std::make_unique<Regions>(database_.get(), catalog_file_.get(), storage_.get(), writer_.get())),
      loads_(std::make_unique<FileLoads>(database_.get(), views_.get(), writer_.get())),
      snapshots_(std::make_unique<Snapshots>(database_.get(), catalog_file_.get(), families_.get(), loads_.get(),
                                             writer_.get())),
      peers_(std::make_unique<Peers>(database_.get(), writer_.get())) {}

Expected<std::unique_ptr<Store>> Store::Open(StoreOptions options) {
  std::unique_ptr<Store> store(new Store(std::move(options)));
  KLIP_RETURN_IF_ERROR(store->Start());
  return store;
}

Status Store::Start() {
  KLIP_RETURN_IF_ERROR(database_->Lock());
  KLIP_RETURN_IF_ERROR(peers_->Read());
  KLIP_RETURN_IF_ERROR(catalog_file_->Read());
  KLIP_RETURN_IF_ERROR(families_->Open(catalog_file_->Lock(), /*keep_logs=*/!peers_->empty()));
  KLIP_RETURN_IF_ERROR(sequence_->Read());
  started_ = true;
  if (database_->read_only()) {
    return Status::Ok();
  }
  RecoverNonces();
  loads_->RemoveUnfinished();
  snapshots_->RemoveUnfinished();
  regions_->StartSplitter();
  return Status::Ok();
}

Store::~Store() {
  regions_->StopSplitter();
  database_->files->Stop();
  if (!started_) {
    return;
  }
  // TUNING: replaying a megabyte of log at the next open is cheaper than one more small file.
  constexpr uint64_t kWorthFlushing = 1 << 20;
  uint64_t bytes = 0;
  db()->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
  if (bytes > kWorthFlushing && !writer_->read_only()) {
    writer_->FlushAll().PermitUncheckedError();  // the log has what fails here
  }
}

// The replay removed the log files with the nonces, so they are logged again: the store may be killed once more.
void Store::RecoverNonces() {
  recovered_nonces_ = database_->nonces.Take(NowMs() - kNonceLifeMs);
  rocksdb::WriteBatch batch;
  for (const LoggedNonce& one : recovered_nonces_) {
    batch.PutLogData(EncodeNonce(one)).PermitUncheckedError();
  }
  if (!recovered_nonces_.empty()) {
    // on a full disk, they last until the store closes
    db()->Write(rocksdb::WriteOptions(), &batch).PermitUncheckedError();
  }
}

int64_t Store::NowMs() const { return database_->NowMs(); }
const StoreOptions& Store::options() const { return database_->options; }
rocksdb::DB* Store::db() const { return database_->db.get(); }

std::unique_ptr<rocksdb::Iterator> Store::NewIterator(const Family& family, const rocksdb::ReadOptions& options) const {
  const bool filters = !options.total_order_seek && family.descriptor.bloom != BloomKind::kNone;
  return database_->blocks->NewIterator(db(), options, family.handle.get(), filters);
}

OpenSnapshots& Store::open_snapshots() const { return *database_->open_snapshots; }
uint64_t Store::LastSequence() const { return db()->GetLatestSequenceNumber(); }
uint64_t Store::Rewrites() const { return database_->events->rewrites.load(std::memory_order_acquire); }

Status Store::Write(WriteSet* writes, Durability durability) {
  // Families are flushed one by one, so a write that spans several is always logged: a crash must not tear a row.
  if (durability == Durability::kSkipWal && writes->several_families()) {
    durability = Durability::kAsyncWal;
  }
  return writer_->Write(durability, writes->batch());
}

}  // namespace klip::engine
