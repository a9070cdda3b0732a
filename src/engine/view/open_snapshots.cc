#include "engine/view/open_snapshots.h"

namespace klip::engine {

std::shared_ptr<OpenSnapshots::One> OpenSnapshots::Open(int64_t until_ms) {
  auto one = std::make_shared<One>();
  one->until_ms = until_ms;
  const std::lock_guard lock(mutex_);
  open_.remove_if([](const std::weak_ptr<One>& other) { return other.expired(); });
  open_.push_back(one);
  return one;
}

bool OpenSnapshots::Any(int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  bool any = false;
  for (const std::weak_ptr<One>& weak : open_) {
    if (const std::shared_ptr<One> one = weak.lock(); one != nullptr) {
      if (now_ms > one->until_ms) {
        one->expired.store(true, std::memory_order_release);
      }
      any = any || !one->expired.load(std::memory_order_relaxed);
    }
  }
  return any;
}

}  // namespace klip::engine
