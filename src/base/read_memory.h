// ReadMemory: grants memory while a large row is read, or an answer or a request grows, so that the reader stops before
// the process uses too much.
#pragma once

#include <cstddef>
#include <cstdint>

#include "klip/status.h"

namespace klip::base {

class ReadMemory {
 public:
  virtual ~ReadMemory() = default;

  // Requests `bytes` in total for the row, or piece of a row, that is being read. Errors end the read: kRegionTooBusy
  // (not now), kRowTooBig (never).
  virtual Status HoldRow(int64_t bytes) = 0;

  // Requests `bytes` in total for the rows read so far and kept for the answer. Errors as above.
  virtual Status HoldAnswer(int64_t /*bytes*/) { return Status::Ok(); }
  // Requests `bytes` in total for the part of the request received so far. Errors: kRegionTooBusy.
  virtual Status HoldRequest(int64_t /*bytes*/) { return Status::Ok(); }

  // The one of this thread's innermost scope; null: none.
  static ReadMemory* Current();
};

// Not copyable, and bound to the thread that creates it. `memory` outlives the scope.
class ReadMemoryScope {
 public:
  explicit ReadMemoryScope(ReadMemory* memory);
  ~ReadMemoryScope();
  ReadMemoryScope(const ReadMemoryScope&) = delete;
  ReadMemoryScope& operator=(const ReadMemoryScope&) = delete;

 private:
  ReadMemory* const outer_;
};

// Calls the innermost scope; Ok if there is none.
Status HoldAnswer(size_t bytes);
Status HoldRequest(size_t bytes);

}  // namespace klip::base
