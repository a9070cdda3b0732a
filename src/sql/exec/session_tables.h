// SessionTables: where statements get their tables. Those of the open transaction, if there is one, else those of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "klip/connection.h"
#include "sql/exec/waiting_rows.h"
#include "sql/types/codec.h"

namespace klip::sql {

// Not thread-safe. Outlives all that reads by it.
class SessionTables {
 public:
  // A table that was opened before, and its transaction. A scanner of a finished transaction continues; other calls fail.
  struct Handle {
    std::shared_ptr<klip::Transaction> transaction;
    const WaitingTables* waiting = nullptr;
    std::unique_ptr<Table> table;
  };

  // `as_of_ms`: SessionOptions::as_of_ms.
  explicit SessionTables(Connection* connection, int64_t as_of_ms = 0)
      : connection_(connection), times_({.max_ms = as_of_ms == 0 ? kLatestTimestamp : as_of_ms}) {}

  // Of the cells that statements read.
  const TimeRange& times() const { return times_; }
  // Of the cells that statements write. Those of a session in the past are at its end, so the session does not see them.
  int64_t write_ms() const { return in_past() ? times_.max_ms : kLatestTimestamp; }
  bool in_past() const { return times_ != TimeRange(); }

  // The same table as in the handle, unless a transaction or ShowWaiting has begun or ended since. It lives as long as the handle.
  Expected<Table*> Open(const std::string& name, Handle* handle) const {
    if (handle->table == nullptr || handle->transaction != transaction_ || waiting_ != nullptr ||
        handle->waiting != nullptr) {
      handle->table.reset();
      handle->transaction = transaction_;
      handle->waiting = waiting_;
      KLIP_ASSIGN_OR_RETURN(handle->table,
                            transaction_ != nullptr ? transaction_->GetTable(name) : connection_->GetTable(name));
      const auto rows = waiting_ == nullptr ? WaitingTables::const_iterator() : waiting_->find(name);
      if (waiting_ != nullptr && rows != waiting_->end()) {
        handle->table = TableWith(std::move(handle->table), &rows->second);
      }
    }
    return handle->table.get();
  }

  // Tables opened from now on are as they will be with these rows; null: as they are. They must not change while something reads.
  void ShowWaiting(const WaitingTables* waiting) { waiting_ = waiting; }

  // Null: none is open.
  klip::Transaction* transaction() const { return transaction_.get(); }
  // REQUIRES: none is open. Errors: those of Connection::Begin.
  Status Begin(const TransactionOptions& options) {
    KLIP_ASSIGN_OR_RETURN(transaction_, connection_->Begin(options));
    return Status::Ok();
  }
  // No transaction is open afterwards. Errors: those of Transaction::Commit.
  Status Commit() {
    const std::shared_ptr<klip::Transaction> ended = std::move(transaction_);
    transaction_ = nullptr;
    return ended == nullptr ? Status::Ok() : ended->Commit();
  }
  void Rollback() {
    if (transaction_ != nullptr) {
      transaction_->Rollback();
      transaction_ = nullptr;
    }
  }

 private:
  Connection* const connection_;
  const TimeRange times_;
  std::shared_ptr<klip::Transaction> transaction_;
  const WaitingTables* waiting_ = nullptr;
};

}  // namespace klip::sql
