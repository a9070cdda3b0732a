// AsyncTable: asynchronous calls on a table. Calls return at once, and a callback receives the result.
//
//   AsyncTable table(*connection->GetTable("visits"));
//   table.Get(Get{.row = "alice"}, [](Expected<Result> row) { ... });
//   table.Wait();
//
// It works on any Table, with a few threads, which also run the callbacks; on a cluster they share one connection per server. While
// they are busy, waiting calls on single rows are sent together, as one Table::Batch per thread, so the cost of a call falls as the
// load rises. On an embedded store, more threads than cores help only if calls wait for the disk.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "klip/table.h"

namespace klip {

struct AsyncOptions {
  int max_threads = 32;    // threads start when they are first needed. Below 1: 1
  int max_waiting = 1024;  // calls that wait for others to finish; further ones block their caller. Below 0: 0
};

// Thread-safe. Arguments belong to the call; results belong to the callback. Calls begin in order, and end in any order.
//
// A callback runs exactly once, on a thread of the AsyncTable, without locks. It may make further calls. Those never block, so they
// may exceed max_waiting. A callback must not throw, wait for another callback, call Wait, or destroy the
// AsyncTable.
//
// A call and its callback run under the CancelToken of the thread that made the call. If it is cancelled before it begins, it ends with
// kCancelled. Calls under a token are not sent together with others.
class AsyncTable {
 public:
  template <typename T>
  using Done = std::function<void(T)>;

  explicit AsyncTable(std::unique_ptr<Table> table, AsyncOptions options = {});
  // Waits for the end of all calls. Destroy it before the table's Connection.
  ~AsyncTable();
  AsyncTable(const AsyncTable&) = delete;
  AsyncTable& operator=(const AsyncTable&) = delete;

  const std::string& name() const;

  // Each works like the call of Table with the same name.
  void Get(klip::Get get, Done<Expected<Result>> done);
  void Get(std::vector<klip::Get> gets, Done<Expected<std::vector<Result>>> done);
  void Put(klip::Put put, Done<Status> done);
  void Put(std::vector<klip::Put> puts, Done<Status> done);
  void Delete(klip::Delete del, Done<Status> done);
  void Increment(klip::Increment increment, Done<Expected<Result>> done);
  void Append(klip::Append append, Done<Expected<Result>> done);
  void Mutate(RowMutations mutations, Done<Expected<Result>> done);
  void CheckAndMutate(klip::CheckAndMutate check, Done<Expected<CheckAndMutateResult>> done);
  void Batch(std::vector<Action> actions, Done<std::vector<Expected<Result>>> done);

  // Passes the rows to `each` in order, until it returns false; then calls `done` with the outcome. The next row reuses the Result that
  // `each` leaves.
  void Scan(klip::Scan scan, std::function<bool(Result&)> each, Done<Status> done);

  // Waits until no call is running or waiting, including calls that callbacks made.
  void Wait();

 private:
  class Calls;

  std::unique_ptr<Table> table_;
  std::unique_ptr<Calls> calls_;
};

}  // namespace klip
