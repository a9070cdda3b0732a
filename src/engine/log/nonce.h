// What clients call their increments and appends, so that one that is sent again is not done again.
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

// As long a client may try again (hbase.server.hashNonce.gracePeriod).
inline constexpr int64_t kNonceLifeMs = 30 * 60 * 1000;
// TUNING: this many need 20 MB in memory, and at 2,000 increments a second last for a minute and a half, which is more than a
// client's whole time-out.
inline constexpr size_t kMaxNonces = 200000;

}  // namespace klip::engine
