// The server's counters, and their format for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace klip::server {

// Upper bounds of the histogram of call times, in microseconds.
inline constexpr std::array<int64_t, 16> kLatencyBoundsUs = {
    100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};

// The calls of one method by their time from arrival to answer. Thread-safe.
class CallTimes {
 public:
  void Add(int64_t us);
  int64_t count() const;
  // Samples of a histogram named `name`, in seconds. `labels`: method="Get",...
  void Print(std::string_view name, std::string_view labels, std::string* out) const;

 private:
  std::array<std::atomic<int64_t>, kLatencyBoundsUs.size() + 1> counts_ = {};
  std::atomic<int64_t> sum_us_ = 0;
};

// Thread-safe.
struct Metrics {
  std::atomic<int64_t> slow_calls = 0;
  std::atomic<int64_t> expired_calls = 0;
  std::atomic<int64_t> calls = 0;
  std::atomic<int64_t> calls_per_second = 0;  // recently

  void AddError(const std::string& java_class);
  std::map<std::string, int64_t> errors() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int64_t> errors_;  // guarded by mutex_
};

// Prometheus' text format, version 0.0.4.
class MetricsPage {
 public:
  // Call it before the samples of a metric. `type`: counter, gauge or histogram.
  void Begin(std::string_view name, std::string_view type, std::string_view help);
  // A sample of the current metric.
  void Add(int64_t value, std::string_view labels = {});
  void AddSeconds(double value);
  void Add(const CallTimes& times, std::string_view labels) { times.Print(name_, labels, &text_); }

  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

// Memory, CPU time and descriptors of this process, with the names of Prometheus' own clients.
void AddProcessMetrics(MetricsPage* page);

}  // namespace klip::server
