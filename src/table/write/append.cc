// Converts appends to cells.
#include "table/write/change_cells.h"

namespace klip::table {

Status AddCells(WriteStep* step, const Append& append) {
  const int64_t max_bytes = step->info.max_cell_bytes.value_or(step->limits.max_cell_bytes);
  return ChangeCells(step, append, [&](const Append::Column& column, const Cell* cell, std::string* value) -> Status {
    value->clear();
    if (cell != nullptr) {
      value->append(cell->value);
    }
    value->append(column.value);
    // A cell that grew by appends must still be small enough to be put.
    if (max_bytes > 0 && value->size() > static_cast<size_t>(max_bytes)) {
      return {Code::kDoNotRetry, "Cell with size " + std::to_string(value->size()) + " exceeds limit of " +
                                     std::to_string(max_bytes) + " bytes"};
    }
    return Status::Ok();
  });
}

}  // namespace klip::table
