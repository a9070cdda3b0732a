// NonceTable: an increment or append that a client sends again, because the answer was lost, must not happen twice.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace klip::server {

// Thread-safe.
class NonceTable {
 public:
  enum class State : uint8_t {
    kFirst,  // not seen before: do it, then call Finish
    kDone,   // done already
  };

  // Waits while the same operation is still running. (0, 0) is no nonce and always first.
  State Begin(uint64_t group, uint64_t nonce);
  // `done` false: it failed and may be tried again.
  void Finish(uint64_t group, uint64_t nonce, bool done);

 private:
  using Key = std::pair<uint64_t, uint64_t>;

  std::mutex mutex_;
  std::condition_variable finished_;
  std::map<Key, bool> seen_;  // true: done, false: running; guarded by mutex_
  std::deque<Key> done_;      // oldest first; guarded by mutex_
};

}  // namespace klip::server
