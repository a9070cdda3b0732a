// LogTail: what was logged from some point on, record by record over all log files, to the end and on as it grows.
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

  // False: that was all, for now. What is not visible to readers yet is not returned. Errors: kCorruption, also when
  // a file that has a next one cannot be read to its end, unless the next one shows that a crash left it so;
  // kIoError. The next call tries again.
  Expected<bool> Next(std::string* record);

  // Behind the last record returned.
  const LogPosition& position() const { return position_; }
  // How many log files hold what is still to come, and a part of what was.
  size_t files() const { return files_; }
  // Of logs that were gone before they were read: an older klip had the store, or somebody deleted them.
  bool skipped_logs() const { return skipped_logs_; }

 private:
  // Null: it is gone.
  Expected<std::unique_ptr<LogReader>> OpenReader(uint64_t log) const;
  // Opens the file at the position, or the next one there is. False: none.
  Expected<bool> OpenFile();
  // The number of the next file; 0: there is none. A file with a next one grows no more.
  Expected<uint64_t> NextLog();
  // Of the first record in that file or a later one; 0: there is none yet.
  Expected<uint64_t> FirstSequence(uint64_t from_log) const;

  const Store* const store_;
  LogPosition position_;
  uint64_t skip_through_;  // in the first file
  uint64_t last_ = 0;      // sequence number read
  std::unique_ptr<LogReader> reader_;
  size_t files_ = 0;
  uint64_t end_at_ = UINT64_MAX;  // the last sequence number there was when the end was met
  bool skipped_logs_ = false;
};

}  // namespace klip::engine
