#include "table/admin/index_builder.h"

#include <algorithm>
#include <utility>

#include "engine/store/lock_table.h"
#include "engine/store/storage.h"
#include "table/write/cells.h"
#include "table/write/index_update.h"

namespace klip::table {
namespace {

constexpr const char* kPositionRow = kNoEntryRow;
constexpr const char* kPositionColumn = "position";

}  // namespace

Status IndexBuilder::Run() {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  // A marker in a file masks no put that exists only in memory, so no compaction can drop the marker without the put
  // (model/shown_versions.h).
  KLIP_RETURN_IF_ERROR(walk_.shared()->store->storage().FlushFamilies(found.info->view->AllFamilies()));
  KLIP_ASSIGN_OR_RETURN(std::string position, Position());
  KLIP_RETURN_IF_ERROR(
      walk_.ForEachGroup(std::move(position), [this](const std::vector<std::string>& rows) { return AddGroup(rows); }));
  return Finish();
}

// The last finished row, "" for none.
Expected<std::string> IndexBuilder::Position() const {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, walk_.Find());
  Result cells;
  KLIP_RETURN_IF_ERROR(walk_.source().Get(*found.index->entries,
                                          {.row = kPositionRow, .columns = {{kEntryFamily, kPositionColumn}}}, &cells));
  const Cell* const cell = cells.Find(kEntryFamily, kPositionColumn);
  return cell == nullptr ? std::string() : std::string(cell->value);
}

Status IndexBuilder::AddGroup(const std::vector<std::string>& rows) const {
  const Shared& shared = *walk_.shared();
  std::vector<engine::RowLockId> locks = walk_.LocksOf(rows);
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const LockedIndex locked, walk_.Lock(locks));
    IndexUpdate update(walk_.source(), locked.info.get(), shared.store->NowMs());
    KLIP_RETURN_IF_ERROR(update.CollectStored(*locked.index, rows));
    const std::vector<engine::RowLockId> values = update.UniqueLocks();
    if (!std::ranges::all_of(values, [&](engine::RowLockId id) { return locked.rows.Holds(id); })) {
      locks.insert(locks.end(), values.begin(), values.end());
      continue;
    }
    KLIP_RETURN_IF_ERROR(update.CheckUnique());
    ScratchWrites writes;
    update.AddTo(writes.get());
    writes->Add(*locked.index->family, kPositionRow, kPositionColumn, 0, CellType::kPut, rows.back());
    KLIP_RETURN_IF_ERROR(shared.store->Write(writes.get(), Durability::kAsyncWal));
    update.Count();
    IndexCounters::Add(&locked.index->counters->built_rows, static_cast<int64_t>(rows.size()));
    return Status::Ok();
  }
}

// Syncs the log, and with it all unsynced writes before.
Status IndexBuilder::Finish() const {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex locked, walk_.Lock({}));
  ScratchWrites writes;
  writes->Remove(*locked.index->family, kPositionRow, kPositionColumn, 0);
  return walk_.shared()->store->Write(writes.get(), Durability::kSyncWal);
}

}  // namespace klip::table
