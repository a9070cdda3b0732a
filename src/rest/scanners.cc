#include "rest/scanners.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

namespace klip::rest {
namespace {

int64_t SteadyMs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

Scanners::Scanners(int64_t idle_ms, Clock clock) : idle_ms_(idle_ms), clock_(clock ? std::move(clock) : SteadyMs) {
  sweeper_ = std::thread([this] { DropIdleUntilStopped(); });
}

Scanners::~Scanners() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  sweeper_.join();
}

std::optional<std::string> Scanners::Add(std::shared_ptr<OpenScanner> scanner) {
  std::lock_guard lock(mutex_);
  if (open_.size() >= kMaxScanners) {
    return std::nullopt;
  }
  std::string id = std::to_string(++made_);
  open_[id] = {std::move(scanner), clock_()};
  return id;
}

std::shared_ptr<OpenScanner> Scanners::Find(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = open_.find(id);
  if (found == open_.end()) {
    return nullptr;
  }
  found->second.used_ms = clock_();
  return found->second.scanner;
}

bool Scanners::Close(const std::string& id) {
  std::shared_ptr<OpenScanner> closed;  // destroyed behind the lock: on a cluster that is a call
  std::lock_guard lock(mutex_);
  auto found = open_.find(id);
  if (found == open_.end()) {
    return false;
  }
  closed = std::move(found->second.scanner);
  open_.erase(found);
  return true;
}

void Scanners::DropIdle() {
  std::vector<std::shared_ptr<OpenScanner>> dropped;  // destroyed behind the lock
  std::lock_guard lock(mutex_);
  const int64_t now_ms = clock_();
  for (auto entry = open_.begin(); entry != open_.end();) {
    auto& [scanner, used_ms] = entry->second;
    used_ms = scanner.use_count() > 1 ? now_ms : used_ms;  // a request has it, however long that takes
    if (now_ms - used_ms <= idle_ms_) {
      ++entry;
      continue;
    }
    dropped.push_back(std::move(scanner));
    entry = open_.erase(entry);
  }
}

void Scanners::DropAll() {
  std::map<std::string, Entry> dropped;  // destroyed behind the lock
  std::lock_guard lock(mutex_);
  dropped.swap(open_);
}

void Scanners::DropIdleUntilStopped() {
  const auto period = std::chrono::milliseconds(std::clamp<int64_t>(idle_ms_ / 4, 100, 60'000));
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, period, [this] { return stop_; })) {
    lock.unlock();
    DropIdle();
    lock.lock();
  }
}

}  // namespace klip::rest
