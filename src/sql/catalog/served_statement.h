// Statements that a server runs for its clients: what ends them early, and a list of those that run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "klip/caller.h"
#include "klip/cancel.h"
#include "klip/status.h"

namespace klip::sql {

// The token of the call that a session works for, which changes from call to call. Thread-safe.
class SessionCaller {
 public:
  void Set(CancelToken token);
  bool gone() const;

 private:
  mutable std::mutex mutex_;
  CancelToken token_;  // guarded by mutex_
};

// A statement from the beginning of its execution until its result is closed. It is in the list of the process.
class ServedStatement {
 public:
  // `timeout_ms`: that all calls for it may take together; 0: any. `rows_read` outlives it.
  ServedStatement(std::string_view text, int64_t timeout_ms, std::shared_ptr<SessionCaller> caller,
                  const std::atomic<int64_t>* rows_read);
  ~ServedStatement();
  ServedStatement(const ServedStatement&) = delete;
  ServedStatement& operator=(const ServedStatement&) = delete;

  // Cancelled by Cancel, when the time is up while a call works for it, and when that call's caller is gone.
  const CancelToken& token() const { return token_; }

  // Surround a call that works for it.
  void BeginCall();
  void EndCall();
  // An error of such a call, in JDBC's terms: 6000 (TIM01) once its time is up.
  Status InSql(const Status& status) const;

  struct Info {
    int64_t id = 0;
    std::string user;
    std::string address;  // of the client
    std::string_view door;
    int64_t began_ms = 0;
    int64_t rows_read = 0;
    bool working = false;  // false: the client has not taken all of its rows
    std::string text;      // the beginning
  };
  // Those of this process.
  static std::vector<Info> List();
  // Ends the statement; false: there is none.
  static bool End(int64_t id);

 private:
  struct Ends {
    std::shared_ptr<SessionCaller> caller;
    std::atomic<int64_t> at_us{0};  // 0: no call works for it, or its time has no limit
    std::atomic<bool> timed_out{false};

    bool Now();
  };

  const int64_t timeout_us_;
  const std::shared_ptr<Ends> ends_;
  const CancelToken token_;
  const std::atomic<int64_t>* const rows_read_;
  int64_t left_us_;
  int64_t began_us_ = 0;  // the call
  std::atomic<bool> working_{false};
  Info info_;
};

// While it exists, a call works for the statement; null: none.
class ServedCall {
 public:
  explicit ServedCall(ServedStatement* statement) : statement_(statement) {
    if (statement_ != nullptr) {
      statement_->BeginCall();
    }
  }
  ~ServedCall() {
    if (statement_ != nullptr) {
      statement_->EndCall();
    }
  }
  ServedCall(const ServedCall&) = delete;
  ServedCall& operator=(const ServedCall&) = delete;

 private:
  ServedStatement* const statement_;
};

}  // namespace klip::sql
