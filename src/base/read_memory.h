// ReadMemory: who is asked for memory while a large row is read, so that the reader stops before the process has too much.
#pragma once

#include <cstdint>

#include "klip/status.h"

namespace klip::base {

class ReadMemory {
 public:
  virtual ~ReadMemory() = default;

  // For `bytes` in all of the row, or the piece of one, that is being read. Errors end the read: kRegionTooBusy (not now),
  // kRowTooBig (never).
  virtual Status HoldRow(int64_t bytes) = 0;

  // That of the innermost scope of this thread; null: nobody asks.
  static ReadMemory* Current();
};

// Not copyable, and bound to the thread that makes it. `memory` outlives the scope.
class ReadMemoryScope {
 public:
  explicit ReadMemoryScope(ReadMemory* memory);
  ~ReadMemoryScope();
  ReadMemoryScope(const ReadMemoryScope&) = delete;
  ReadMemoryScope& operator=(const ReadMemoryScope&) = delete;

 private:
  ReadMemory* const outer_;
};

}  // namespace klip::base
