#include "engine/statistics/kept_stretches.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace klip::engine {

KeptStretches::List::iterator KeptStretches::At(uint32_t family) {
  return std::ranges::find(kept_, family, &Kept::family);
}

void KeptStretches::EraseAt(List::iterator at) {
  bytes_ -= at->bytes;
  kept_.erase(at);
}

void KeptStretches::Put(uint32_t family, std::shared_ptr<const filter::RowStretches> stretches) {
  const size_t bytes = stretches->bytes();
  const std::lock_guard lock(mutex_);
  if (const auto before = At(family); before != kept_.end()) {
    EraseAt(before);
  }
  kept_.push_front({.family = family, .bytes = bytes, .stretches = std::move(stretches)});
  bytes_ += bytes;
  while (bytes_ > most_bytes_) {
    EraseAt(std::prev(kept_.end()));
  }
}

std::shared_ptr<const filter::RowStretches> KeptStretches::Find(uint32_t family) {
  const std::lock_guard lock(mutex_);
  const auto found = At(family);
  if (found == kept_.end()) {
    return nullptr;
  }
  kept_.splice(kept_.begin(), kept_, found);
  return found->stretches;
}

void KeptStretches::Erase(uint32_t family) {
  const std::lock_guard lock(mutex_);
  if (const auto found = At(family); found != kept_.end()) {
    EraseAt(found);
  }
}

size_t KeptStretches::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace klip::engine
