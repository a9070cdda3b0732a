// Coprocessors of the program's own, as plain classes: an Observer sees every operation on a table and may change it,
// whichever door it came through; an Endpoint is a function that runs where the rows are. They are registered when the
// store is opened:
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
// They have the semantics of HBase's RegionObserver, whose names they bear, and no sandbox: what they do, the program
// does. They throw no exceptions. One object serves all regions of all its tables and all threads at once: it is
// thread-safe. The store shares it until the connection is closed. docs/coprocessors.md has the differences from HBase.
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

// What all coprocessors are told. Valid during the call.
class CoprocessorContext {
 public:
  virtual ~CoprocessorContext() = default;

  // As it was when the operation began.
  virtual const TableDescriptor& table() const = 0;
  // Who asked for the operation. What the coprocessor calls itself, it calls on behalf of the same one.
  virtual const Caller& caller() const = 0;
  // The store's. Null while the operation holds locks: then a write by any other handle fails with kUnsupported, since
  // it could wait for itself.
  virtual Connection* connection() const = 0;
  // A table of the store, whose observers see what is done there; so a write to the observed table comes back to the
  // observer. Errors: kTableNotFound; kUnsupported while the operation holds locks.
  virtual Expected<std::unique_ptr<Table>> GetTable(std::string_view name) const = 0;
};

// One mutation of a write.
class ChangeEvent : public CoprocessorContext {
 public:
  // PrePut and the like: the mutation as a copy, which is written in its place and which the observers behind see. Its
  // row and kind must stay, or the write fails. Null: cells that came by replication are written as they are; and when
  // it is too late.
  virtual Mutation* Edit() = 0;
  // PrePut and the like: the caller is told that the mutation is done, and it is not written. Observers behind do not
  // see it before PostPut and the like, which are called as if it had been written: that is HBase's way.
  virtual void Bypass() = 0;
  // Of increments and appends: what the caller gets, all cells of its operation. Filled from PostIncrement on; before
  // that by those who bypass. Null: it wants nothing.
  virtual Result* result() = 0;
};

// Points to the mutation of an operation, as it stands.
using MutationRef = std::variant<const Put*, const Delete*, const Increment*, const Append*>;

// All mutations of a write in one table.
class BatchEvent : public CoprocessorContext {
 public:
  // In the order in which they were asked for. Without those that are bypassed or refused.
  virtual std::span<const MutationRef> mutations() const = 0;
  // Before the commit: as those of ChangeEvent. REQUIRES: index < mutations().size().
  virtual Mutation* Edit(size_t index) = 0;
  virtual void Bypass(size_t index) = 0;
  // PreBatchMutate: one more change in the same commit, of any row of any table. It is checked as if the caller had
  // sent it, and seen by no observer. An increment or append starts from the row as it was before the commit: of two of
  // one column the last one counts. Errors: kUnsupported, in any other hook.
  virtual Status Add(std::string_view table, Mutation mutation) = 0;
  // While locks are held: a row of any table as it is now; before the commit, without the changes of the operation. No
  // observer sees it.
  virtual Status Get(std::string_view table, const klip::Get& get, Result* result) = 0;
  // Of a CheckAndMutate: ends it with this answer before the commit, and changes what the caller is told after it.
  virtual void Answer(bool success) = 0;
  // After the commit: false when the condition did not hold, so that nothing was written.
  virtual bool written() const = 0;
};

// Override what is of interest. Observers of a table are called in the order of their priorities, and of those in the
// order in which they were registered; an error ends the call, and is what the caller gets.
class Observer {
 public:
  virtual ~Observer() = default;

  // --- Before a mutation is written. No locks are held: may call anything. An error refuses the whole call, and
  // nothing of it is written: of a batch, all mutations that share a commit (1,024 rows or 1 MB). The mutation of a
  // CheckAndMutate comes when its condition holds, with its row locked: there connection() is null. Cells of
  // replication come as puts and deletes. ---
  virtual Status PrePut(ChangeEvent& /*event*/, const Put& /*put*/) { return Status::Ok(); }
  virtual Status PreDelete(ChangeEvent& /*event*/, const Delete& /*del*/) { return Status::Ok(); }
  virtual Status PreIncrement(ChangeEvent& /*event*/, const Increment& /*increment*/) { return Status::Ok(); }
  virtual Status PreAppend(ChangeEvent& /*event*/, const Append& /*append*/) { return Status::Ok(); }

  // --- Around the commit. The table's lock and those of the rows are held: may read by event.Get, and add changes;
  // what waits makes all other writers of these rows wait. ---

