// The program's own coprocessors, as plain classes. An Observer sees every operation on a table, from every front end,
// and may change it. An Endpoint is a function that runs where the rows are. A program registers them when it opens the
// store:
//
//   class ByDay final : public klip::Observer {
//     klip::Status PostPut(klip::ChangeEvent& event, const klip::Put& put) override {
//       KLIP_ASSIGN_OR_RETURN(auto index, event.GetTable("INDEX_TBL"));
//       return index->Put(IndexRowOf(put));
//     }
//   };
//   klip::ConnectionOptions options;
//   options.observers.push_back({.tables = klip::TableNamed("visits"), .observer = std::make_shared<ByDay>()});
//   auto connection = klip::Connection::Open("klip:/data", options);
//
// The functions have the names and semantics of HBase's RegionObserver. They run without a sandbox, in the program itself, and
// must not throw exceptions. One object serves all regions of its tables and all threads at once, so it must be thread-safe.
// The store holds it until the connection is closed. docs/coprocessors.md lists the differences from HBase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "klip/admin.h"
#include "klip/caller.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip {

class Connection;

// The context of every call of a coprocessor. Valid during the call.
class CoprocessorContext {
 public:
  virtual ~CoprocessorContext() = default;

  // As it was when the operation began.
  virtual const TableDescriptor& table() const = 0;
  // The caller of the operation. Calls that the coprocessor makes run on behalf of the same caller.
  virtual const Caller& caller() const = 0;
  // The store's connection. Null while the operation holds locks: a write through any other handle then fails with
  // kUnsupported, because it could deadlock with the operation.
  virtual Connection* connection() const = 0;
  // A table of the store. Its observers see the calls made on it, so a write to the observed table calls the observer
  // again. Errors: kTableNotFound; kUnsupported while the operation holds locks.
  virtual Expected<std::unique_ptr<Table>> GetTable(std::string_view name) const = 0;
};

// One mutation of a write.
class ChangeEvent : public CoprocessorContext {
 public:
  // In PrePut and similar: a copy of the mutation. The store writes the copy instead, and later observers see it. Its row
  // and kind must stay the same, or the write fails. Null for cells from replication, which must not change, and when it
  // is too late for edits.
  virtual Mutation* Edit() = 0;
  // In PrePut and similar: skips the write, and reports success to the caller. Later observers do not see the mutation in
  // PrePut, but PostPut and similar run as if it had been written, as in HBase.
  virtual void Bypass() = 0;
  // For increments and appends: the result for the caller, all cells of its operation. Set from PostIncrement on; before
  // that, an observer that bypasses sets it. Null: the caller requested no result.
  virtual Result* result() = 0;
};

// A cell that an increment or append is about to store, with all of its parts. Its row is the mutation's.
struct ComputedCell {
  const Cell* old = nullptr;  // the cell whose value it extends; null: no such cell exists. Valid during the call
  std::string family;
  std::string qualifier;
  int64_t timestamp_ms = kLatestTimestamp;  // kLatestTimestamp: the time of the commit
  std::string value;
  std::string tags;
};

// Points to the mutation of an operation in its current form.
using MutationRef = std::variant<const Put*, const Delete*, const Increment*, const Append*>;

// All mutations of a write in one table.
class BatchEvent : public CoprocessorContext {
 public:
  // In the order of the request. Without mutations that were bypassed or refused.
  virtual std::span<const MutationRef> mutations() const = 0;
  // Before the commit, as in ChangeEvent. REQUIRES: index < mutations().size().
  virtual Mutation* Edit(size_t index) = 0;
  virtual void Bypass(size_t index) = 0;
  // In PreBatchMutate: adds a change of any row of any table to the commit. The store checks it as if the caller had sent
  // it; no observer sees it. An increment or append starts from the row as it was before the commit, so if two change the
  // same column, the last one counts. Errors: kUnsupported in any other hook.
  virtual Status Add(std::string_view table, Mutation mutation) = 0;
  // While locks are held: reads the current state of a row of any table; before the commit, without the changes of the
  // operation. No observer sees this read.
  virtual Status Get(std::string_view table, const klip::Get& get, Result* result) = 0;
  // In a CheckAndMutate: before the commit, ends it with this answer; after the commit, changes the caller's answer.
  virtual void Answer(bool success) = 0;
  // After the commit: false if the condition did not hold, so nothing was written.
  virtual bool written() const = 0;
};

// One of the files of a bulk load.
struct LoadedFile {
  std::string family;
  std::string path;
};

// A bulk load into one region.
class BulkLoadEvent : public CoprocessorContext {
 public:
  // The HFiles. Empty for klip's own loads of sorted rows (Connection::NewBulkLoader), which have none.
  virtual std::span<const LoadedFile> files() const = 0;
  // The first key of the region that the files are for.
  virtual const std::string& start_key() const = 0;
};

// Override the functions that you need. The observers of a table run in order of priority, and with equal priority in the
// order in which they were registered. An error ends the call and is returned to the caller.
class Observer {
 public:
  virtual ~Observer() = default;

  // --- Before a mutation is written. No locks are held: may call anything. An error refuses the whole call, and nothing
  // is written; in a batch, it refuses all mutations that share a commit (1,024 rows or 1 MB). For a CheckAndMutate these
  // run once its condition holds, with its row locked, so connection() is null. Cells from replication appear as puts and
  // deletes. ---
  virtual Status PrePut(ChangeEvent& /*event*/, const Put& /*put*/) { return Status::Ok(); }
  virtual Status PreDelete(ChangeEvent& /*event*/, const Delete& /*del*/) { return Status::Ok(); }
  virtual Status PreIncrement(ChangeEvent& /*event*/, const Increment& /*increment*/) { return Status::Ok(); }
  virtual Status PreAppend(ChangeEvent& /*event*/, const Append& /*append*/) { return Status::Ok(); }

