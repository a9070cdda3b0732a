// AsyncTable: calls on a table that return at once; a callback is told what they came to.
//
//   AsyncTable table(*connection->GetTable("visits"));
//   table.Get(Get{.row = "alice"}, [](Expected<Result> row) { ... });
//   table.Wait();
//
// It works on any Table, with a few threads, which run the callbacks too; on a cluster they share one connection per server. While
// they are busy, calls on single rows that wait go together, as one Table::Batch for each thread: the more calls there are, the
// less each costs. On an embedded store more threads than cores help only where calls wait for the disk.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "klip/table.h"

namespace klip {

struct AsyncOptions {
  int max_threads = 32;    // that start when they are first needed. Below 1: 1
  int max_waiting = 1024;  // calls that wait until others are over; one more waits in its caller. Below 0: 0
};

// Thread-safe. Arguments belong to the call; results to the callback. Calls begin in the order in which they were made, and end in any.
//
// A callback runs exactly once, on a thread of the AsyncTable, with no lock held. It may make further calls: those never wait in
// their caller, so they may be more than max_waiting. It must not throw, wait for another callback, nor Wait for or destroy the
// AsyncTable.
//
// A call and its callback are under the CancelToken of the thread that made it: one that has not begun ends with kCancelled too.
// Calls under a token go alone.
class AsyncTable {
 public:
  template <typename T>
  using Done = std::function<void(T)>;

  explicit AsyncTable(std::unique_ptr<Table> table, AsyncOptions options = {});
  // Waits for the end of all calls. Must come before that of the table's Connection.
  ~AsyncTable();
  AsyncTable(const AsyncTable&) = delete;
  AsyncTable& operator=(const AsyncTable&) = delete;

  const std::string& name() const;

  // What each does, see Table.
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

  // Hands the rows to `each`, one after the other in order, until it returns false; then to `done` whether all went well. What
  // `each` leaves in the Result is used again for the next row.
  void Scan(klip::Scan scan, std::function<bool(Result&)> each, Done<Status> done);

  // Until no call is under way or waiting, those that callbacks made included.
  void Wait();

 private:
  class Calls;

  std::unique_ptr<Table> table_;
  std::unique_ptr<Calls> calls_;
};

}  // namespace klip
