#include "server/nonces.h"

namespace klip::server {
namespace {

// TUNING: HBase keeps 30 minutes. This many need 20 MB, and at 2,000 increments a second last for a minute and a half, which is
// more than a client's whole time-out.
constexpr size_t kMaxDone = 200000;

}  // namespace

NonceTable::State NonceTable::Begin(uint64_t group, uint64_t nonce) {
  if (nonce == 0) {
    return State::kFirst;
  }
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto [at, added] = seen_.try_emplace({group, nonce}, false);
    if (added) {
      return State::kFirst;
    }
    if (at->second) {
      return State::kDone;
    }
    finished_.wait(lock);
  }
}

void NonceTable::Finish(uint64_t group, uint64_t nonce, bool done) {
  if (nonce == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (done) {
    seen_[{group, nonce}] = true;
    done_.emplace_back(group, nonce);
    if (done_.size() > kMaxDone) {
      seen_.erase(done_.front());
      done_.pop_front();
    }
  } else {
    seen_.erase({group, nonce});
  }
  finished_.notify_all();
}

}  // namespace klip::server
