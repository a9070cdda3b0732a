// Transactions: reads and writes of many rows and tables that happen as one step or not at all, on an embedded store.
//
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Transaction> transaction, connection->Begin({}));
//   KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> accounts, transaction->GetTable("accounts"));
//   KLIP_ASSIGN_OR_RETURN(Result row, accounts->Get({.row = "alice"}));
//   KLIP_RETURN_IF_ERROR(accounts->Put(...));
//   Status done = transaction->Commit();            // kTransactionConflict: run all of it again
//
// docs/transactions.md says what is guaranteed, and what it costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "klip/mutation.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip {

enum class IsolationLevel : uint8_t {
  // All is read as of Begin, with the transaction's own writes over it. Of two transactions that write the same row, the first
  // one to commit wins.
  kSnapshot,
  // As if transactions and single writes ran one after the other: what this one has read, row ranges without rows too, must be
  // unchanged when it commits.
  kSerializable,
};

struct TransactionOptions {
  IsolationLevel isolation = IsolationLevel::kSnapshot;
  // Then it ends by itself: what it reads keeps flushes and compactions from dropping old versions.
  int64_t max_age_ms = 300'000;
  int64_t max_bytes = int64_t{256} << 20;  // of what it has written, in memory until Commit
};

// Not thread-safe, nor together with its tables and scanners. Must not outlive its Connection.
class Transaction {
 public:
  virtual ~Transaction() = default;  // of one that is open: Rollback

  // A table as the transaction sees it. All of Table works in it but Prepend and CallEndpoint, which fail with kUnsupported;
  // scans run on one thread. A scanner shows what was written before it was opened. Must not outlive the transaction.
  // Errors of its calls, beside those of Table: kTransactionConflict: the table was changed or loaded since Begin, in a way that
  // the transaction could not see; kTimedOut: the transaction is too old; kDoNotRetry: it is over, or has written too much.
  // Errors: kTableNotFound.
  virtual Expected<std::unique_ptr<Table>> GetTable(std::string_view name) = 0;

  // As Connection::Apply, as a part of the transaction.
  virtual Expected<bool> Apply(const AtomicBatch& batch) = 0;

  // Remembers what is written so far. RollbackTo forgets what was written since, and the savepoints made since. The rows that were
  // read since still count for kSerializable.
  // Errors: kInvalidArgument: no savepoint of this number, or not any more.
  virtual Expected<int64_t> Savepoint() = 0;
  virtual Status RollbackTo(int64_t savepoint) = 0;

  // Writes everything as one step, with one timestamp where the mutations have none of their own. Whatever comes back, the
  // transaction is over. Errors: kTransactionConflict: another commit came between, nothing is written, and it is worth trying
  // again from Begin; kTimedOut; those of Table's writes.
  virtual Status Commit() = 0;
  virtual void Rollback() = 0;
};

}  // namespace klip
