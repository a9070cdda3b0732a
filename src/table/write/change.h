// Change: what a write operation does to one row. This is the only place that tells kinds of mutations apart; everything else
// handles changes.
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

// A mutation, or cells of one row that are written as they are. Belongs to the caller of the operation.
using ChangeSource = std::variant<const Put*, const Delete*, const Increment*, const Append*, std::span<const Cell>>;

struct Change {
  // Implicit: a mutation is a change. NOLINTNEXTLINE(google-explicit-constructor)
  Change(ChangeSource change_source, uint32_t table_index = 0);

  ChangeSource source;
  std::string_view row;
  uint32_t table = 0;  // its index among the tables of the operation
  engine::RowStripe stripe = 0;
  bool left_out = false;                    // by a hook, or because its condition did not hold
  const RowCondition* condition = nullptr;  // of this change alone: it is left out when the condition does not hold
  // Of a transaction, whose changes of a row follow each other: how much later it is than the row's first, and whether its markers of
  // single versions without a timestamp mean the version of that time.
  int64_t after_ms = 0;
  bool own_version = false;
  Status status;  // why the change was refused, in an operation that goes on without it
};

// Of a Put, Delete, Increment or Append, which must outlive the changes.
template <typename One>
void AddChanges(const One& mutation, std::vector<Change>* changes) {
  changes->emplace_back(&mutation);
}
void AddChanges(const Mutation& mutation, std::vector<Change>* changes);
void AddChanges(const RowMutations& mutations, std::vector<Change>* changes);

// The same of what may come from anywhere. Errors: kWrongRow and kInvalidArgument for a mutation of another row than the whole.
Status TakeChanges(const RowMutations& mutations, std::vector<Change>* changes);
Status TakeChanges(const CheckAndMutate& check, std::vector<Change>* changes);

Status CheckChange(const TableInfo& info, const Limits& limits, const Change& change);
// Whether the values that a put has for indexed columns are of their types. Errors: kInvalidArgument.
Status CheckIndexed(const TableIndexes& indexes, const Change& change);
// Appends the change's cells to the step's WriteSet. See cells.h for errors.
Status AddCells(WriteStep* step, const Change& change);
Durability DurabilityOf(const TableInfo& info, const Change& change);
bool IsDelete(const Change& change);
// An increment or append: it returns cells, and must not happen twice.
bool Counts(const Change& change);
// The change has to read the row to know its cells.
bool ReadsRow(const Change& change);
// About how much it adds to a commit.
size_t BytesOf(const Change& change);

}  // namespace klip::table
