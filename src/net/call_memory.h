// CallMemory: the part of a memory budget that a call of a gateway (REST, SQL, Thrift) holds, from its request until its
// answer is sent.
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
  // `budget` null: unlimited. `share` null: of no connection. Both outlive it and the lease that it passes on.
  explicit CallMemory(MemoryBudget* budget, MemoryShare* share = nullptr) : lease_(budget, share) {}

  Status HoldRow(int64_t bytes) override;
  Status HoldAnswer(int64_t bytes) override;
  Status HoldRequest(int64_t bytes) override;

  // The lease for the answer while it is sent; releases the rest.
  MemoryLease PassOn(size_t bytes);

 private:
  Status Hold();

  MemoryLease lease_;
  int64_t request_bytes_ = 0;
  int64_t answer_bytes_ = 0;  // of the rows before the current one
  int64_t row_bytes_ = 0;
};

}  // namespace klip::net
