// The numbers that clients give to their increments and appends, so that a repeated request is not executed twice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace klip::engine {

struct Nonce {
  uint64_t group = 0;   // of the client
  uint64_t number = 0;  // 0: none
};

struct LoggedNonce {
  Nonce nonce;
  int64_t time_ms = 0;  // of the write
};

// How long a client may retry (hbase.server.hashNonce.gracePeriod).
inline constexpr int64_t kNonceLifeMs = 30 * 60 * 1000;
// TUNING: this many take 20 MB of memory, and at 2,000 increments a second last for a minute and a half, longer than a
// client's whole timeout.
inline constexpr size_t kMaxNonces = 200000;

}  // namespace klip::engine
