// CallMemory: what a call of a gateway (REST, SQL, Thrift) holds of a budget, from its request until its answer is sent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/read_memory.h"
#include "klip/status.h"
#include "net/memory.h"

namespace klip::net {

// Not thread-safe.
class CallMemory final : public base::ReadMemory {
 public:
  // `budget` null: holds anything. `share` null: of no connection. Both outlive it and the lease that it passes on.
  explicit CallMemory(MemoryBudget* budget, MemoryShare* share = nullptr) : lease_(budget, share) {}

  Status HoldRow(int64_t bytes) override;
  Status HoldAnswer(int64_t bytes) override;
  Status HoldRequest(int64_t bytes) override;

  // Of the answer as it is sent; the rest goes back.
  MemoryLease PassOn(size_t bytes);

 private:
  Status Hold();

  MemoryLease lease_;
  int64_t request_bytes_ = 0;
  int64_t answer_bytes_ = 0;  // of the rows before the one that is read
  int64_t row_bytes_ = 0;
};

}  // namespace klip::net
