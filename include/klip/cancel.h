// Cancellation of calls.
//
//   CancelToken token = CancelToken::New();   // shared with the code that may cancel: token.Cancel()
//   CancelScope scope(token);                 // for this thread, until the end of the block
//   Expected<Result> row = table->Get(get);   // kCancelled soon after token.Cancel()
//
// Every call on a Table, an Admin or a Connection obeys the token of the thread that makes it: before it begins, between the rows of
// a long call, and on a cluster within 100 ms while it waits (but not while it opens a connection). A cancelled write may have been
// done, as after kTimedOut.
#pragma once

#include <functional>
#include <memory>

#include "klip/status.h"

namespace klip {

// All copies are the same token. Thread-safe.
class CancelToken {
 public:
  CancelToken() = default;  // never cancelled

  static CancelToken New();

  // A token that is also cancelled once `asked` returns true. The threads that work under the token call `asked` from time to time: the
  // caller's thread, and
  // those of a parallel scan, possibly several at once. Calls that it makes itself are under no token.
  static CancelToken Asking(std::function<bool()> asked);

  // The token of this thread's calls.
  static CancelToken Current();

  // REQUIRES: not a default token.
  void Cancel() const;

  bool cancelled() const;
  // Whether it can ever be cancelled.
  bool armed() const noexcept { return state_ != nullptr; }

  // kCancelled, or ok.
  Status status() const { return cancelled() ? Status(Code::kCancelled, "the call was cancelled") : Status(); }

 private:
  friend class CancelScope;
  struct State;

  std::shared_ptr<State> state_;
};

// While it exists, calls of this thread obey the token, and also that of an enclosing scope.
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
