// Cancellation: calls that end before they are done.
//
//   CancelToken token = CancelToken::New();      // shared with whoever may cancel: token.Cancel()
//   CancelScope scope(token);                    // of this thread, until the end of the block
//   Expected<Result> row = table->Get(get);      // kCancelled, soon after token.Cancel()
//
// Every call on a Table, an Admin or a Connection obeys the token of the thread that makes it: before it begins, between the rows
// of a long one, and on a cluster within 100 ms while it waits (a connection that is being made is made first). A write that was
// cancelled may have been done, as after kTimedOut.
#pragma once

#include <functional>
#include <memory>

#include "klip/status.h"

namespace klip {

// Copies are one token. Thread-safe.
class CancelToken {
 public:
  CancelToken() = default;  // never cancelled

  static CancelToken New();

  // Also cancelled once `asked` returns true. It is asked now and then by the threads that work under the token: the caller's, and
  // those of a scan with several threads, then by more than one at once. Calls that it makes itself are under no token.
  static CancelToken Asking(std::function<bool()> asked);

  // The one under which calls of this thread are made.
  static CancelToken Current();

  // REQUIRES: not a default token.
  void Cancel() const;

  bool cancelled() const;
  // Whether it ever can be.
  bool armed() const noexcept { return state_ != nullptr; }

  // kCancelled, or ok.
  Status status() const { return cancelled() ? Status(Code::kCancelled, "the call was cancelled") : Status(); }

 private:
  friend class CancelScope;
  struct State;

  std::shared_ptr<State> state_;
};

// While it lives, calls of this thread are made under the token, and still under that of a scope around it.
class CancelScope {
 public:
  explicit CancelScope(CancelToken token);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 private:
  friend class CancelToken;

  CancelToken token_;
  const CancelScope* const outer_;
};

}  // namespace klip
