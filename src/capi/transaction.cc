// Transactions: return tables whose calls belong to the transaction.
#include <utility>

#include "capi/call.h"

using klip::Expected;
using klip::Status;
using klip::Transaction;
using klip::capi::Busy;
using klip::capi::CallChild;
using klip::capi::CallConnection;
using klip::capi::Missing;
using klip::capi::OpenTransaction;
using klip::capi::Turnstile;

namespace {

template <typename Work>
klip_code CallTransaction(klip_transaction* handle, klip_error** error, Work work) {
  return CallChild(handle, error, [&](OpenTransaction& open) -> Status {
    const Turnstile::Turn turn(&open.turnstile);
    return turn.ok() ? work(*open.transaction) : Busy();
  });
}

Expected<klip::TransactionOptions> ToTransactionOptions(const klip_transaction_options* from) {
  klip::TransactionOptions options;
  if (from == nullptr) {
    return options;
  }
  if (from->struct_size < sizeof(klip_transaction_options)) {
    return Status(klip::Code::kInvalidArgument, "klip_transaction_options: struct_size is not set: use the default");
  }
  options.isolation = from->serializable != 0 ? klip::IsolationLevel::kSerializable : klip::IsolationLevel::kSnapshot;
  options.max_age_ms = from->max_age_ms;
  options.max_bytes = from->max_bytes;
  return options;
}

}  // namespace

extern "C" {

klip_code klip_transaction_begin(klip_connection* connection, const klip_transaction_options* options,
                                 klip_transaction** transaction, klip_error** error) {
  return CallConnection(connection, error, [&](klip::Connection& inner) -> Status {
    if (transaction == nullptr) {
      return Missing("transaction");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::TransactionOptions wanted, ToTransactionOptions(options));
    auto open = std::make_shared<OpenTransaction>();
    KLIP_ASSIGN_OR_RETURN(open->transaction, inner.Begin(wanted));
    *transaction = new klip_transaction(connection->gate, std::move(open));
    connection->gate->Enlist(*transaction);
    return Status::Ok();
  });
}

klip_code klip_transaction_table(klip_transaction* transaction, const char* name, klip_table** table,
                                 klip_error** error) {
  return CallTransaction(transaction, error, [&](Transaction& inner) -> Status {
    if (name == nullptr || table == nullptr) {
      return Missing(name == nullptr ? "name" : "table");
    }
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<klip::Table> opened, inner.GetTable(name));
    *table = new klip_table(transaction->gate, std::move(opened), transaction->inner);
    transaction->gate->Enlist(*table);
    return Status::Ok();
  });
}

klip_code klip_transaction_savepoint(klip_transaction* transaction, int64_t* savepoint, klip_error** error) {
  return CallTransaction(transaction, error, [&](Transaction& inner) -> Status {
    if (savepoint == nullptr) {
      return Missing("savepoint");
    }
    KLIP_ASSIGN_OR_RETURN(*savepoint, inner.Savepoint());
    return Status::Ok();
  });
}

klip_code klip_transaction_rollback_to(klip_transaction* transaction, int64_t savepoint, klip_error** error) {
  return CallTransaction(transaction, error, [&](Transaction& inner) { return inner.RollbackTo(savepoint); });
}

klip_code klip_transaction_commit(klip_transaction* transaction, klip_error** error) {
  return CallTransaction(transaction, error, [](Transaction& inner) { return inner.Commit(); });
}

klip_code klip_transaction_rollback(klip_transaction* transaction, klip_error** error) {
  return CallTransaction(transaction, error, [](Transaction& inner) {
    inner.Rollback();
    return Status::Ok();
  });
}

void klip_transaction_free(klip_transaction* transaction) { klip::capi::FreeChild(transaction); }

}  // extern "C"
