#include "table/load/loaded_entries.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/store/storage.h"

namespace klip::table {
namespace {

constexpr size_t kGroupRows = 256;            // TUNING: their data stays in the processor's cache
constexpr size_t kEntryFileBytes = 64 << 20;  // like other loaded files

bool HasUnique(const TableIndexes& indexes) {
  return std::ranges::any_of(indexes.all, [](const TableIndex& index) { return index.definition.descriptor.unique; });
}

bool HasMarkers(const IndexedCells& cells) {
  return std::ranges::any_of(cells, [](const std::vector<model::StoredCell>& of_family) {
    return std::ranges::any_of(of_family, [](const model::StoredCell& cell) { return cell.type != CellType::kPut; });
  });
}

}  // namespace

Status LoadedEntries::Run() {
  // A unique index compares the values of all rows with each other.
  const size_t most = HasUnique(*table_->indexes) ? SIZE_MAX : kGroupRows;
  StartGroup();
  bool markers = false;
  const auto add_row = [&](const std::string& row, IndexedCells cells) {
    markers = markers || HasMarkers(cells);
    KLIP_RETURN_IF_ERROR(group_->CollectRow(row, std::move(cells)));
    return ++group_rows_ < most ? Status::Ok() : EndGroup();
  };
  KLIP_RETURN_IF_ERROR(files_->ForEachRow(table_->indexes->families, add_row));
  KLIP_RETURN_IF_ERROR(EndGroup());
  if (markers) {
    // A marker in a file masks no put that exists only in memory, so no compaction can drop the marker without the put
    // (model/shown_versions.h).
    KLIP_RETURN_IF_ERROR(shared_->store->storage().FlushFamilies(table_->view->AllFamilies()));
  }
  return writes_.empty() ? Status::Ok() : EndFile();
}

void LoadedEntries::StartGroup() {
  const RowSource source(shared_->store.get(), shared_->settings.limits);
  group_.emplace(source, table_, shared_->store->NowMs());
  group_rows_ = 0;
}

Status LoadedEntries::EndGroup() {
  KLIP_RETURN_IF_ERROR(group_->CheckUnique());
  group_->AddTo(&writes_);
  group_->Count();
  StartGroup();
  return writes_.size_bytes() < kEntryFileBytes ? Status::Ok() : EndFile();
}

Status LoadedEntries::EndFile() {
  KLIP_RETURN_IF_ERROR(files_->AddOver(table_->view, writes_));
  writes_.Clear();
  return Status::Ok();
}

}  // namespace klip::table
