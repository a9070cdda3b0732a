#include "klip/cancel.h"

#include <atomic>
#include <utility>

namespace klip {
namespace {

thread_local const CancelScope* innermost = nullptr;

}  // namespace

struct CancelToken::State {
  std::atomic<bool> cancelled{false};
  const std::function<bool()> asked;
};

CancelToken CancelToken::New() { return Asking(nullptr); }

CancelToken CancelToken::Asking(std::function<bool()> asked) {
  CancelToken token;
  token.state_ = std::shared_ptr<State>(new State{.asked = std::move(asked)});
  return token;
}

CancelToken CancelToken::Current() { return innermost == nullptr ? CancelToken() : innermost->token_; }

void CancelToken::Cancel() const { state_->cancelled.store(true, std::memory_order_relaxed); }

bool CancelToken::cancelled() const {
  if (state_ == nullptr || state_->cancelled.load(std::memory_order_relaxed)) {
    return state_ != nullptr;
  }
  if (!state_->asked) {
    return false;
  }
  const CancelScope* const scope = std::exchange(innermost, nullptr);
  const bool now = state_->asked();
  innermost = scope;
  if (now) {
    Cancel();
  }
  return now;
}

CancelScope::CancelScope(CancelToken token) : token_(std::move(token)), outer_(innermost) {
  if (outer_ != nullptr && outer_->token_.armed()) {
    token_ = !token_.armed() ? outer_->token_ : CancelToken::Asking([inner = token_, outer = outer_->token_] {
      return inner.cancelled() || outer.cancelled();
    });
  }
  innermost = this;
}

CancelScope::~CancelScope() { innermost = outer_; }

}  // namespace klip
