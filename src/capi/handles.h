// The handles of klip.h, and how calls access their contents.
//
// Everything created from a connection holds its Gate and is listed there. Each call goes through the gate. Closing shuts
// the gate, waits for calls that are inside, and empties the listed handles. So a handle whose connection was closed is
// empty and returns an error, in whatever order a program, or a garbage collector, frees handles.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capi/rows.h"
#include "klip/connection.h"
#include "klip/klip.h"
#include "klip/sql.h"

namespace klip::capi {

// Something created from a connection.
class Child {
 public:
  virtual ~Child() = default;

  // From any thread: makes running work end soon.
  virtual void Cancel() {}
  // Frees what belongs to the connection. No call is inside.
  virtual void Empty() = 0;
};

class Gate {
 public:
  explicit Gate(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // Inside the gate during its lifetime, if it is ok. A callback may make further calls on its thread: those use the
  // outer pass, and closing waits until that one leaves.
  class Pass {
   public:
    explicit Pass(Gate* gate) : Pass(gate, gate->closing_.load(std::memory_order_acquire)) {}
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    bool ok() const { return !refused_ && gate_->connection_ != nullptr; }
    Connection& connection() const { return *gate_->connection_; }

   private:
    friend class Gate;
    Pass(Gate* gate, bool refused);

    Gate* gate_;
    Pass* outer_;  // of this thread
    bool refused_;
    bool holds_lock_ = false;
    bool close_behind_ = false;
  };

  // If this thread is inside, returns at once and closes later.
  void Close();

  // REQUIRES: a Pass that is ok.
  void Enlist(Child* child);
  // Removes it from the list, and empties it if that was not done yet.
  void Dismiss(Child* child);

 private:
  // This thread's pass, or nullptr.
  Pass* Inside() const;

  static thread_local Pass* innermost_;

  std::atomic<bool> closing_ = false;
  std::shared_mutex mutex_;  // before list_mutex_
  std::unique_ptr<Connection> connection_;
  std::mutex list_mutex_;
  std::unordered_set<Child*> children_;
};
using GatePtr = std::shared_ptr<Gate>;

// Admits one caller at a time, without waiting.
class Turnstile {
 public:
  class Turn {
   public:
    explicit Turn(Turnstile* turnstile)
        : turnstile_(turnstile->busy_.exchange(true, std::memory_order_acquire) ? nullptr : turnstile) {}
    ~Turn() {
      if (turnstile_ != nullptr) {
        turnstile_->busy_.store(false, std::memory_order_release);
      }
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool ok() const { return turnstile_ != nullptr; }

   private:
    Turnstile* turnstile_;
  };

 private:
  std::atomic<bool> busy_ = false;
};

// A transaction, with its tables and scanners: they hold it, and one of them works at a time.
struct OpenTransaction {
  Turnstile turnstile;
  std::unique_ptr<Transaction> transaction;
};

}  // namespace klip::capi

// --- The handles themselves; C only knows their names. ---

struct klip_error {
  klip::Status status;
  klip::sql::Error sql = klip::sql::ErrorOf(status);
};

struct klip_list {
  std::vector<std::string> items;
};

struct klip_connection {
  klip::capi::GatePtr gate;
};

// `inner` is null after the connection was closed.
struct klip_table final : klip::capi::Child {
  klip_table(klip::capi::GatePtr from, std::unique_ptr<klip::Table> table,
             std::shared_ptr<klip::capi::OpenTransaction> of = nullptr)
      : gate(std::move(from)), name(table->name()), transaction(std::move(of)), inner(std::move(table)) {}
  void Empty() override {
    inner.reset();
    transaction.reset();
  }

  klip::capi::GatePtr gate;
  std::string name;
  std::shared_ptr<klip::capi::OpenTransaction> transaction;  // null: of none
  std::unique_ptr<klip::Table> inner;
};

struct klip_transaction final : klip::capi::Child {
  klip_transaction(klip::capi::GatePtr from, std::shared_ptr<klip::capi::OpenTransaction> open)
      : gate(std::move(from)), inner(std::move(open)) {}
  void Empty() override {
    if (inner != nullptr) {
      inner->transaction->Rollback();  // tables may still hold it
    }
    inner.reset();
  }

