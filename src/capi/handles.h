// What the handles of klip.h are made of, and how a call gets at what is inside.
//
// Everything made from a connection holds its Gate and is listed there. A call goes through the gate for its duration; closing
// shuts the gate, waits for calls that are inside, and empties what is listed. So a handle whose connection was closed is an empty
// one that answers with an error, in whatever order a program, or a garbage collector, frees them.
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

// Something made from a connection.
class Child {
 public:
  virtual ~Child() = default;

  // From any thread: work that is going on ends soon.
  virtual void Cancel() {}
  // Frees what belongs to the connection. No call is inside.
  virtual void Empty() = 0;
};

class Gate {
 public:
  explicit Gate(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  // Inside, for as long as it lives, if it is ok. A callback may make further calls on the thread that is inside already: those
  // go in by the first one's pass, and closing is put off until that one leaves.
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

  // Returns at once, with the work put off, when this thread is inside.
  void Close();

  // REQUIRES: a Pass that is ok.
  void Enlist(Child* child);
  // Off the list, and emptied if that was not done yet.
  void Dismiss(Child* child);

 private:
  // The pass that this thread is inside by, or nullptr.
  Pass* Inside() const;

  static thread_local Pass* innermost_;

  std::atomic<bool> closing_ = false;
  std::shared_mutex mutex_;  // before list_mutex_
  std::unique_ptr<Connection> connection_;
  std::mutex list_mutex_;
  std::unordered_set<Child*> children_;
};
using GatePtr = std::shared_ptr<Gate>;

// Lets one caller in at a time, without waiting.
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

// A transaction, with the tables and scanners that came from it: they hold it, and one of them works at a time.
struct OpenTransaction {
  Turnstile turnstile;
  std::unique_ptr<Transaction> transaction;
};

}  // namespace klip::capi

// --- The handles themselves; C knows their names only. ---

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

// `inner` is null once the connection was closed.
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
  klip::Result row;      // read into, again and again
  klip::Status failure;  // to be told when the rows before it are taken
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

// Statements and results hold the session, which so lives as long as they, and lets one of them work at a time.
struct klip_session {
  klip::capi::Turnstile turnstile;
  int (*interrupted)(void* argument) = nullptr;
  void* interrupted_argument = nullptr;
  std::unique_ptr<klip::sql::Session> session;

  // For one call: once it is cancelled, it stays so.
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
  std::unique_ptr<klip::sql::Rows> rows;  // null: handed on as a stream
  int64_t updated;
  // What klip_result_fetch gave last.
  std::vector<klip_value> values;
  std::deque<std::string> texts;
  std::deque<std::vector<klip_value>> items;
};

struct klip_schema {
  klip::RowKeySchema schema;
  std::string text;
};
