#include "net/call_queue.h"

#include <algorithm>
#include <utility>

namespace klip::net {
namespace {

// More of a kind is not read: clients wait, memory does not grow.
constexpr size_t kMaxCalls = 1000;
constexpr size_t kMaxBytes = 256 << 20;

bool TakeOne(std::atomic<int>* taken, int most) {
  int now = *taken;
  while (now < most) {
    if (taken->compare_exchange_weak(now, now + 1)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void CallQueue::SetPlaces(int places, int urgent_places) {
  places_ = places;
  urgent_places_ = urgent_places;
  master_places_ = std::max(1, urgent_places - places);
}

bool CallQueue::TakeOneOf(int places, bool of_master) {
  if (of_master && !TakeOne(&taken_by_master_, master_places_)) {
    return false;
  }
  if (TakeOne(&taken_, places)) {
    return true;
  }
  taken_by_master_ -= of_master ? 1 : 0;
  return false;
}

void CallQueue::GivePlace(bool of_master) {
  taken_by_master_ -= of_master ? 1 : 0;
  --taken_;
}

CallQueue::Kind CallQueue::KindOf(const Task& call) {
  if (call.of_master()) {
    return kMasters;
  }
  return call.urgent() ? kUrgent : kOrdinary;
}

void CallQueue::Push(std::vector<TaskPtr>* calls, Channel* from) {
  std::vector<Kind> kinds;
  kinds.reserve(calls->size());
  for (const TaskPtr& call : *calls) {
    kinds.push_back(KindOf(*call));
  }
  const std::lock_guard lock(mutex_);
  Lane* full = nullptr;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Lane& lane = lanes_[kinds[i]];
    lane.bytes += (*calls)[i]->bytes();
    lane.calls.push_back({next_number_++, std::move((*calls)[i])});
    full = lane.IsOver(kMaxCalls, kMaxBytes) ? &lane : full;
  }
  calls->clear();
  size_ += kinds.size();
  if (full != nullptr && from->StopReading()) {
    full->held_up.push_back(from->shared_from_this());
  }
}

CallQueue::Lane* CallQueue::TakeLane() {
  std::array<Lane*, kKinds> by_age = {&lanes_[kOrdinary], &lanes_[kUrgent], &lanes_[kMasters]};
  const auto end = std::remove_if(by_age.begin(), by_age.end(), [](const Lane* lane) { return lane->calls.empty(); });
  std::sort(by_age.begin(), end, [](const Lane* a, const Lane* b) { return a->calls[0].number < b->calls[0].number; });
  const auto taken = std::find_if(by_age.begin(), end, [this](const Lane* lane) {
    return TakeOneOf(lane == &lanes_[kOrdinary] ? places_ : urgent_places_, lane == &lanes_[kMasters]);
  });
  return taken == end ? nullptr : *taken;
}

TaskPtr CallQueue::Take(std::vector<std::shared_ptr<Channel>>* to_read) {
  if (size_ == 0) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  Lane* const lane = TakeLane();
  if (lane == nullptr) {
    return nullptr;
  }
  TaskPtr call = std::move(lane->calls.front().call);
  lane->calls.pop_front();
  lane->bytes -= call->bytes();
  --size_;
  if (!lane->IsOver(kMaxCalls / 2, kMaxBytes / 2)) {
    for (std::shared_ptr<Channel>& channel : std::exchange(lane->held_up, {})) {
      channel->ResumeReading();
      to_read->push_back(std::move(channel));
    }
  }
  return call;
}

void CallQueue::Clear() {
  std::array<Lane, kKinds> lanes;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  lanes.swap(lanes_);
  size_ = 0;
}

}  // namespace klip::net
