// MemoryPool: memory that several consumers share, each of which may take some of it.
#pragma once

#include <cstdint>

namespace klip::base {

// Used by one thread at a time.
class MemoryPool {
 public:
  virtual ~MemoryPool() = default;

  // Takes the bytes; false, and nothing is taken, if there are not as many. `anyway`: takes them also then; true if there were as many.
  virtual bool Take(int64_t bytes, bool anyway) = 0;
  virtual void Give(int64_t bytes) = 0;
};

}  // namespace klip::base
