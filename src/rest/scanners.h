// The scanners that clients have open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/open_handles.h"
#include "klip/query.h"
#include "klip/table.h"
#include "net/memory.h"

namespace klip::rest {

inline constexpr size_t kMaxScanners = 1000;  // more are refused
inline constexpr int64_t kScannerIdleMs = 10 * 60 * 1000;

// The state between two requests of its client.
struct OpenScanner {
  std::mutex mutex;  // for concurrent requests
  std::unique_ptr<Table> table;
  std::unique_ptr<ResultScanner> rows;
  int64_t batch = INT64_MAX;  // cells per answer
  Result result;              // the unsent rest starts at `next`
  size_t next = 0;
  net::MemoryLease memory;  // of that rest
};

using Scanners = base::OpenHandles<OpenScanner>;

}  // namespace klip::rest
