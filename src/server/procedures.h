// ProcedureTable: what became of changes that clients poll for. klip makes them at once, so a procedure is finished when its
// number is told; an error of it is told when it is polled, or at once, as HBase does for each kind.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "rpc/error.h"

namespace klip::server {

// Thread-safe.
class ProcedureTable {
 public:
  struct Outcome {
    int64_t submitted_ms = 0;
    rpc::Error error;
  };

  // The number to poll for.
  uint64_t Add(rpc::Error error, int64_t now_ms);
  std::optional<Outcome> Find(uint64_t id) const;

  // The procedure that the same call had when it was sent before; 0: none. A nonce of 0 is none.
  uint64_t OfNonce(uint64_t group, uint64_t nonce) const;
  void SetNonce(uint64_t group, uint64_t nonce, uint64_t id);

 private:
  mutable std::mutex mutex_;
  uint64_t last_id_ = 0;                                      // guarded by mutex_
  std::map<uint64_t, Outcome> outcomes_;                      // guarded by mutex_
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> nonces_;  // guarded by mutex_
  std::deque<std::pair<uint64_t, uint64_t>> nonce_order_;     // guarded by mutex_
};

}  // namespace klip::server
