// Compactor: compactions that clients ask for run behind the call, one at a time. A table that waits for one is not queued again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "klip/admin.h"

namespace klip::server {

class Compactor {
 public:
  Compactor(Admin* admin, std::function<int64_t()> clock_ms) : admin_(admin), clock_ms_(std::move(clock_ms)) {}
  ~Compactor() { Stop(); }

  // Of all families, or of one.
  void Add(const std::string& table, bool major, const std::string& family = {});
  CompactionState StateOf(const std::string& table) const;
  // When the last major compaction of the table that was asked for here ended; 0: there was none since the server started.
  int64_t LastMajorMs(const std::string& table) const;
  // Waits for the one that runs; those that wait are dropped.
  void Stop();

 private:
  struct Job {
    std::string table;
    bool major = false;
    std::string family;
    bool operator==(const Job&) const = default;
  };

  void Loop();

  Admin* const admin_;
  const std::function<int64_t()> clock_ms_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;                       // guarded by mutex_
  Job running_;                                   // no table: none; guarded by mutex_
  std::map<std::string, int64_t> last_major_ms_;  // guarded by mutex_
  bool stopping_ = false;                         // guarded by mutex_
  std::thread thread_;                            // starts with the first job; guarded by mutex_
};

}  // namespace klip::server