  klip::capi::GatePtr gate;
  std::shared_ptr<klip::capi::OpenTransaction> inner;
};

struct klip_scanner final : klip::capi::Child {
  klip_scanner(klip::capi::GatePtr from, std::shared_ptr<klip::capi::OpenTransaction> of, klip::CancelToken cancel)
      : gate(std::move(from)), transaction(std::move(of)), token(std::move(cancel)) {}
  void Cancel() override { token.Cancel(); }
  void Empty() override {
    inner.reset();
    transaction.reset();
  }

  klip::capi::GatePtr gate;
  std::shared_ptr<klip::capi::OpenTransaction> transaction;  // null: of none
  klip::capi::Turnstile turnstile;
  const klip::CancelToken token;
  std::unique_ptr<klip::ResultScanner> inner;
  klip::Result row;      // reused for each row
  klip::Status failure;  // to be returned after the rows before it
  bool at_end = false;
  klip_rows rows;
};

struct klip_loader final : klip::capi::Child {
  klip_loader(klip::capi::GatePtr from, std::unique_ptr<klip::BulkLoader> loader)
      : gate(std::move(from)), inner(std::move(loader)) {}
  void Empty() override { inner.reset(); }

  klip::capi::GatePtr gate;
  klip::capi::Turnstile turnstile;
  std::unique_ptr<klip::BulkLoader> inner;
};

// Statements and results hold the session, which therefore lives as long as they do, and lets one of them work at a time.
struct klip_session {
  klip::capi::Turnstile turnstile;
  int (*interrupted)(void* argument) = nullptr;
  void* interrupted_argument = nullptr;
  std::unique_ptr<klip::sql::Session> session;

  // For one call, since a cancelled token stays cancelled.
  klip::CancelToken NewToken() const {
    return interrupted == nullptr ? klip::CancelToken()
                                  : klip::CancelToken::Asking([asked = interrupted, argument = interrupted_argument] {
                                      return asked(argument) != 0;
                                    });
  }
};

struct klip_sql final : klip::capi::Child {
  klip_sql(klip::capi::GatePtr from, std::shared_ptr<klip_session> session)
      : gate(std::move(from)), inner(std::move(session)) {}
  void Cancel() override { inner->session->Cancel(); }
  void Empty() override { inner.reset(); }

  klip::capi::GatePtr gate;
  std::shared_ptr<klip_session> inner;
};

struct klip_statement final : klip::capi::Child {
  klip_statement(klip::capi::GatePtr from, std::shared_ptr<klip_session> its_session,
                 std::unique_ptr<klip::sql::Statement> prepared)
      : gate(std::move(from)), inner(std::move(its_session)), statement(std::move(prepared)) {}
  void Empty() override {
    statement.reset();
    inner.reset();
  }

  klip::capi::GatePtr gate;
  std::shared_ptr<klip_session> inner;
  std::unique_ptr<klip::sql::Statement> statement;
};

struct klip_result final : klip::capi::Child {
  klip_result(klip::capi::GatePtr from, std::shared_ptr<klip_session> its_session,
              std::unique_ptr<klip::sql::Rows> its_rows)
      : gate(std::move(from)), inner(std::move(its_session)), rows(std::move(its_rows)), updated(rows->updated()) {}
  void Cancel() override { inner->session->Cancel(); }
  void Empty() override {
    rows.reset();
    inner.reset();
  }

  klip::capi::GatePtr gate;
  std::shared_ptr<klip_session> inner;
  std::unique_ptr<klip::sql::Rows> rows;  // null: passed on as a stream
  int64_t updated;
  // The last result of klip_result_fetch.
  std::vector<klip_value> values;
  std::deque<std::string> texts;
  std::deque<std::vector<klip_value>> items;
};

struct klip_schema {
  klip::RowKeySchema schema;
  std::string text;
};
