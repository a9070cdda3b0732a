// ProcedureTable: the outcomes of changes for which clients poll. klip makes a change within the call, so a procedure is
// finished when its client gets the number, unless the client has repeated its call meanwhile. As in HBase, the kind of
// change decides whether its error is returned at once or when it is polled.
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
    std::optional<rpc::Error> outcome = std::nullopt;  // nullopt: it is running
  };
  struct Begun {
    uint64_t id = 0;  // for polling
    bool first = false;
  };

  // Not first: the same call was received before, and is not executed again. A nonce of 0 means none. If first, call
  // Finish afterwards.
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
