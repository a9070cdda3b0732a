// Sequence: ever-growing numbers that order the writes in a row, also across restarts. The file SEQUENCE has the upper
// bound of the numbers in use: after a restart, counting starts there.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "engine/store/database.h"
#include "engine/store/writer.h"
#include "klip/status.h"

namespace klip::engine {

inline constexpr const char* kSequenceName = "SEQUENCE";

// Thread-safe.
class Sequence {
 public:
  // Both outlive it.
  Sequence(const Database* database, Writer* writer) : database_(database), writer_(writer) {}

  // Call it before the first Next. REQUIRES: the database is open. Errors: kCorruption naming the file.
  Status Read();
  uint64_t Next();

 private:
  void Reserve(uint64_t number);

  const Database* const database_;
  Writer* const writer_;
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> limit_{0};  // numbers below it are reserved in SEQUENCE
  std::mutex mutex_;                // held while reserving more
};

}  // namespace klip::engine
