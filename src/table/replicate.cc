// Cells that were written elsewhere and come with timestamps of their own.
#include <algorithm>
#include <vector>

#include "table/embedded_table.h"

namespace klip::table {
namespace {

// TUNING: as of a Batch.
constexpr size_t kCommitCells = 4096;

}  // namespace

Status EmbeddedTable::Replicate(std::span<const Cell> cells, const engine::ClusterIds& clusters) {
  while (!cells.empty()) {
    const std::span<const Cell> commit = cells.first(std::min(cells.size(), kCommitCells));
    cells = cells.subspan(commit.size());
    const auto writing = store().LockForWrite(name());
    KLIP_ASSIGN_OR_RETURN(const InfoPtr info, Writable());
    std::vector<engine::RowName> rows;
    for (size_t begin = 0, end = 0; begin < commit.size(); begin = end) {
      const auto of_row = [&](const Cell& cell) { return cell.row == commit[begin].row; };
      end = static_cast<size_t>(std::ranges::find_if_not(commit.subspan(begin), of_row) - commit.begin());
      KLIP_RETURN_IF_ERROR(CheckCells(*info, shared_->limits, commit.subspan(begin, end - begin)));
      rows.push_back({name(), commit[begin].row});
    }
    ScratchWrites writes;
    const engine::RowLocks locks = store().LockRows(rows);
    writes->BeginReplicated(clusters);
    for (const Cell& cell : commit) {
      writes->Add(*info->view->Find(cell.family), cell.row, cell.qualifier, cell.timestamp_ms, cell.type, cell.value,
                  cell.tags);
    }
    writes->EndReplicated();
    KLIP_RETURN_IF_ERROR(store().Write(writes.get(), info->Resolve(Durability::kUseDefault)));
  }
  return Status::Ok();
}

}  // namespace klip::table
