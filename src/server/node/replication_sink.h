// Counters of replicated edits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace klip::server {

// Thread-safe.
struct ReplicationSinkCounts {
  std::atomic<int64_t> cells{0};
  std::atomic<int64_t> last_applied_ms{0};  // 0: none yet
  std::atomic<int64_t> age_ms{0};           // of the last edit when it arrived

  void Applied(int64_t count, int64_t written_ms, int64_t now_ms) {
    cells.fetch_add(count, std::memory_order_relaxed);
    last_applied_ms.store(now_ms, std::memory_order_relaxed);
    // The peer's clock may be wrong.
    age_ms.store(std::max<int64_t>(0, now_ms - std::max<int64_t>(0, written_ms)), std::memory_order_relaxed);
  }
};

}  // namespace klip::server
