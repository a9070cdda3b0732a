#include "table/embedded_connection.h"

#include <utility>

#include "engine/store/views.h"
#include "klip/index.h"
#include "rowkey/index_definition.h"
#include "table/admin/embedded_admin.h"
#include "table/embedded_table.h"
#include "table/info/unhosted.h"
#include "table/load/bulk_loader.h"
#include "table/observers.h"

namespace klip::table {

EmbeddedConnection::EmbeddedConnection(std::unique_ptr<engine::Store> store, Settings settings)
    : shared_(std::move(store), std::move(settings)), admin_(std::make_unique<EmbeddedAdmin>(&shared_)) {
  shared_.settings.attached->connection = this;
}

EmbeddedConnection::~EmbeddedConnection() = default;

Admin& EmbeddedConnection::admin() { return *admin_; }

void EmbeddedConnection::Serve(ServerName server, std::string cluster_id,
                               std::function<std::vector<SlowCall>(const SlowCallQuery&)> slow_calls) {
  admin_->Serve(std::move(server), std::move(cluster_id), std::move(slow_calls));
}

Expected<SlotPtr> EmbeddedConnection::FindSlot(std::string_view name) { return shared_.FindSlot(name); }

std::unique_ptr<EmbeddedTable> EmbeddedConnection::OpenTable(SlotPtr slot) {
  return std::make_unique<EmbeddedTable>(&shared_, std::move(slot));
}

Expected<std::unique_ptr<EmbeddedTable>> EmbeddedConnection::OpenTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(SlotPtr slot, FindSlot(name));
  KLIP_RETURN_IF_ERROR(slot->Current().status());
  return OpenTable(std::move(slot));
}

std::vector<EmbeddedConnection::IndexState> EmbeddedConnection::IndexStates() {
  std::vector<IndexState> states;
  for (const engine::TablePtr& view : store().views().All()) {
    if (view->indexes.empty()) {
      continue;
    }
    const Expected<std::vector<IndexInfo>> listed = (*admin_->indexes())->ListIndexes(view->descriptor.name);
    const Expected<InfoPtr> info = shared_.SlotOf(view->descriptor.name)->Current();
    if (!listed.ok() || !info.ok() || (*info)->indexes == nullptr) {
      continue;  // dropped meanwhile
    }
    for (const IndexInfo& one : *listed) {
      if (const TableIndex* const index = (*info)->indexes->Find(one.index.name); index != nullptr) {
        states.push_back({view->descriptor.name, one.index.name, one.building, one.skipped, index->counters});
      }
    }
  }
  return states;
}

Expected<std::unique_ptr<Table>> EmbeddedConnection::GetTable(std::string_view name) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedTable> table, OpenTable(name));
  return std::unique_ptr<Table>(std::move(table));
}

Expected<std::unique_ptr<BulkLoader>> EmbeddedConnection::NewBulkLoader(std::string_view table) {
  return MakeBulkLoader(&shared_, table);
}

Expected<std::unique_ptr<EmbeddedConnection>> OpenEmbedded(std::string_view directory, const ConnectionOptions& options,
                                                           StoreExtensions extensions) {
  if (directory.empty()) {
    return Status(Code::kInvalidArgument, "no directory in 'klip:': write klip:<directory>");
  }
  KLIP_ASSIGN_OR_RETURN(std::shared_ptr<Attached> attached, Attach(options));
  const bool unhosted = extensions.hooks == nullptr && !options.ignore_coprocessors;
  if (unhosted) {
    extensions.storage_hooks = KeepUnhosted();
  }
  engine::StoreOptions store_options;
  store_options.path = std::string(directory);
  store_options.create_if_missing = options.create_if_missing;
  store_options.read_only = options.read_only;
  store_options.block_cache_bytes = options.block_cache_bytes;
  store_options.memtable_bytes = options.memtable_bytes;
  store_options.sync_wal = options.sync_wal;
  store_options.sanity_checks = options.table_sanity_checks;
  store_options.clock_ms = options.clock_ms;
  store_options.parse_row_key = ParseKeyParts;
  store_options.index_key_parts = IndexKeyParts;
  store_options.check_table = [modules = attached->modules,
                               others = std::move(extensions.check_table)](const TableDescriptor& table) {
    const Status status = modules == nullptr ? Status::Ok() : modules->Check(table);
    return !status.ok() || others == nullptr ? status : others(table);
  };
  store_options.storage_hooks = extensions.storage_hooks;
  store_options.check_indexes = rowkey::CheckIndexes;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<engine::Store> store, engine::Store::Open(std::move(store_options)));
  Settings settings = {.limits = {options.max_cell_bytes, options.max_row_read_bytes},
                       .row_clock = options.clock_ms == nullptr,
                       .hooks = ObserversBefore(attached, std::move(extensions.hooks)),
                       .refuse_unhosted = unhosted,
                       .admin_hooks = extensions.admin_hooks,
                       .attached = std::move(attached),
                       .slow = {options.slow_operation_ms * 1000, options.slow_operation_log},
                       .query_log = options.query_log,
                       .heat = std::make_shared<HeatMaps>(options.clock_ms)};
  return std::make_unique<EmbeddedConnection>(std::move(store), std::move(settings));
}

}  // namespace klip::table
