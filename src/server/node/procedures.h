// ProcedureTable: what became of changes that clients poll for. klip makes them within the call, so a procedure is finished when its
// number is told, but to a client that has sent its call again meanwhile. An error of it is told when it is polled, or at once, as
// HBase does for each kind.
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
  struct Procedure {
    int64_t submitted_ms = 0;
    std::optional<rpc::Error> outcome = std::nullopt;  // none: it is running
  };
  struct Begun {
    uint64_t id = 0;  // the number to poll for
    bool first = false;
  };

  // Not the first: the same call was sent before, and is not made again. A nonce of 0 is none. After the first, call Finish.
  Begun Begin(uint64_t group, uint64_t nonce, int64_t now_ms);
  void Finish(uint64_t id, rpc::Error outcome);
  std::optional<Procedure> Find(uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  uint64_t last_id_ = 0;                                      // guarded by mutex_
  std::map<uint64_t, Procedure> procedures_;                  // guarded by mutex_
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> nonces_;  // guarded by mutex_
  std::deque<std::pair<uint64_t, uint64_t>> nonce_order_;     // guarded by mutex_
};

}  // namespace klip::server
