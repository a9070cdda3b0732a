// Scrubber: reads all files of an open store again and again, slowly, to find damage while an intact backup still exists.
// It only reads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

struct ScrubOptions {
  std::string store;                                                // its directory
  int64_t bytes_per_second = 0;                                     // the maximum
  std::chrono::milliseconds first_pause = std::chrono::minutes(1);  // before the first round
  std::chrono::milliseconds pause = std::chrono::hours(24);         // between two rounds
  // Called by the scrubber's thread for each newly damaged file, and with an empty `file` at the end of each round.
  std::function<void(const std::string& file, const std::string& what)> tell;
};

struct ScrubState {
  int64_t bytes = 0;                           // read so far
  int64_t rounds = 0;                          // completed
  std::map<std::string, std::string> damaged;  // in the last complete round and the current one: file to what is wrong
};

class Scrubber {
 public:
  // Starts. REQUIRES: `options.bytes_per_second` is positive.
  explicit Scrubber(ScrubOptions options);
  // Stops promptly.
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  // Thread-safe.
  ScrubState Tell() const;

 private:
  class SlowFiles;
  class SlowFile;

  void Run();
  void Round();
  // Waits until so many bytes may be read. False: the scrubber is stopping.
  bool Take(size_t bytes);

  const ScrubOptions options_;
  const std::unique_ptr<rocksdb::Env> env_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_, as is state_
  ScrubState state_;
  std::chrono::steady_clock::time_point free_at_;  // when the bytes read so far are used up; of its thread
  std::thread thread_;
};

}  // namespace klip::engine
