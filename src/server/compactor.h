// Compactor: compactions that clients ask for run behind the call, one at a time. A table that waits for one is not queued again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "klip/admin.h"

namespace klip::server {

class Compactor {
 public:
  enum class State : uint8_t { kNone, kMinor, kMajor, kBoth };

  explicit Compactor(Admin* admin) : admin_(admin) {}
  ~Compactor() { Stop(); }

  void Add(const std::string& table, bool major);
  State StateOf(const std::string& table) const;
  // Waits for the one that runs; those that wait are dropped.
  void Stop();

 private:
  struct Job {
    std::string table;
    bool major = false;
    bool operator==(const Job&) const = default;
  };

  void Loop();

  Admin* const admin_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;  // guarded by mutex_
  Job running_;              // no table: none; guarded by mutex_
  bool stopping_ = false;    // guarded by mutex_
  std::thread thread_;       // starts with the first job; guarded by mutex_
};

}  // namespace klip::server
