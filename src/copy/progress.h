// The progress of a copy, reported to its caller some times a second.
#pragma once

#include <chrono>
#include <mutex>
#include <string_view>

#include "copy/key_range.h"
#include "klip/copy.h"

namespace klip::copy {

// Thread-safe.
class Progress {
 public:
  // `ranges`: everything to copy; all ranges have the same weight.
  Progress(const CopyOptions& options, std::vector<KeyRange> ranges);

  // Adds what an interrupted copy has done.
  void Resume(const KeyRange& range, const CopyCounts& counts);
  // Rows from `from` up to below `to` are done.
  void Advance(const CopyCounts& more, std::string_view from, std::string_view to);

  CopyCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;

  double Position(std::string_view key, bool is_stop) const;
  double Share(std::string_view from, std::string_view to) const;

  const std::function<void(const CopyProgress&)> tell_;
  const std::vector<KeyRange> ranges_;
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;
  CopyProgress sum_;                 // guarded by mutex_
  Clock::time_point told_ = start_;  // guarded by mutex_
};

}  // namespace klip::copy
