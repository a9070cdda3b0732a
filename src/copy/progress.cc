#include "copy/progress.h"

#include <algorithm>
#include <string>
#include <utility>

namespace klip::copy {
namespace {

constexpr std::chrono::milliseconds kTellEvery{100};

}  // namespace

Progress::Progress(const CopyOptions& options, std::vector<KeyRange> ranges)
    : tell_(options.progress), ranges_(std::move(ranges)) {}

// The position of a key among all ranges, from 0 to 1.
double Progress::Position(std::string_view key, bool is_stop) const {
  if (ranges_.empty() || (is_stop && key.empty())) {
    return 1;
  }
  const auto above = std::ranges::upper_bound(ranges_, key, {},
                                              [](const KeyRange& range) -> const std::string& { return range.start; });
  const auto index = above - ranges_.begin();
  if (index == 0) {
    return 0;
  }
  const KeyRange& range = ranges_[static_cast<size_t>(index - 1)];
  // Keys above every digit and letter are rare: an open range is assumed to end there.
  const std::string stop = range.stop.empty() ? range.start + "~" : range.stop;
  const double inside = range.start < stop ? Fraction(range.start, stop, key) : 0;
  return (static_cast<double>(index - 1) + inside) / static_cast<double>(ranges_.size());
}

double Progress::Share(std::string_view from, std::string_view to) const {
  return std::max(0.0, Position(to, /*is_stop=*/true) - Position(from, /*is_stop=*/false));
}

void Progress::Resume(const KeyRange& range, const CopyCounts& counts) {
  const std::scoped_lock lock(mutex_);
  sum_.counts += counts;
  sum_.fraction += Share(range.start, range.stop);
}

void Progress::Advance(const CopyCounts& more, std::string_view from, std::string_view to) {
  const std::scoped_lock lock(mutex_);
  sum_.counts += more;
  sum_.fraction = std::min(1.0, sum_.fraction + Share(from, to));
  const Clock::time_point now = Clock::now();
  if (tell_ != nullptr && now - told_ >= kTellEvery) {
    told_ = now;
    sum_.elapsed_us = std::chrono::duration_cast<std::chrono::microseconds>(now - start_).count();
    tell_(sum_);
  }
}

CopyCounts Progress::counts() const {
  const std::scoped_lock lock(mutex_);
  return sum_.counts;
}

}  // namespace klip::copy