  // The last word before the write. An error refuses it. Called again, as are PrePut and the like of a CheckAndMutate,
  // when rows that were added were locked by others: what was added is forgotten, what was edited stays.
  virtual Status PreBatchMutate(BatchEvent& /*event*/) { return Status::Ok(); }
  // The changes are durable and visible.
  virtual void PostBatchMutate(BatchEvent& /*event*/) {}

  // --- After the commit. No locks are held: may call anything. An error reaches the caller, although the data is
  // written; it ends the chain. After a crash a call may be missing. ---
  virtual Status PostPut(ChangeEvent& /*event*/, const Put& /*put*/) { return Status::Ok(); }
  virtual Status PostDelete(ChangeEvent& /*event*/, const Delete& /*del*/) { return Status::Ok(); }
  virtual Status PostIncrement(ChangeEvent& /*event*/, const Increment& /*increment*/) { return Status::Ok(); }
  virtual Status PostAppend(ChangeEvent& /*event*/, const Append& /*append*/) { return Status::Ok(); }

  // --- Of a CheckAndMutate, besides those above ---

  // No locks: may call anything, and answer in place of the condition. An error refuses the call.
  virtual Status PreCheckAndMutate(BatchEvent& /*event*/, const RowCondition& /*condition*/) { return Status::Ok(); }
  // The same with the row locked.
  virtual Status PreCheckAndMutateAfterRowLock(BatchEvent& /*event*/, const RowCondition& /*condition*/) {
    return Status::Ok();
  }
  // No locks, after PostPut and the like; also when the condition did not hold.
  virtual Status PostCheckAndMutate(BatchEvent& /*event*/, const RowCondition& /*condition*/) { return Status::Ok(); }

  // --- Files that are loaded in bulk, whose cells nobody sees. No locks. An error of the first refuses the load. ---
  virtual Status PreBulkLoad(CoprocessorContext& /*context*/) { return Status::Ok(); }
  virtual Status PostBulkLoad(CoprocessorContext& /*context*/) { return Status::Ok(); }

  // --- Reads. No locks: may call anything. An error is what the caller gets. ---

  // May change the question. True: *result is the answer, and neither the store nor anybody behind is asked.
  virtual Expected<bool> PreGet(CoprocessorContext& /*context*/, Get* /*get*/, Result* /*result*/) { return false; }
  // May change the answer; of get.check_existence_only it is result->exists().
  virtual Status PostGet(CoprocessorContext& /*context*/, const Get& /*get*/, Result* /*result*/) {
    return Status::Ok();
  }
  // May change the question.
  virtual Status PreScannerOpen(CoprocessorContext& /*context*/, Scan* /*scan*/) { return Status::Ok(); }
  // Returns the scanner, or another one that wraps it or stands in its place. A scanner is used by one thread at a
  // time.
  virtual Expected<std::unique_ptr<ResultScanner>> PostScannerOpen(CoprocessorContext& /*context*/,
                                                                   const Scan& /*scan*/,
                                                                   std::unique_ptr<ResultScanner> scanner) {
    return scanner;
  }
};

// The region that an endpoint is called in.
class EndpointContext : public CoprocessorContext {
 public:
  virtual const std::string& start_key() const = 0;  // empty: from the first row
  virtual const std::string& end_key() const = 0;    // not in the region; empty: to the end
};

// A service of a table: called by Table::CallEndpoint, and by HBase's clients (coprocessorService) where the program
// serves the store by RPC.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Runs one method in one region, and returns its answer. No locks are held: may call anything. For HBase's clients,
  // `request` and the answer are the method's protobuf messages. An error is what the caller gets; a method that is not
  // there: kUnsupported.
  virtual Expected<std::string> Call(EndpointContext& context, std::string_view method, std::string_view request) = 0;
};

// Whether a table has the coprocessor. Asked when the table is first used, and again when it has changed; must not call
// the store.
using TableMatch = std::function<bool(const TableDescriptor&)>;

// The table of that name, as TableDescriptor::name has it.
inline TableMatch TableNamed(std::string name) {
  return [name = std::move(name)](const TableDescriptor& table) { return table.name == name; };
}

// HBase's; smaller ones are called first.
inline constexpr int32_t kPriorityHighest = 0;
inline constexpr int32_t kPriorityUser = 1073741823;

struct ObserverRegistration {
  TableMatch tables;
  std::shared_ptr<Observer> observer;
  int32_t priority = kPriorityUser;  // from kPriorityHighest on
};

struct EndpointRegistration {
  TableMatch tables;
  std::string service;  // the full name of a protobuf service, for HBase's clients. Of equal ones the first counts
  std::shared_ptr<Endpoint> endpoint;
};

}  // namespace klip
