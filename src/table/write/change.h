// Change: what a write operation does to one row. Only this file distinguishes kinds of mutations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/store/row_locks.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "table/info/checks.h"
#include "table/info/table_info.h"
#include "table/write/cells.h"

namespace klip::table {

// A mutation, or cells of one row that are written unchanged. Belongs to the caller of the operation.
using ChangeSource = std::variant<const Put*, const Delete*, const Increment*, const Append*, std::span<const Cell>>;

struct Change {
  // Implicit: a mutation is a change. NOLINTNEXTLINE(google-explicit-constructor)
  Change(ChangeSource change_source, uint32_t table_index = 0);

  ChangeSource source;
  std::string_view row;
  uint32_t table = 0;                       // its index among the tables of the operation
  engine::RowLockId lock = 0;               // of the row
  int64_t given_ms = 0;                     // its timestamp, if it has none
  bool left_out = false;                    // by a hook, or because its condition did not hold
  const RowCondition* condition = nullptr;  // for this change only: if it does not hold, the change is omitted
  int64_t seen_ms = 0;                      // the newest cell that the condition read
  bool joined = false;  // to the change before it: both are written, or neither, if it is rejected or left out
  // For a transaction, whose changes of a row are ordered: how much later this one is than the row's first, and whether
  // its markers of single versions without a timestamp refer to the version of that time.
  int64_t after_ms = 0;
  bool own_version = false;
  Status status;  // why the change was rejected, if the operation continues without it
};

// The change of a Put, Delete, Increment or Append, which must outlive it.
template <typename One>
void AddChanges(const One& mutation, std::vector<Change>* changes) {
  changes->emplace_back(&mutation);
}
void AddChanges(const Mutation& mutation, std::vector<Change>* changes);
void AddChanges(const RowMutations& mutations, std::vector<Change>* changes);

// The same for unchecked mutations. Errors: kWrongRow and kInvalidArgument for a mutation of another row than the
// RowMutations'.
Status TakeChanges(const RowMutations& mutations, std::vector<Change>* changes);
Status TakeChanges(const CheckAndMutate& check, std::vector<Change>* changes);

Status CheckChange(const TableInfo& info, const Limits& limits, const Change& change);
// Checks that a put's values for indexed columns have their types. Errors: kInvalidArgument.
Status CheckIndexed(const TableIndexes& indexes, const Change& change);
// Appends the change's cells to the step's WriteSet. See cells.h for errors.
Status AddCells(WriteStep* step, const Change& change);
Durability DurabilityOf(const TableInfo& info, const Change& change);
bool IsDelete(const Change& change);
// Whether it is an increment or append: it returns cells, and must not happen twice.
bool Counts(const Change& change);
// Whether the change has to read the row to know its cells.
bool ReadsRow(const Change& change);
// The approximate number of bytes that it adds to a commit.
size_t BytesOf(const Change& change);

}  // namespace klip::table
