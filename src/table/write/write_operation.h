// WriteOperation: the one way in which anything is written to a table, whichever door it came through.
//
//   prepare   no locks        tables looked up, changes and conditions checked; hooks that may call anything
//   lock      waits           tables by name, then rows by stripe: one order for all operations, so none can deadlock
//   apply     locks held      the row clock, conditions, cells into one WriteSet; hooks that may read and add changes; then
//                             what the cells do to indexes (index_update.h)
//   commit    locks held      one write batch, with the nonce and the durability asked for
//   finish    no locks        counters, slow log; hooks that may call anything
//
// What is special about a kind of operation is data in its WriteRequest. Example, a CheckAndMutate with two puts: one table, one
// condition, two changes; apply evaluates the condition under the row's lock, and either adds the cells of both puts or ends the
// operation with nothing written.
//
// Files that are loaded in bulk pass the same phases in load/bulk_write.h.
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

// A test of one row, and its result once the operation has run.
struct Condition {
  uint32_t table = 0;  // its index among the tables of the operation
  std::string_view row;
  const RowCondition* condition = nullptr;
};

// Of a transaction that commits. All its changes without a time get one time.
struct TransactionCommit {
  int64_t least_ms = 0;  // which is not before this
  // Asked with all rows locked, before they are written; its error ends the operation. `place`: in the CommitLog; 0: it is closed.
  std::function<Status(CommitLog::Place place)> validate;
};

// What to write. All that it refers to outlives the operation.
struct WriteRequest {
  WriteKind kind = WriteKind::kPut;
  std::span<const SlotPtr> tables;               // in the order of their names, each once
  std::span<Change> changes;                     // in the order in which they were asked for
  std::span<const Condition> conditions = {};    // all must hold, or nothing is written
  bool each_by_itself = false;                   // a change that is refused gets a status; else it fails the operation
  engine::Nonce nonce = {};                      // goes into the log with the changes
  bool repeated = false;                         // increments and appends were done before, under the same nonce
  std::optional<Durability> durability = {};     // instead of the strongest that a change asks for
  const engine::ClusterIds* clusters = nullptr;  // of replicated cells: the clusters that have them
  const TransactionCommit* transaction = nullptr;  // null: it is none
  Result* result = nullptr;                        // gets the cells of increments and appends; null: nobody wants them
};

// Whether hooks of this thread hold locks: what waits for a row would wait for itself.
bool HooksHoldLocks();

// Runs once.
class WriteOperation {
 public:
  WriteOperation(Shared* shared, const WriteRequest& request);
  ~WriteOperation();

  // True: written, or answered by a hook as if it were. False: a condition did not hold.
  // Errors: kCancelled, kTableNotFound, kTableNotEnabled, kDoNotRetry (read-only table), those of checks.h, of hooks and of
  // Store::Write, and of IndexUpdate; kRegionTooBusy when the rows of changes that hooks add stay locked, or values of unique indexes.
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
  Status Lock();
  Expected<Outcome> Apply();
  Status Commit();
  Status Finish();

  Status LookUpTables();
  void LockTables();
  Status Check();
  Expected<bool> ConditionsHold();
  void SetTimes();
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
  // The same while locks are held: what they write themselves is refused.
  template <typename Call>
  Status CallLockedHooks(Call call);
  Expected<Outcome> LockAdded();
  Expected<uint32_t> IndexOfTable(std::string_view name);
  Expected<Outcome> UpdateIndexes();

  const TableInfo& InfoOf(const Change& change) const { return *tables_[change.table].info; }
  template <typename Visit>
  Status ForEachChange(Visit visit);  // of the request, then of hooks; those that are refused or left out are skipped

  Shared* const shared_;
  const WriteRequest request_;
  const RowSource source_;
  OperationTimer timer_;
  const HeatTimer heat_;
  std::vector<TableUse> tables_;  // those of the request, then those of changes that hooks add
  uint64_t version_ = 0;          // of the store, when the tables were looked up
  bool has_hooks_ = false;
  std::optional<bool> answer_;  // by a hook, in place of the condition

  engine::RowLocks rows_;
  std::optional<ScratchWrites> writes_;
  int64_t now_ms_ = 0;
  int64_t seen_ms_ = 0;  // the newest cell that a condition looked at
  bool written_ = false;
  size_t written_bytes_ = 0;
  Durability durability_ = Durability::kSkipWal;

  // Empty without hooks. Lists, since an empty one takes no memory and what is in one stays where it is.
  std::list<HookView> views_;  // one for each hook, in the order in which they are called
  std::vector<SlotPtr> added_tables_;
  std::list<Mutation> edited_;
  std::list<std::pair<std::string, Mutation>> additions_;  // table, what to write
  std::vector<Change> added_;
  std::vector<engine::RowStripe> added_stripes_;  // of changes that hooks add, and of values of unique indexes
};

}  // namespace klip::table
