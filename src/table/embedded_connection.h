// Connection on a store of this process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/store/store.h"
#include "klip/connection.h"
#include "table/checks.h"
#include "table/table_info.h"
#include "table/thread_pool.h"

namespace klip::table {

class EmbeddedAdmin;
class EmbeddedTable;
class PrependQueue;

// What the tables of a connection share. Lives as long as the connection.
struct Shared {
  Shared(std::unique_ptr<engine::Store> open_store, Limits open_limits);
  ~Shared();

  // The slot of the table as it is called in the catalog.
  SlotPtr SlotOf(const std::string& name);
  std::shared_ptr<PrependQueue> PrependsOf(const std::string& name);

  std::unique_ptr<engine::Store> store;
  Limits limits;
  ThreadPool pool;  // of parallel scans; before the store is closed it must be idle

 private:
  void Renew(const std::string& name);  // the slot of a table that is not as it was

  uint64_t watch_ = 0;
  std::mutex mutex_;
  std::map<std::string, SlotPtr, std::less<>> slots_;                           // guarded by mutex_
  std::map<std::string, std::shared_ptr<PrependQueue>, std::less<>> prepends_;  // guarded by mutex_
};

class EmbeddedConnection final : public Connection {
 public:
  EmbeddedConnection(std::unique_ptr<engine::Store> store, Limits limits);
  ~EmbeddedConnection() override;

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override;
  Admin& admin() override;
  Expected<bool> Apply(const AtomicBatch& batch) override { return Apply(batch, {}); }
  Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view table) override;

  // The same under a client's nonce, which is logged with the changes: see engine::Store::RecoveredNonces.
  Expected<bool> Apply(const AtomicBatch& batch, const engine::Nonce& nonce);
  // GetTable with its type. Errors: kTableNotFound.
  Expected<std::unique_ptr<EmbeddedTable>> OpenTable(std::string_view name);
  // In two steps, for those who keep the slot too. Errors: kTableNotFound.
  Expected<SlotPtr> FindSlot(std::string_view name);
  std::unique_ptr<EmbeddedTable> OpenTable(SlotPtr slot);

  engine::Store& store() { return *shared_.store; }
  // What operations of this module take.
  Shared& shared() { return shared_; }
  // The name and cluster id that Admin reports. To be called before the first call of the interface.
  void Serve(ServerName server, std::string cluster_id);

 private:
  Shared shared_;
  std::unique_ptr<EmbeddedAdmin> admin_;
};

// "klip:<directory>". Errors: those of Connection::Open.
Expected<std::unique_ptr<EmbeddedConnection>> OpenEmbedded(std::string_view directory,
                                                           const ConnectionOptions& options);

}  // namespace klip::table
