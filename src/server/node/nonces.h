// NonceTable: an increment or append that a client sends again, because the answer was lost, must not happen twice.
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
    kFirst,  // not seen before: do it, then call Finish
    kDone,   // done already
  };

  // What a former life of the store has done, oldest first.
  void Recover(std::span<const engine::LoggedNonce> logged);

  // Waits while the same operation is still running. No nonce is always first.
  State Begin(const engine::Nonce& nonce);
  // `done` false: it failed and may be tried again.
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
  // To be logged with the change; none when it was done before.
  const engine::Nonce& nonce() const { return nonce_; }
  void set_done(bool done) { done_ = done; }

 private:
  NonceTable* const nonces_;
  const bool done_before_;
  const engine::Nonce nonce_;
  bool done_ = false;
};

}  // namespace klip::server
