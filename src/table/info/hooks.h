// OperationHooks: code that sees every operation on a table, through all front ends, and may change it.
//
// A table's hooks are an ordered chain in its TableInfo. Each hook is called once per operation and phase, in the order
// of the chain. The locks held at the time limit what a hook may do:
//
//   hook         phase    locks held                 it may
//   BeforeWrite  prepare  none                       call anything; replace, omit, reject or answer changes
//   Locked       lock     the tables and the rows    the same, but only read. Only for a write with a condition
//   InWrite      apply    the same                   the same; add changes of any row; not write or wait
//   Computed     apply    the same                   replace the new cells of an increment or append
//   BeforeCommit commit   the same                   see all cells; fail the operation
//   Written      commit   the same                   read what is now visible; fail the call, although the data is written
//   AfterWrite   finish   none                       call anything; fail the call, although the data is written
//   Failed       finish   none                       call anything. In place of AfterWrite, if the operation failed after Locked
//   OnGet        all      none                       call anything; change the request or the answer, or answer itself
//   OnScan       all      none                       call anything; change the request, wrap or replace the scanner
//
// Changes that InWrite adds belong to the same commit. Their rows are locked without waiting. If that fails, the
// operation releases all locks, takes them again in order, and calls InWrite again from the start.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/caller.h"
#include "klip/coprocessor.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::table {

struct TableInfo;
struct Change;
enum class WriteKind : uint8_t;

// Set for a bulk load of HFiles.
struct LoadedFiles {
  std::span<const LoadedFile> files;
  std::string_view row;  // of the region that they are for
};

// A write operation as its hooks see it: the changes of their table. Valid during the call.
class WriteContext {
 public:
  // The state that a hook keeps during one operation, from its first call to its last.
  struct State {
    virtual ~State() = default;
  };

  virtual ~WriteContext() = default;

  virtual const Caller& caller() const = 0;
  virtual WriteKind kind() const = 0;
  virtual const TableInfo& table() const = 0;
  virtual std::span<Change* const> changes() const = 0;  // empty for a bulk load
  virtual LoadedFiles files() const { return {}; }
  // Of a CheckAndMutate; else null.
  virtual const RowCondition* condition() const = 0;
  // Whether a change may be rejected alone, by its status, and the others are written.
  virtual bool each_by_itself() const { return false; }
  // Written and AfterWrite: false if a condition did not hold, so that nothing was written.
  virtual bool written() const = 0;

  // Increments and appends: the caller's result, from Written on. Null: the caller wants none.
  virtual Result* result() = 0;
  virtual std::unique_ptr<State>& state() = 0;

  // Up to InWrite: the mutation of a change, as a copy that belongs to the operation and may be edited. Null for cells
  // that are written unchanged (replication).
  virtual Mutation* Edit(Change* change) = 0;
  // Up to InWrite: replaces it by one of the same row. False: as above.
  virtual bool Replace(Change* /*change*/, Mutation /*mutation*/) { return false; }
  // Up to InWrite: reports the change as done, but does not write it.
  virtual void LeaveOut(Change* change) = 0;
  // Up to InWrite: writes `mutation` of the same row if the change is written; replaces an earlier one. nullopt: none.
  virtual void SetCompanion(Change* /*change*/, std::optional<Mutation> /*mutation*/) {}
  // BeforeWrite and Locked, for a write with a condition: ends it with this answer, without writing.
  virtual void Answer(bool success) = 0;
  // InWrite: adds a change to the same commit. Its table must exist; it is checked like any other mutation.
  virtual void Add(std::string_view table, Mutation mutation) = 0;
  // InWrite and Written: reads a row of any table. InWrite: its state before the operation.
  virtual Status Get(std::string_view table, const klip::Get& get, Result* result) = 0;
  // BeforeCommit and Written: calls `take` with each cell of the commit in this table. The cell is valid during the call.
  virtual void ForEachCell(const std::function<void(const Cell& cell)>& take) const = 0;
  // BeforeCommit and Written: false for Durability::kSkipWal.
  virtual bool logged() const = 0;
};

using RunGet = std::function<Status(const klip::Get&, Result*)>;
using OpenScan = std::function<Expected<std::unique_ptr<ResultScanner>>(const klip::Scan&)>;

class OperationHooks {
 public:
  virtual ~OperationHooks() = default;

  virtual Status BeforeWrite(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status Locked(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status InWrite(WriteContext& /*write*/) { return Status::Ok(); }
  // Called for each increment and append that the caller has requested, with its new cells, and again with InWrite. It may
  // replace them by puts of the same row, which are checked; the caller's result stays the same.
  virtual Status Computed(WriteContext& /*write*/, const Change& /*change*/, std::vector<ComputedCell>* /*cells*/) {
    return Status::Ok();
  }
  virtual Status BeforeCommit(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status Written(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status AfterWrite(WriteContext& /*write*/) { return Status::Ok(); }
  virtual void Failed(WriteContext& /*write*/) {}

  // Reads through `run`, which calls the next hooks and then the store; or answers itself.
  virtual Status OnGet(const TableInfo& /*table*/, const klip::Get& get, const RunGet& run, Result* result) {
    return run(get, result);
  }
  // Opens the scanner through `open`, which calls the next hooks and then the store; or returns another one. `open` may
  // be kept and called again, as long as the connection exists.
  virtual Expected<std::unique_ptr<ResultScanner>> OnScan(const TableInfo& /*table*/, const klip::Scan& scan,
                                                          const OpenScan& open) {
    return open(scan);
  }
};

using HookChain = std::vector<std::shared_ptr<OperationHooks>>;
using HookChainPtr = std::shared_ptr<const HookChain>;  // null: no hooks

// Returns the hooks of a table, from its descriptor. Called after each change of the table. Null: none.
using HookSource = std::function<HookChainPtr(const TableDescriptor&)>;

}  // namespace klip::table
