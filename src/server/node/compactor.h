// Compactor: runs the compactions that clients request, after the call has returned, one at a time. A table is not queued
// twice.
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

  // For all families, or one.
  void Add(const std::string& table, bool major, const std::string& family = {});
  CompactionState StateOf(const std::string& table) const;
  // When the last requested major compaction of the table ended; 0: none since the server started.
  int64_t LastMajorMs(const std::string& table) const;
  // Waits for the running one; drops the queued ones.
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
  Job running_;                                   // without a table: none; guarded by mutex_
  std::map<std::string, int64_t> last_major_ms_;  // guarded by mutex_
  bool stopping_ = false;                         // guarded by mutex_
  std::thread thread_;                            // starts with the first job; guarded by mutex_
};

}  // namespace klip::server
