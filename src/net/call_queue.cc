#include "net/call_queue.h"

#include <algorithm>
#include <utility>

namespace klip::net {
namespace {

// Per kind. A client with more than its share of these gets backpressure: it waits, and memory does not grow.
constexpr size_t kMaxCalls = 1000;
constexpr size_t kMaxBytes = 256 << 20;
constexpr size_t kFewCalls = 4;
constexpr size_t kFewBytes = 64 << 10;

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

void CallQueue::SetPlaces(int places, int urgent_places, int long_reads) {
  places_ = places;
  urgent_places_ = urgent_places;
  for (std::atomic<int>& most : most_of_) {
    most = urgent_places;
  }
  most_of_[kLongReads] = long_reads;
  most_of_[kMasters] = std::max(1, urgent_places - places);
}

void CallQueue::AddPlaces(int more) {
  places_ += more;
  urgent_places_ += more;
  most_of_[kOrdinary] += more;
  most_of_[kUrgent] += more;
}

bool CallQueue::TakePlaceOf(Kind kind, int places) {
  if (!TakeOne(&taken_by_[kind], most_of_[kind])) {
    return false;
  }
  if (TakeOne(&taken_, places)) {
    return true;
  }
  --taken_by_[kind];
  return false;
}

void CallQueue::GivePlace(Kind kind) {
  --taken_by_[kind];
  --taken_;
}

CallQueue::Kind CallQueue::KindOf(const Task& call, const Channel& from) {
  if (call.of_master()) {
    return kMasters;
  }
  return from.has_long_reads() ? kLongReads : kOrdinary;
}

bool CallQueue::Lane::IsOver(const Client& client, size_t part) const {
  const auto share = [part](size_t most, size_t all, size_t few) {
    return std::max(few, most - std::min(most, all)) / part;
  };
  return client.calls.size() > share(kMaxCalls, calls, kFewCalls) || client.bytes > share(kMaxBytes, bytes, kFewBytes);
}

CallQueue::Client* CallQueue::AddClient(Channel* channel, Lane* lane) {
  const auto [at, added] = lane->clients.try_emplace(channel);
  Client& client = at->second;
  if (added) {
    client.channel = channel->shared_from_this();
    client.served_us = std::max(channel->served_us_, lane->now_us);
  }
  return &client;
}

void CallQueue::Push(std::vector<TaskPtr>* calls, Channel* from) {
  std::vector<Kind> kinds;
  kinds.reserve(calls->size());
  for (const TaskPtr& call : *calls) {
    const Kind kind = KindOf(*call, *from);
    kinds.push_back(kind != kMasters && call->urgent() ? kUrgent : kind);
  }
  const std::lock_guard lock(mutex_);
  bool over = false;
  Client* last = nullptr;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Lane& lane = lanes_[kinds[i]];
    Client& client = *AddClient(from, &lane);
    const size_t bytes = (*calls)[i]->bytes();
    client.bytes += bytes;
    lane.bytes += bytes;
    ++lane.calls;
    client.calls.push_back({next_number_++, std::move((*calls)[i])});
    lane.order.emplace(client.Key(), from);  // changes nothing except for its first call
    if (lane.IsOver(client, 1)) {
      over = true;
      last = &client;
    }
  }
  calls->clear();
  size_ += kinds.size();
  if (over && from->StopReading()) {
    last->held_up = true;
  }
}

CallQueue::Kind CallQueue::TakeKind() {
  const auto number = [this](Kind kind) { return lanes_[kind].order.begin()->first.second; };
  std::array<Kind, kKinds> by_age = {kOrdinary, kLongReads, kUrgent, kMasters};
  const auto end = std::remove_if(by_age.begin(), by_age.end(), [this](Kind kind) { return lanes_[kind].calls == 0; });
  std::sort(by_age.begin(), end, [&number](Kind a, Kind b) { return number(a) < number(b); });
  const auto taken = std::find_if(by_age.begin(), end, [this](Kind kind) {
    return TakePlaceOf(kind, kind == kUrgent || kind == kMasters ? urgent_places_ : places_);
  });
  return taken == end ? kKinds : *taken;
}

CallQueue::Taken CallQueue::Take(std::vector<std::shared_ptr<Channel>>* to_read) {
  if (size_ == 0) {
    return {};
  }
  const std::lock_guard lock(mutex_);
  const Kind kind = TakeKind();
  if (kind == kKinds) {
    return {};
  }
  Lane* const lane = &lanes_[kind];
  const auto first = lane->order.begin();
  Channel* const channel = first->second;
  const auto at = lane->clients.find(channel);
  Client& client = at->second;
  Taken taken = {std::move(client.calls.front().call), client.channel, kind,
                 std::max<int64_t>(1, channel->usual_cost_us_)};
  client.calls.pop_front();
  client.bytes -= taken.task->bytes();
  lane->bytes -= taken.task->bytes();
  --lane->calls;
  --size_;
  lane->now_us = client.served_us;
  lane->order.erase(first);
  channel->served_us_ = client.served_us + taken.charged_us;
  client.served_us = channel->served_us_;
  if (client.held_up && !lane->IsOver(client, 2)) {
    client.held_up = false;
    channel->ResumeReading();
    to_read->push_back(client.channel);
  }
  if (client.calls.empty()) {
    lane->clients.erase(at);
  } else {
    lane->order.emplace(client.Key(), channel);
  }
  return taken;
}

void CallQueue::Charge(const Taken& call, int64_t took_us) {
  constexpr int64_t kMemory = 4;
  const std::lock_guard lock(mutex_);
  call.from->served_us_ += took_us - call.charged_us;
  call.from->usual_cost_us_ += (took_us - call.from->usual_cost_us_) / kMemory;
  for (Lane& lane : lanes_) {
    const auto at = lane.clients.find(call.from.get());
    if (at != lane.clients.end()) {
      lane.order.erase(at->second.Key());
      at->second.served_us = std::max(call.from->served_us_, lane.now_us);
      lane.order.emplace(at->second.Key(), at->first);
    }
  }
}

void CallQueue::Clear() {
  std::array<Lane, kKinds> lanes;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  lanes.swap(lanes_);
  size_ = 0;
}

}  // namespace klip::net
