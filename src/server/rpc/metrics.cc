#include "server/rpc/metrics.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <sys/resource.h>
#include <unistd.h>

#include "base/process.h"

namespace klip::server {
namespace {

std::string Seconds(double value) {
  std::array<char, 40> text = {};
  const int bytes = std::snprintf(text.data(), text.size(), "%.6g", value);
  return {text.data(), static_cast<size_t>(bytes)};
}

constexpr double kMicro = 1e-6;

}  // namespace

void CallTimes::Add(int64_t us) {
  const auto at = std::lower_bound(kLatencyBoundsUs.begin(), kLatencyBoundsUs.end(), us);
  counts_[static_cast<size_t>(at - kLatencyBoundsUs.begin())].fetch_add(1, std::memory_order_relaxed);
  sum_us_.fetch_add(us, std::memory_order_relaxed);
}

int64_t CallTimes::count() const {
  int64_t sum = 0;
  for (const std::atomic<int64_t>& count : counts_) {
    sum += count.load(std::memory_order_relaxed);
  }
  return sum;
}

void CallTimes::Print(std::string_view name, std::string_view labels, std::string* out) const {
  const std::string begin(name);
  const std::string set(labels);
  int64_t sum = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i].load(std::memory_order_relaxed);
    const std::string bound =
        i < kLatencyBoundsUs.size() ? Seconds(static_cast<double>(kLatencyBoundsUs[i]) * kMicro) : "+Inf";
    *out += begin + "_bucket{" + set + ",le=\"" + bound + "\"} " + std::to_string(sum) + "\n";
  }
  *out += begin + "_sum{" + set + "} " +
          Seconds(static_cast<double>(sum_us_.load(std::memory_order_relaxed)) * kMicro) + "\n";
  *out += begin + "_count{" + set + "} " + std::to_string(sum) + "\n";
}

void Metrics::AddError(const std::string& java_class) {
  const std::lock_guard lock(mutex_);
  ++errors_[java_class];
}

std::map<std::string, int64_t> Metrics::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void MetricsPage::Begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ").append(name).append(" ");
  text_.append(type).append("\n");
}

void MetricsPage::Add(int64_t value, std::string_view labels) {
  text_ += name_;
  if (!labels.empty()) {
    text_.append("{").append(labels).append("}");
  }
  text_.append(" ").append(std::to_string(value)).append("\n");
}

void MetricsPage::AddSeconds(double value) { text_.append(name_).append(" ").append(Seconds(value)).append("\n"); }

void AddProcessMetrics(MetricsPage* page) {
  page->Begin("process_resident_memory_bytes", "gauge", "Resident memory.");
  page->Add(base::ResidentBytes());

  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
  };
  page->Begin("process_cpu_seconds_total", "counter", "User and system time.");
  page->AddSeconds(seconds(used.ru_utime) + seconds(used.ru_stime));

  std::error_code failed;
  int64_t descriptors = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failed), end; !failed && at != end;
       at.increment(failed)) {
    ++descriptors;
  }
  page->Begin("process_open_fds", "gauge", "Open file descriptors.");
  page->Add(descriptors);
}

}  // namespace klip::server
