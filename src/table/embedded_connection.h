// Connection on a store of this process.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "klip/connection.h"
#include "table/info/shared.h"

namespace klip::table {

class EmbeddedAdmin;
class EmbeddedTable;
struct Numbered;

class EmbeddedConnection final : public Connection {
 public:
  EmbeddedConnection(std::unique_ptr<engine::Store> store, Settings settings);
  ~EmbeddedConnection() override;

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override;
  Admin& admin() override;
  Expected<bool> Apply(const AtomicBatch& batch) override;
  Expected<std::unique_ptr<Transaction>> Begin(const TransactionOptions& options = {}) override;
  Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view table) override;

  // The same for a client that may send it twice.
  Expected<bool> Apply(const AtomicBatch& batch, const Numbered& number);
  // GetTable with its type. Errors: kTableNotFound.
  Expected<std::unique_ptr<EmbeddedTable>> OpenTable(std::string_view name);
  // GetTable in two steps, for callers that also keep the slot. Errors: kTableNotFound.
  Expected<SlotPtr> FindSlot(std::string_view name);
  std::unique_ptr<EmbeddedTable> OpenTable(SlotPtr slot);

  // One for each index, by table and name, for monitoring.
  struct IndexState {
    std::string table;
    std::string index;
    bool building = false;
    int64_t skipped = 0;  // as IndexInfo::skipped
    std::shared_ptr<const IndexCounters> counters;
  };
  std::vector<IndexState> IndexStates();

  engine::Store& store() { return *shared_.store; }
  // For the operations of this module.
  Shared& shared() { return shared_; }
  // Sets the name, cluster id and slow calls that Admin reports. Call it before the first call of the interface.
  void Serve(ServerName server, std::string cluster_id,
             std::function<std::vector<SlowCall>(const SlowCallQuery&)> slow_calls = nullptr);

 private:
  Shared shared_;
  std::unique_ptr<EmbeddedAdmin> admin_;
};

// Extensions of the tables by code above the store. All outlive the connection.
struct StoreExtensions {
  HookSource hooks = nullptr;  // which hooks the tables have; null: none
  engine::StorageHooks* storage_hooks = nullptr;
  AdminHooks* admin_hooks = nullptr;
  // Called with the sanity checks of a table that is created or changed. Its error rejects the table; HBase's text about
  // these checks is appended.
  std::function<Status(const TableDescriptor&)> check_table = nullptr;
};

// "klip:<directory>". Errors: those of Connection::Open.
Expected<std::unique_ptr<EmbeddedConnection>> OpenEmbedded(std::string_view directory, const ConnectionOptions& options,
                                                           StoreExtensions extensions = {});

}  // namespace klip::table
