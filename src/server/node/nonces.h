// NonceTable: if an increment or append is repeated because its answer was lost, it must not be executed twice.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "engine/log/nonce.h"

namespace klip::server {

// Thread-safe.
class NonceTable {
 public:
  enum class State : uint8_t {
    kFirst,  // new: execute it, then call Finish
    kDone,   // executed already
  };

  // Adds what the store executed before its last restart, oldest first.
  void Recover(std::span<const engine::LoggedNonce> logged);

  // Waits while the same operation is running. Without a nonce, it is always kFirst.
  State Begin(const engine::Nonce& nonce);
  // `done` false: it failed and may be retried.
  void Finish(const engine::Nonce& nonce, bool done);

 private:
  using Key = std::pair<uint64_t, uint64_t>;

  void AddDone(const Key& key);  // REQUIRES: mutex_ is held

  std::mutex mutex_;
  std::condition_variable finished_;
  std::map<Key, bool> seen_;  // true: done, false: running; guarded by mutex_
  std::deque<Key> done_;      // oldest first; guarded by mutex_
};

// One change under a nonce, from Begin to Finish.
class Once {
 public:
  Once(NonceTable* nonces, const engine::Nonce& nonce)
      : nonces_(nonces),
        done_before_(nonces->Begin(nonce) == NonceTable::State::kDone),
        nonce_(done_before_ ? engine::Nonce{} : nonce) {}
  ~Once() { nonces_->Finish(nonce_, done_); }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  bool done_before() const { return done_before_; }
  // To be logged with the change; empty if it was executed before.
  const engine::Nonce& nonce() const { return nonce_; }
  void set_done(bool done) { done_ = done; }

 private:
  NonceTable* const nonces_;
  const bool done_before_;
  const engine::Nonce nonce_;
  bool done_ = false;
};

}  // namespace klip::server
