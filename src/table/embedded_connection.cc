#include "table/embedded_connection.h"

#include <utility>

#include "table/bulk_loader.h"
#include "table/embedded_admin.h"
#include "table/embedded_table.h"
#include "table/prepend_queue.h"

namespace klip::table {

Shared::Shared(std::unique_ptr<engine::Store> open_store, Limits open_limits)
    : store(std::move(open_store)), limits(open_limits) {
  watch_ = store->WatchTables([this](const std::string& table) { Renew(table); });
}

Shared::~Shared() { store->Unwatch(watch_); }

void Shared::Renew(const std::string& name) {
  SlotPtr slot;
  {
    const std::lock_guard lock(mutex_);
    const auto at = slots_.find(name);
    if (at == slots_.end()) {
      return;
    }
    slot = at->second;
  }
  if (slot->Current().ok()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  slots_.erase(name);  // who has it goes on with it
}

SlotPtr Shared::SlotOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  SlotPtr& slot = slots_[name];
  if (slot == nullptr) {
    slot = std::make_shared<TableSlot>(store.get(), name);
  }
  return slot;
}

std::shared_ptr<PrependQueue> Shared::PrependsOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<PrependQueue>& queue = prepends_[name];
  if (queue == nullptr) {
    queue = std::make_shared<PrependQueue>();
  }
  return queue;
}

EmbeddedConnection::EmbeddedConnection(std::unique_ptr<engine::Store> store, Limits limits)
    : shared_(std::move(store), limits), admin_(std::make_unique<EmbeddedAdmin>(shared_.store.get())) {}

EmbeddedConnection::~EmbeddedConnection() = default;

Admin& EmbeddedConnection::admin() { return *admin_; }

void EmbeddedConnection::Serve(ServerName server, std::string cluster_id) {
  admin_->Serve(std::move(server), std::move(cluster_id));
}

Expected<SlotPtr> EmbeddedConnection::FindSlot(std::string_view name) {
  // Clients may ask for any name: one that is no table gets no slot.
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, shared_.store->GetTable(name));
  return shared_.SlotOf(view->descriptor.name);
}

std::unique_ptr<EmbeddedTable> EmbeddedConnection::OpenTable(SlotPtr slot) {
  return std::make_unique<EmbeddedTable>(&shared_, std::move(slot));
}

Expected<std::unique_ptr<EmbeddedTable>> EmbeddedConnection::OpenTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(SlotPtr slot, FindSlot(name));
  KLIP_RETURN_IF_ERROR(slot->Current().status());
  return OpenTable(std::move(slot));
}

Expected<std::unique_ptr<Table>> EmbeddedConnection::GetTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedTable> table, OpenTable(name));
  return std::unique_ptr<Table>(std::move(table));
}

Expected<std::unique_ptr<BulkLoader>> EmbeddedConnection::NewBulkLoader(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, shared_.store->GetTable(table));
  KLIP_ASSIGN_OR_RETURN(InfoPtr info, shared_.SlotOf(view->descriptor.name)->Current());
  KLIP_RETURN_IF_ERROR(info->CheckWritable());
  return MakeBulkLoader(shared_.store.get(), std::move(info), shared_.limits);
}

Expected<std::unique_ptr<EmbeddedConnection>> OpenEmbedded(std::string_view directory,
                                                           const ConnectionOptions& options) {
  if (directory.empty()) {
    return Status(Code::kInvalidArgument, "no directory in 'klip:': write klip:<directory>");
  }
  engine::StoreOptions store_options;
  store_options.path = std::string(directory);
  store_options.create_if_missing = options.create_if_missing;
  store_options.block_cache_bytes = options.block_cache_bytes;
  store_options.memtable_bytes = options.memtable_bytes;
  store_options.sync_wal = options.sync_wal;
  store_options.sanity_checks = options.table_sanity_checks;
  store_options.clock_ms = options.clock_ms;
  store_options.parse_row_key = ParseKeyParts;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<engine::Store> store, engine::Store::Open(std::move(store_options)));
  return std::make_unique<EmbeddedConnection>(std::move(store),
                                              Limits{options.max_cell_bytes, options.max_row_read_bytes});
}

}  // namespace klip::table
