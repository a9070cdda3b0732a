// Transactions on an embedded store: atomic reads and writes of many rows and tables.
//
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Transaction> transaction, connection->Begin({}));
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> accounts, transaction->GetTable("accounts"));
//   KLIP_ASSIGN_OR_RETURN(Result row, accounts->Get({.row = "alice"}));
//   KLIP_RETURN_IF_ERROR(accounts->Put(...));
//   Status done = transaction->Commit();            // kTransactionConflict: run all of it again
//
// docs/transactions.md describes the guarantees and the costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "klip/mutation.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip {

enum class IsolationLevel : uint8_t {
  // Reads see the store as of Begin, and the transaction's own writes. If two transactions write the same row, the first one
  // to commit wins.
  kSnapshot,
  // As if transactions and single writes ran one after the other: everything that this one has read, including row ranges
  // without rows, must be unchanged when it commits.
  kSerializable,
};

struct TransactionOptions {
  IsolationLevel isolation = IsolationLevel::kSnapshot;
  // After this time its calls fail. An open transaction keeps flushes and compactions from dropping old versions.
  int64_t max_age_ms = 300'000;
  int64_t max_bytes = int64_t{256} << 20;  // limit of its writes, which are in memory until Commit
};

// Not thread-safe: only one thread at a time may use it, its tables and its scanners. Must not outlive its Connection.
class Transaction {
 public:
  virtual ~Transaction() = default;  // rolls back an open transaction

  // A table as the transaction sees it. All calls of Table work except Prepend and CallEndpoint, which fail with kUnsupported;
  // scans run on one thread. A scanner sees the writes that were made before it was opened. Must not outlive the transaction.
  // Errors of the table's calls, in addition to those of Table: kTransactionConflict: the table was changed or loaded since Begin in a way
  // that the transaction could not see; kTimedOut: the transaction is too old;
  // kDoNotRetry: the transaction has ended, or has written too much.
  // Errors: kTableNotFound.
  virtual Expected<std::unique_ptr<Table>> GetTable(std::string_view name) = 0;

  // Like Connection::Apply, but as a part of the transaction.
  virtual Expected<bool> Apply(const AtomicBatch& batch) = 0;

  // Marks the current state of the writes. RollbackTo discards the writes and the savepoints after it. Rows that were read after
  // it still count for kSerializable.
  // Errors: kInvalidArgument: no such savepoint, or it was discarded.
  virtual Expected<int64_t> Savepoint() = 0;
  virtual Status RollbackTo(int64_t savepoint) = 0;

  // Writes everything atomically, with one timestamp for all mutations that have none. Ends the transaction, even if it fails.
  // Errors: kTransactionConflict: another commit changed the same rows; nothing is written, and a retry from Begin may succeed;
  // kTimedOut; those of Table's writes.
  virtual Status Commit() = 0;
  virtual void Rollback() = 0;
};

}  // namespace klip
