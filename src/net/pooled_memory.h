// PooledMemory: what one client's statements hold of a MemoryBudget.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory_pool.h"
#include "net/memory.h"

namespace klip::net {

class PooledMemory final : public base::MemoryPool {
 public:
  // `budget` null: unlimited. It outlives this.
  explicit PooledMemory(MemoryBudget* budget) : lease_(budget, &share_) {}

  bool Take(int64_t bytes, bool anyway) override {
    const auto wanted = static_cast<size_t>(taken_bytes_ + bytes);
    const bool held = lease_.Hold(wanted);
    if (!held && anyway) {
      lease_.HoldAnyway(wanted);
    }
    taken_bytes_ += held || anyway ? bytes : 0;
    return held;
  }
  void Give(int64_t bytes) override {
    taken_bytes_ -= bytes;
    lease_.Shrink(static_cast<size_t>(taken_bytes_));
  }

 private:
  MemoryShare share_;
  MemoryLease lease_;  // of share_, so destroyed before it
  int64_t taken_bytes_ = 0;
};

}  // namespace klip::net
