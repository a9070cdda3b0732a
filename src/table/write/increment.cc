// Converts increments to cells.
#include "klip/bytes.h"
#include "table/write/change_cells.h"

namespace klip::table {

Status AddCells(WriteStep* step, const Increment& increment) {
  return ChangeCells(step, increment,
                     [](const Increment::Column& column, const Cell* cell, std::string* value) -> Status {
                       uint64_t sum = static_cast<uint64_t>(column.amount);  // unsigned: wraps around
                       if (cell != nullptr) {
                         if (cell->value.size() != sizeof(uint64_t)) {
                           return {Code::kDoNotRetry,
                                   "Field is not a long, it's " + std::to_string(cell->value.size()) + " bytes wide"};
                         }
                         sum += ReadBigEndian<uint64_t>(cell->value.data());
                       }
                       value->clear();
                       AppendBigEndian(sum, value);
                       return Status::Ok();
                     });
}

}  // namespace klip::table
