#include "engine/view/open_snapshots.h"

namespace klip::engine {

bool OpenSnapshots::One::Expired() {
  using std::chrono::milliseconds;
  if (std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - since_).count() > max_age_ms_) {
    expired_.store(true, std::memory_order_release);
  }
  return expired_.load(std::memory_order_acquire);
}

std::shared_ptr<OpenSnapshots::One> OpenSnapshots::Open(int64_t max_age_ms) {
  auto one = std::make_shared<One>(max_age_ms);
  const std::lock_guard lock(mutex_);
  open_.remove_if([](const std::weak_ptr<One>& other) { return other.expired(); });
  open_.push_back(one);
  return one;
}

bool OpenSnapshots::Any() {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (const std::weak_ptr<One>& weak : open_) {
    const std::shared_ptr<One> one = weak.lock();
    any = (one != nullptr && !one->Expired()) || any;
  }
  return any;
}

}  // namespace klip::engine
