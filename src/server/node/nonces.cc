#include "server/node/nonces.h"

namespace klip::server {

NonceTable::State NonceTable::Begin(const engine::Nonce& nonce) {
  if (nonce.number == 0) {
    return State::kFirst;
  }
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto [at, added] = seen_.try_emplace({nonce.group, nonce.number}, false);
    if (added) {
      return State::kFirst;
    }
    if (at->second) {
      return State::kDone;
    }
    finished_.wait(lock);
  }
}

void NonceTable::Finish(const engine::Nonce& nonce, bool done) {
  if (nonce.number == 0) {
    return;
  }
  const Key key = {nonce.group, nonce.number};
  const std::lock_guard lock(mutex_);
  if (done) {
    AddDone(key);
  } else {
    seen_.erase(key);
  }
  finished_.notify_all();
}

void NonceTable::Recover(std::span<const engine::LoggedNonce> logged) {
  const std::lock_guard lock(mutex_);
  for (const engine::LoggedNonce& one : logged) {
    AddDone({one.nonce.group, one.nonce.number});
  }
}

void NonceTable::AddDone(const Key& key) {
  seen_[key] = true;
  done_.push_back(key);
  if (done_.size() > engine::kMaxNonces) {
    seen_.erase(done_.front());
    done_.pop_front();
  }
}

}  // namespace klip::server
