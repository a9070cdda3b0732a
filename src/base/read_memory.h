// ReadMemory: who is asked for memory while a large row is read, or an answer or a request gets large, so that whoever does that stops
// before the process has too much.
#pragma once

#include <cstddef>
#include <cstdint>

#include "klip/status.h"

namespace klip::base {

class ReadMemory {
 public:
  virtual ~ReadMemory() = default;

  // For `bytes` in all of the row, or the piece of one, that is being read. Errors end the read: kRegionTooBusy (not now),
  // kRowTooBig (never).
  virtual Status HoldRow(int64_t bytes) = 0;

  // For `bytes` in all of the rows that were read so far and are kept for the answer. Errors as above.
  virtual Status HoldAnswer(int64_t /*bytes*/) { return Status::Ok(); }
  // For `bytes` in all of the request, as far as it has come. Errors: kRegionTooBusy.
  virtual Status HoldRequest(int64_t /*bytes*/) { return Status::Ok(); }

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

// Of the innermost scope; Ok when there is none.
Status HoldAnswer(size_t bytes);
Status HoldRequest(size_t bytes);

}  // namespace klip::base
