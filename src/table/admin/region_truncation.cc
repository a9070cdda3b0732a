#include "table/admin/region_truncation.h"

#include <memory>
#include <string>
#include <vector>

#include "engine/read/stored_cells.h"
#include "engine/store/regions.h"
#include "klip/filter.h"
#include "table/read/row_source.h"
#include "table/write/cells.h"
#include "table/write/index_update.h"

namespace klip::table {
namespace {

constexpr size_t kTruncatedRows = 256;  // TUNING: per commit

// REQUIRES: nobody writes to the table.
Status RemoveRows(const Shared& shared, const TableInfo& table, const std::vector<std::string>& rows) {
  const RowSource source(shared.store.get(), shared.settings.limits);
  IndexUpdate update(source, &table, shared.store->NowMs());
  ScratchWrites writes;
  for (const std::string& row : rows) {
    KLIP_RETURN_IF_ERROR(update.CollectRemoval(row));
    for (const engine::Family& family : table.view->families) {
      KLIP_RETURN_IF_ERROR(engine::RemoveRow(*shared.store, family, row, writes.get()));
    }
  }
  update.AddTo(writes.get());
  if (!writes->empty()) {
    KLIP_RETURN_IF_ERROR(shared.store->Write(writes.get(), Durability::kSyncWal));
  }
  update.Count();
  return Status::Ok();
}

Status RemoveRegion(const Shared& shared, const TableInfo& table, const engine::Region& region) {
  engine::RowScanSpec spec;
  spec.scan = {.start_row = region.start_key, .stop_row = region.end_key, .raw = true, .cache_blocks = false};
  spec.filter = FirstKeyOnlyFilter();
  const RowSource source(shared.store.get(), shared.settings.limits);
  KLIP_ASSIGN_OR_RETURN(const auto scanner, source.Open(table, std::move(spec)));
  std::vector<std::string> rows;
  Result row;
  KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
  while (more) {
    if (rows.empty() || rows.back() != row.row()) {
      rows.emplace_back(row.row());
    }
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    if (rows.size() == kTruncatedRows || !more) {
      KLIP_RETURN_IF_ERROR(RemoveRows(shared, table, rows));
      rows.clear();
    }
  }
  return Status::Ok();
}

}  // namespace

Status TruncateRegion(Shared* shared, std::string_view table, std::string_view start_key) {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared->FindSlot(table));
  const Status status = shared->store->regions().TruncateRegion(table, start_key, [&](const engine::Region& region) {
    shared->conflicts.NoteTable(slot->name(), shared->store->LastSequence() + 1);  // writers are blocked
    KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
    return info->indexes == nullptr ? Status::Ok() : RemoveRegion(*shared, *info, region);
  });
  shared->conflicts.NoteTable(slot->name(), shared->store->LastSequence());
  return status;
}

}  // namespace klip::table
