#include "server/call_queue.h"

#include <iterator>
#include <utility>

namespace klip::server {
namespace {

// More is not read: clients wait, memory does not grow.
constexpr size_t kMaxCalls = 1000;
constexpr size_t kMaxBytes = 256 << 20;

}  // namespace

void CallQueue::SetPlaces(int places, int urgent_places) {
  places_ = places;
  urgent_places_ = urgent_places;
}

bool CallQueue::TakeOneOf(int places) {
  int taken = taken_;
  while (taken < places) {
    if (taken_.compare_exchange_weak(taken, taken + 1)) {
      return true;
    }
  }
  return false;
}

bool CallQueue::Push(std::vector<TaskPtr>* calls, Channel* from) {
  const std::lock_guard lock(mutex_);
  for (TaskPtr& call : *calls) {
    bytes_ += call->bytes();
    calls_.push_back(std::move(call));
  }
  calls->clear();
  CountSize();
  if (size_ <= kMaxCalls && bytes_ <= kMaxBytes) {
    return true;
  }
  held_up_.push_back(from->shared_from_this());
  return false;
}

TaskPtr CallQueue::Take(std::vector<std::shared_ptr<Channel>>* to_read) {
  if (size_ == 0) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  const bool any = size_ > 0 && TakePlace();
  if (!any) {
    FindUrgent();
    if (urgent_.empty() || !TakeOneOf(urgent_places_)) {
      return nullptr;
    }
  }
  std::deque<TaskPtr>& from = urgent_.empty() ? calls_ : urgent_;
  TaskPtr call = std::move(from.front());
  from.pop_front();
  if (&from == &calls_ && judged_ > 0) {
    --judged_;
  }
  bytes_ -= call->bytes();
  CountSize();
  if (size_ <= kMaxCalls / 2 && bytes_ <= kMaxBytes / 2) {
    std::move(held_up_.begin(), held_up_.end(), std::back_inserter(*to_read));
    held_up_.clear();
  }
  return call;
}

void CallQueue::FindUrgent() {
  while (judged_ < calls_.size()) {
    if (calls_[judged_]->urgent()) {
      urgent_.push_back(std::move(calls_[judged_]));
      calls_.erase(calls_.begin() + static_cast<ptrdiff_t>(judged_));
    } else {
      ++judged_;
    }
  }
}

void CallQueue::CountSize() { size_ = calls_.size() + urgent_.size(); }

void CallQueue::Clear() {
  std::deque<TaskPtr> calls;
  std::deque<TaskPtr> urgent;
  std::vector<std::shared_ptr<Channel>> held_up;
  const std::lock_guard lock(mutex_);
  calls.swap(calls_);
  urgent.swap(urgent_);
  held_up.swap(held_up_);
  judged_ = 0;
  bytes_ = 0;
  CountSize();
}

}  // namespace klip::server
