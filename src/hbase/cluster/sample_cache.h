// SampleCache: the statistics that were estimated from samples of a cluster's tables, for a minute.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "klip/plan.h"

namespace klip::client {

// Thread-safe.
class SampleCache {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kMaxAge{60};
  static constexpr size_t kMost = 256;  // tables

  std::optional<TableStatistics> Find(const std::string& table, Clock::time_point now) const {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(table);
    return found == tables_.end() || now - found->second.sampled > kMaxAge ? std::nullopt
                                                                           : std::optional(found->second.statistics);
  }

  void Put(const std::string& table, const TableStatistics& statistics, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (tables_.size() >= kMost && !tables_.contains(table)) {
      tables_.erase(std::ranges::min_element(tables_, {}, [](const auto& one) { return one.second.sampled; }));
    }
    tables_[table] = {statistics, now};
  }

 private:
  struct Sampled {
    TableStatistics statistics;
    Clock::time_point sampled;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Sampled> tables_;  // guarded by mutex_
};

}  // namespace klip::client