  // --- Around the commit. The locks of the table and the rows are held: may read with event.Get, and add changes. An
  // observer that waits makes all other writers of these rows wait. ---

  // The last hook before the write. An error refuses the write. Called again, as PrePut and similar of a CheckAndMutate
  // are, if others had locked the rows of added changes: klip then discards the added changes, and keeps the edits.
  virtual Status PreBatchMutate(BatchEvent& /*event*/) { return Status::Ok(); }
  // After PreBatchMutate, for each increment and append: the new cells, in the order of their columns. The observer may
  // change, add or remove cells; the limits for a put apply to them. The caller's result keeps the values that klip has
  // computed, as in HBase. An error refuses the write. Mutations of PreBatchMutate's Add are not shown. Called again for
  // the same reason as PreBatchMutate.
  virtual Status PostIncrementBeforeWal(ChangeEvent& /*event*/, const Increment& /*increment*/,
                                        std::vector<ComputedCell>* /*cells*/) {
    return Status::Ok();
  }
  virtual Status PostAppendBeforeWal(ChangeEvent& /*event*/, const Append& /*append*/,
                                     std::vector<ComputedCell>* /*cells*/) {
    return Status::Ok();
  }
  // The changes are durable and visible.
  virtual void PostBatchMutate(BatchEvent& /*event*/) {}

  // --- After the commit. No locks are held: may call anything. An error is returned to the caller, although the data is
  // written, and later observers are not called. After a crash, calls may be missing. ---
  virtual Status PostPut(ChangeEvent& /*event*/, const Put& /*put*/) { return Status::Ok(); }
  virtual Status PostDelete(ChangeEvent& /*event*/, const Delete& /*del*/) { return Status::Ok(); }
  virtual Status PostIncrement(ChangeEvent& /*event*/, const Increment& /*increment*/) { return Status::Ok(); }
  virtual Status PostAppend(ChangeEvent& /*event*/, const Append& /*append*/) { return Status::Ok(); }

  // --- For a CheckAndMutate, in addition to the hooks above ---

  // No locks: may call anything, and answer in place of the condition. An error refuses the call.
  virtual Status PreCheckAndMutate(BatchEvent& /*event*/, const RowCondition& /*condition*/) { return Status::Ok(); }
  // The same, with the row locked.
  virtual Status PreCheckAndMutateAfterRowLock(BatchEvent& /*event*/, const RowCondition& /*condition*/) {
    return Status::Ok();
  }
  // No locks, after PostPut and similar; also called if the condition did not hold.
  virtual Status PostCheckAndMutate(BatchEvent& /*event*/, const RowCondition& /*condition*/) { return Status::Ok(); }

  // --- Bulk loads of files. Observers do not see their cells. No locks. An error of PreBulkLoad refuses the load. ---
  virtual Status PreBulkLoad(BulkLoadEvent& /*event*/) { return Status::Ok(); }
  virtual Status PostBulkLoad(BulkLoadEvent& /*event*/) { return Status::Ok(); }

  // --- Reads. No locks: may call anything. An error is returned to the caller. ---

  // May change the get. True: *result is the result, and klip neither reads the store nor calls later observers.
  virtual Expected<bool> PreGet(CoprocessorContext& /*context*/, Get* /*get*/, Result* /*result*/) { return false; }
  // May change the result; for get.check_existence_only, the result is result->exists().
  virtual Status PostGet(CoprocessorContext& /*context*/, const Get& /*get*/, Result* /*result*/) {
    return Status::Ok();
  }
  // May change the scan.
  virtual Status PreScannerOpen(CoprocessorContext& /*context*/, Scan* /*scan*/) { return Status::Ok(); }
  // Returns the scanner, or another one that wraps or replaces it. Only one thread at a time uses
  // a scanner.
  virtual Expected<std::unique_ptr<ResultScanner>> PostScannerOpen(CoprocessorContext& /*context*/,
                                                                   const Scan& /*scan*/,
                                                                   std::unique_ptr<ResultScanner> scanner) {
    return scanner;
  }
};

// The context of an endpoint's call: one region.
class EndpointContext : public CoprocessorContext {
 public:
  virtual const std::string& start_key() const = 0;  // empty: from the first row
  virtual const std::string& end_key() const = 0;    // not in the region; empty: to the end
};

// A service of a table. Table::CallEndpoint calls it, and so do HBase's clients (coprocessorService) if the program
// serves the store by RPC.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Runs one method in one region, and returns its response. No locks are held: may call anything. For HBase's clients,
  // `request` and the response are the method's protobuf messages. An error is returned to the caller. Return kUnsupported
  // for an unknown method.
  virtual Expected<std::string> Call(EndpointContext& context, std::string_view method, std::string_view request) = 0;
};

// Whether a table has the coprocessor. Called when the table is first used, and again after it has changed. Must not use
// the store.
using TableMatch = std::function<bool(const TableDescriptor&)>;

// Matches the table with this TableDescriptor::name.
inline TableMatch TableNamed(std::string name) {
  return [name = std::move(name)](const TableDescriptor& table) { return table.name == name; };
}

// HBase's priorities. Observers with smaller numbers run first.
inline constexpr int32_t kPriorityHighest = 0;
inline constexpr int32_t kPriorityUser = 1073741823;

struct ObserverRegistration {
  TableMatch tables;
  std::shared_ptr<Observer> observer;
  int32_t priority = kPriorityUser;  // from kPriorityHighest on
};

struct EndpointRegistration {
  TableMatch tables;
  std::string service;  // for HBase's clients, the full name of a protobuf service. The first with a name counts
  std::shared_ptr<Endpoint> endpoint;
};

}  // namespace klip
