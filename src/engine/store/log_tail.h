// LogTail: reads the log from a position on, record by record across all log files, and continues as it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/log/log_position.h"
#include "engine/log/log_reader.h"
#include "engine/store/store.h"
#include "klip/status.h"

namespace klip::engine {

// Not thread-safe.
class LogTail {
 public:
  // `store` outlives it.
  LogTail(const Store* store, const LogPosition& from) : store_(store), position_(from), skip_through_(from.sequence) {}

  // False: no more records for now. Records that readers do not see yet are not returned. Errors: kIoError; kCorruption,
  // also if a file that has a successor cannot be read to its end, unless the successor shows that a crash cut it off.
  // The next call retries.
  Expected<bool> Next(std::string* record);

  // After the last record returned.
  const LogPosition& position() const { return position_; }
  // The number of log files that contain records still to be returned.
  size_t files() const { return files_; }
  // Whether logs were deleted before they were read, by an older klip or by hand.
  bool skipped_logs() const { return skipped_logs_; }

 private:
  // Null: the file does not exist any more.
  Expected<std::unique_ptr<LogReader>> OpenReader(uint64_t log) const;
  // Opens the file at the position, or the next existing one. False: none.
  Expected<bool> OpenFile();
  // The number of the next file; 0: none. A file with a successor does not grow any more.
  Expected<uint64_t> NextLog();
  // Fails if a part of a record follows the last one that was read.
  Status CheckEnd() const;
  // The sequence number of the first record in that file or a later one; 0: none yet.
  Expected<uint64_t> FirstSequence(uint64_t from_log) const;

  const Store* const store_;
  LogPosition position_;
  uint64_t skip_through_;  // in the first file
  uint64_t last_ = 0;      // sequence number read
  std::unique_ptr<LogReader> reader_;
  size_t files_ = 0;
  uint64_t end_at_ = UINT64_MAX;  // the newest sequence number when the end was reached
  bool skipped_logs_ = false;
};

}  // namespace klip::engine
