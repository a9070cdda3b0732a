// OperationHooks: code that sees every operation on a table, whichever door it came through, and may change it.
//
// A table's hooks are an ordered chain in its TableInfo. Each hook is called once per operation and phase, in the order of the
// chain. What a hook may do follows from the locks that are held:
//
//   hook         phase    locks held                 it may
//   BeforeWrite  prepare  none                       call anything; replace, leave out, refuse or answer changes
//   Locked       lock     the tables and the rows    the same, but only read. Only of a write that has a condition
//   InWrite      apply    the same                   the same; add changes of any row; nothing that writes or waits
//   Written      commit   the same                   read what is now visible
//   AfterWrite   finish   none                       call anything; fail the call, although the data is written
//   OnGet        all      none                       call anything; change the question, the answer, or answer itself
//   OnScan       all      none                       call anything; change the question, wrap or replace the scanner
//
// Changes that InWrite adds are part of the same commit. Their rows are locked without waiting; if that fails, the operation
// releases all locks, takes them again in order, and InWrite is called again from the start.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/caller.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::table {

struct TableInfo;
struct Change;
enum class WriteKind : uint8_t;

// One of the files of a bulk load.
struct HFilePath {
  std::string family;
  std::string path;
};

// What a bulk load has, if it is one of HFiles.
struct LoadedFiles {
  std::span<const HFilePath> files;
  std::string_view row;  // of the region that they are for
};

// A write operation as its hooks see it: the changes of their table. Valid during the call.
class WriteContext {
 public:
  // What a hook keeps from its first call to its last, of one operation. Destroyed with the operation.
  struct State {
    virtual ~State() = default;
  };

  virtual ~WriteContext() = default;

  virtual const Caller& caller() const = 0;
  virtual WriteKind kind() const = 0;
  virtual const TableInfo& table() const = 0;
  virtual std::span<Change* const> changes() const = 0;  // none for a bulk load
  virtual LoadedFiles files() const { return {}; }
  // Of a CheckAndMutate; else null.
  virtual const RowCondition* condition() const = 0;
  // Written and AfterWrite: false when a condition did not hold, so that nothing was written.
  virtual bool written() const = 0;

  // Increments and appends: what the caller gets, from Written on. Null: it wants nothing.
  virtual Result* result() = 0;
  virtual std::unique_ptr<State>& state() = 0;

  // Up to InWrite: the mutation of a change, as a copy that belongs to the operation and may be edited. Null for cells that are
  // written as they are (replication).
  virtual Mutation* Edit(Change* change) = 0;
  // Up to InWrite: the caller is told that the change is done, and it is not written.
  virtual void LeaveOut(Change* change) = 0;
  // BeforeWrite and Locked, of a write with a condition: it ends with this answer, nothing is written.
  virtual void Answer(bool success) = 0;
  // InWrite: one more change in the same commit. Its table must exist; it is checked like any other mutation.
  virtual void Add(std::string_view table, Mutation mutation) = 0;
  // InWrite and Written: a row of any table as it is now. InWrite: before the operation.
  virtual Status Get(std::string_view table, const klip::Get& get, Result* result) = 0;
};

using RunGet = std::function<Status(const klip::Get&, Result*)>;
using OpenScan = std::function<Expected<std::unique_ptr<ResultScanner>>(const klip::Scan&)>;

class OperationHooks {
 public:
  virtual ~OperationHooks() = default;

  virtual Status BeforeWrite(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status Locked(WriteContext& /*write*/) { return Status::Ok(); }
  virtual Status InWrite(WriteContext& /*write*/) { return Status::Ok(); }
  virtual void Written(WriteContext& /*write*/) {}
  virtual Status AfterWrite(WriteContext& /*write*/) { return Status::Ok(); }

  // Reads by `run`, which asks the hooks that follow and then the store; or answers itself.
  virtual Status OnGet(const TableInfo& /*table*/, const klip::Get& get, const RunGet& run, Result* result) {
    return run(get, result);
  }
  // Opens the scanner by `open`, which asks the hooks that follow and then the store; or another one in its place. `open` may be
  // kept and called again, as long as the connection is there.
  virtual Expected<std::unique_ptr<ResultScanner>> OnScan(const TableInfo& /*table*/, const klip::Scan& scan,
                                                          const OpenScan& open) {
    return open(scan);
  }
};

using HookChain = std::vector<std::shared_ptr<OperationHooks>>;
using HookChainPtr = std::shared_ptr<const HookChain>;  // null: no hooks

// Which hooks a table has, from its descriptor. Asked each time the table has changed. Null: none.
using HookSource = std::function<HookChainPtr(const TableDescriptor&)>;

}  // namespace klip::table
