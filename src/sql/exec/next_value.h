// NEXT VALUE FOR, NEXT n VALUES FOR and CURRENT VALUE FOR.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sql/catalog/sequence.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// The numbers of a sequence for the rows of the batch that is being computed. As in Phoenix, each NEXT VALUE FOR of a row
// is the same number, and so is CURRENT VALUE FOR after it. Batches without a serial number are not remembered.
class NumbersOfRows {
 public:
  // Forgets those of other batches.
  void Enter(const Batch& batch);
  std::optional<int64_t> Find(uint32_t row) const {
    return row < numbers_.size() ? numbers_[row] : std::optional<int64_t>();
  }
  void Set(uint32_t row, int64_t number) {
    if (row < numbers_.size()) {
      numbers_[row] = number;
    }
  }

 private:
  const Batch* batch_ = nullptr;
  uint64_t serial_ = 0;
  std::vector<std::optional<int64_t>> numbers_;
};

// Takes numbers for each row, those of all rows of a batch at once: as many as `count` says, of which the row gets the first; null: one.
// `rows`: of all NEXT VALUE FOR and CURRENT VALUE FOR of a query. `sequences` must outlive it. Errors: 1201, no such sequence; 1215, the
// count is no positive whole number; 1216, a cycle has no blocks.
Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name, BoundPtr count,
                                 std::shared_ptr<NumbersOfRows> rows);
BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name, std::shared_ptr<NumbersOfRows> rows);

}  // namespace klip::sql
