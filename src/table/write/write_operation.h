// WriteOperation: the one way in which anything is written to a table, for all front ends.
//
//   prepare   no locks        finds the tables, checks changes and conditions; hooks that may call anything
//   lock      waits           tables by name, then rows by lock: one order for all operations, so none can deadlock
//   apply     locks held      the row clock, conditions, cells into one WriteSet; hooks that may read and add changes; then
//                             the effects of the cells on indexes (index_update.h)
//   commit    locks held      one write batch, with the nonce and the requested durability
//   finish    no locks        counters, slow log; hooks that may call anything
//
// Kinds of operations differ only in the data of their WriteRequest. Example, a CheckAndMutate with two puts: one table,
// one condition, two changes. Apply evaluates the condition under the row's lock, and either adds the cells of both puts
// or ends the operation with nothing written.
//
// Bulk loads of files go through the same phases in load/bulk_write.h.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/log/cluster_id.h"
#include "engine/log/nonce.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/table_lock.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "table/info/heat_timer.h"
#include "table/info/hooks.h"
#include "table/info/shared.h"
#include "table/read/row_source.h"
#include "table/write/change.h"
#include "table/write/index_update.h"

namespace klip::table {

enum class WriteKind : uint8_t {
  kPut,
  kDelete,
  kIncrement,
  kAppend,
  kRowMutations,
  kCheckAndMutate,
  kBatch,
  kPrepend,
  kAtomicBatch,
  kReplicated,
  kBulkLoad,
  kTransaction,
};
std::string_view NameOf(WriteKind kind);

// A test of one row, and its result after the operation.
struct Condition {
  uint32_t table = 0;  // its index among the tables of the operation
  std::string_view row;
  const RowCondition* condition = nullptr;
};

// Set for the commit of a transaction. All its changes without a timestamp get one timestamp.
struct TransactionCommit {
  int64_t least_ms = 0;  // the minimum of that timestamp
  // Called with all rows locked, before they are written; its error ends the operation. `place`: in the CommitLog; 0: it
  // is closed.
  std::function<Status(CommitLog::Place place)> validate;
};

// What to write. All that it refers to outlives the operation.
struct WriteRequest {
  WriteKind kind = WriteKind::kPut;
  std::span<const SlotPtr> tables;                 // in the order of their names, each once
  std::span<Change> changes;                       // in the order requested
  std::span<const Condition> conditions = {};      // all must hold, or nothing is written
  bool each_by_itself = false;                     // a rejected change gets a status; otherwise it fails the operation
  engine::Nonce nonce = {};                        // logged with the changes
  bool repeated = false;                           // increments and appends were executed before, under the same nonce
  std::optional<Durability> durability = {};       // overrides the strongest durability of the changes
  const engine::ClusterIds* clusters = nullptr;    // for replicated cells: the clusters that have them
  const TransactionCommit* transaction = nullptr;  // null: not a transaction
  Result* result = nullptr;                        // receives the cells of increments and appends; null: not wanted
  bool* written = nullptr;                         // set once the changes are written, even if hooks fail the call then
};

// Whether this thread runs a hook of an operation that has locked its tables and rows.
bool HooksHoldLocks();

// While it exists, such a hook may write. Each of its writes is an operation of its own, which is committed before the
// one that runs the hook. It may write rows that are locked for that one. For others it waits out of order, so two hooks may
// wait for each other: as in HBase, one of them then gets an error after kRowLockWait.
class NestedWrites {
 public:
  NestedWrites();
  ~NestedWrites();
  NestedWrites(const NestedWrites&) = delete;
  NestedWrites& operator=(const NestedWrites&) = delete;

 private:
  const bool outer_;
};

// Runs once.
class WriteOperation {
 public:
  WriteOperation(Shared* shared, const WriteRequest& request);
  ~WriteOperation();

  // True: written, or a hook answered so. False: a condition did not hold. Errors: kCancelled, kTableNotFound,
  // kTableNotEnabled, kDoNotRetry (read-only table), those of checks.h, of hooks and of Store::Write, and of IndexUpdate;
  // kRegionTooBusy if rows of changes that hooks add, or values of unique indexes, stay locked; HBase's IOException if a
  // row stays locked for kRowLockWait.
  Expected<bool> Run();

 private:
  class HookView;
  struct TableUse {
    TableSlot* slot = nullptr;
    InfoPtr info;
    std::shared_lock<engine::TableLock> lock;
  };
  enum class Outcome : uint8_t { kApplied, kNothing, kLockMore };

  Status Prepare();
  Status RunLocked();
  Status Lock();
  Expected<Outcome> Apply();
  Status Commit();
  Status Finish();

  Status LookUpTables();
  void LockTables();
  void LockTable(TableUse* table);
  Status LockRows();
  std::vector<engine::RowLockId> WithoutOuter(std::vector<engine::RowLockId> ids) const;
  Status TimedOut(engine::RowLockId busy) const;
  Status Check();
  void RejectJoined();
  Expected<bool> ConditionsHold();
  void SetTimes();
  void GiveRowsOneTime();
  Status AddCellsOf(Change* change);
  CommitLog::Place Log();
  Status WriteAll(CommitLog::Place place);
  void NoteRows();
  void Count();
  void Unlock();

  // Calls `call` with each hook and its view of the operation, in the order of the tables.
  void ViewHooks();
  template <typename Call>
  Status CallHooks(Call call);
  // Calls hooks while locks are held: writes by the hooks themselves fail, except in NestedWrites.
  template <typename Run>
  Status WithLocksHeld(Run run);
  template <typename Call>
  Status CallLockedHooks(Call call);
  bool IsAdded(const Change& change) const;
  Status CallComputed(const Change& change, std::vector<ComputedCell>* cells);
  Status AddChange(uint32_t table, const Mutation& mutation);
  Expected<Outcome> LockAdded();
  Expected<uint32_t> IndexOfTable(std::string_view name);
  Expected<Outcome> UpdateIndexes();

  const TableInfo& InfoOf(const Change& change) const { return *tables_[change.table].info; }
  template <typename Visit>
  Status ForEachChange(Visit visit);  // of the request, then of hooks; skips rejected and omitted ones

  Shared* const shared_;
  const WriteRequest request_;
  const RowSource source_;
  OperationTimer timer_;
  const HeatTimer heat_;
  std::vector<TableUse> tables_;  // those of the request, then those of changes that hooks add
  uint64_t version_ = 0;          // of the store, when the tables were found
  bool has_hooks_ = false;
  std::optional<bool> answer_;  // by a hook, instead of the condition
  Status written_status_;       // of the hooks that were called when the changes were written

  const WriteOperation* const outer_;  // whose hook runs this operation; null: none
  engine::RowLocks rows_;              // without those that outer ones hold
  std::optional<ScratchWrites> writes_;
  std::vector<IndexUpdate> index_updates_;
  int64_t now_ms_ = 0;
  int64_t seen_ms_ = 0;  // the newest cell that a condition read
  bool written_ = false;
  size_t written_bytes_ = 0;
  Durability durability_ = Durability::kSkipWal;

  // Empty without hooks. Lists, since an empty list needs no memory and elements keep their addresses.
  std::list<HookView> views_;  // one for each hook, in calling order
  std::vector<SlotPtr> added_tables_;
  std::list<Mutation> edited_;
  std::list<std::pair<std::string, Mutation>> additions_;  // table, what to write
  std::list<std::pair<const Change*, Mutation>> companions_;
  std::vector<Change> added_;
  std::vector<engine::RowLockId> added_locks_;  // of changes that hooks add, and of values of unique indexes
};

}  // namespace klip::table
