#include "net/reactor.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "net/clock.h"

namespace klip::net {
namespace {

constexpr uint64_t kWakeId = 0;
constexpr uint64_t kFirstChannelId = 1024;  // below: listeners
// TUNING: HBase's clients wait so long for an answer.
constexpr int64_t kStillUs = 60 * 1000 * 1000;

epoll_event EventOf(uint64_t id, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

Reactor::Reactor()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)),
      next_id_(kFirstChannelId),
      turns_([this](Channel* channel, std::vector<TaskPtr> tasks) { TakeOver(channel, std::move(tasks)); }) {}

Reactor::~Reactor() { Stop(0); }

void Reactor::Serve(Descriptor listener, const TlsContext* tls, NewProtocol make) {
  listeners_.emplace_back(std::move(listener), tls, std::move(make));
}

Status Reactor::Start(int threads, int kept) {
  epoll_event wake = EventOf(kWakeId, EPOLLIN);
  bool ok = epoll_.get() >= 0 && wake_.get() >= 0 && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &wake) == 0;
  for (size_t i = 0; ok && i < listeners_.size(); ++i) {
    epoll_event event = EventOf(i + 1, EPOLLIN | EPOLLONESHOT);
    ok = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listeners_[i].socket.get(), &event) == 0;
  }
  if (!ok) {
    return {Code::kIoError, "epoll: " + ErrorText(errno)};
  }
  // TUNING: one per processor, since the time that they wait for the disk does not count. With two, as many scans are done in a second,
  // and others' Gets have twice the p99.
  const int long_reads = std::min(threads, std::max(2, static_cast<int>(std::thread::hardware_concurrency())));
  calls_.SetPlaces(threads, std::max(threads, threads + kept - 1), long_reads);
  turns_.Start();
  for (int i = 0; i < threads + kept; ++i) {
    threads_.emplace_back([this] { Loop(); });
  }
  return Status::Ok();
}

void Reactor::Stop(int drain_ms) {
  draining_ = true;
  {
    std::unique_lock lock(drain_mutex_);
    drained_.wait_for(lock, std::chrono::milliseconds(drain_ms), [this] { return threads_.empty() || running_ == 0; });
  }
  stopping_ = true;
  Wake(threads_.size());
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
  turns_.Stop();
  listeners_.clear();
  std::unordered_map<uint64_t, std::shared_ptr<Channel>> open;
  {
    const std::lock_guard lock(channels_mutex_);
    std::swap(open, channels_);
  }
  calls_.Clear();
}

void Reactor::AddThreads(size_t most) {
  JoinEnded();
  const int64_t finished = finished_.load(std::memory_order_relaxed);
  const bool stuck = finished == std::exchange(finished_before_, finished);
  const size_t waiting = calls_.size();
  if (waiting > 0 && stuck && threads_.size() < most) {
    const size_t more = std::min(waiting, most - threads_.size());
    added_threads_ += static_cast<int>(more);
    calls_.AddPlaces(static_cast<int>(more));
    for (size_t i = 0; i < more; ++i) {
      threads_.emplace_back([this] { Loop(); });
    }
    Wake(more);
  } else if (waiting == 0 && added_threads_ > running_) {
    Wake(static_cast<uint64_t>(added_threads_));  // to see that they may end
  }
}

bool Reactor::MayEnd() {
  int added = added_threads_;
  while (added > running_ && calls_.size() == 0) {
    if (added_threads_.compare_exchange_weak(added, added - 1)) {
      calls_.AddPlaces(-1);
      const std::lock_guard lock(ended_mutex_);
      ended_.push_back(std::this_thread::get_id());
      return true;
    }
  }
  return false;
}

void Reactor::JoinEnded() {
  std::vector<std::thread::id> ended;
  {
    const std::lock_guard lock(ended_mutex_);
    ended.swap(ended_);
  }
  for (const std::thread::id id : ended) {
    const auto at = std::ranges::find(threads_, id, [](const std::thread& thread) { return thread.get_id(); });
    at->join();
    threads_.erase(at);
  }
}

size_t Reactor::connections() const {
  const std::lock_guard lock(channels_mutex_);
  return channels_.size();
}

void Reactor::Wake(uint64_t count) {
  if (count > 0) {
    // The counter cannot overflow: it counts tasks in memory.
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &count, sizeof(count));
  }
}

void Reactor::Loop() {
  while (!stopping_) {
    epoll_event event = {};
    const int ready = ::epoll_wait(epoll_.get(), &event, 1, -1);
    if (ready < 1 || stopping_) {
      continue;
    }
    if (event.data.u64 == kWakeId) {
      uint64_t one = 0;
      if (::read(wake_.get(), &one, sizeof(one)) == sizeof(one)) {
        RunQueued(/*wake=*/true);
        if (MayEnd()) {
          return;
        }
      }
    } else {
      HandleEvent(event.data.u64, event.events);
    }
  }
}

void Reactor::HandleEvent(uint64_t id, uint32_t events) {
  if (id < kFirstChannelId) {
    AcceptAll(id, &listeners_[id - 1]);
    return;
  }
  std::shared_ptr<Channel> channel;
  {
    const std::lock_guard lock(channels_mutex_);
    const auto at = channels_.find(id);
    if (at == channels_.end()) {
      return;
    }
    channel = at->second;
  }
  std::vector<TaskPtr> tasks;
  channel->OnEvent(draining_ ? events & EPOLLOUT : events, &tasks);
  RunTasks(&tasks, channel);
}

bool Reactor::TakeTurns(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel) {
  while (!tasks->empty() && channel->has_short_calls()) {
    const bool one = tasks->size() == 1;
    if (one && channel->sends_one_by_one()) {
      break;  // nothing to gain
    }
    Turns::Turn turn(&turns_, channel, tasks);
    while (TaskPtr task = stopping_ ? nullptr : turn.Next()) {
      task->Run();
      task.reset();
      Finished();
    }
    if (!turn.End()) {
      return false;
    }
    if (draining_ || calls_.size() > 0) {
      break;  // the place goes to a task that has waited longer; the event will be delivered again
    }
    channel->OnEvent(EPOLLIN, tasks);
    running_ += static_cast<int64_t>(tasks->size());
    channel->CountRead(one && tasks->empty());
  }
  return true;
}

void Reactor::TakeOver(Channel* channel, std::vector<TaskPtr> tasks) { Queue(&tasks, channel); }

void Reactor::Queue(std::vector<TaskPtr>* tasks, Channel* channel) {
  const bool some = !tasks->empty();
  if (some) {
    calls_.Push(tasks, channel);
  }
  Rearm(*channel);
  if (some) {
    Wake(1);
  }
}

int64_t Reactor::Run(Task* task, Channel* channel) {
  const bool reads = task->reads();
  const int64_t began_us = MonotonicUs();
  const int64_t used_us = reads ? ProcessorUs() : 0;  // takes a system call
  task->Run();
  channel->AddRead(reads ? ProcessorUs() - used_us : 0);  // one that waits for the disk leaves the processor to others
  return MonotonicUs() - began_us;
}

void Reactor::RunTasks(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel) {
  running_ += static_cast<int64_t>(tasks->size());
  // like all now
  const auto kind = tasks->empty() ? CallQueue::kOrdinary : CallQueue::KindOf(*tasks->front(), *channel);
  if (tasks->empty() || !calls_.TakePlace(kind)) {
    Queue(tasks, channel.get());
    return;
  }
  if (TakeTurns(tasks, channel)) {
    TaskPtr first;
    if (!tasks->empty()) {
      first = std::move(tasks->front());
      tasks->erase(tasks->begin());
    }
    Queue(tasks, channel.get());
    if (first != nullptr) {
      channel->BeginCall();
      Run(first.get(), channel.get());
      channel->EndCall();
      first.reset();
      Finished();
    }
  }
  calls_.GivePlace(kind);
  RunQueued(/*wake=*/false);
}

void Reactor::RunQueued(bool wake) {
  std::vector<std::shared_ptr<Channel>> to_read;
  while (!stopping_) {
    CallQueue::Taken call = calls_.Take(&to_read);
    for (const std::shared_ptr<Channel>& channel : std::exchange(to_read, {})) {
      Rearm(*channel);
    }
    if (call.task == nullptr) {
      return;
    }
    if (wake && calls_.size() > 0) {
      Wake(1);
    }
    wake = false;
    const int64_t took_us = Run(call.task.get(), call.from.get());
    call.task.reset();
    calls_.Charge(call, took_us);
    Finished();
    calls_.GivePlace(call.kind);
  }
}

void Reactor::Finished() {
  finished_.fetch_add(1, std::memory_order_relaxed);
  if (--running_ == 0 && draining_) {
    const std::lock_guard lock(drain_mutex_);
    drained_.notify_all();
  }
}

void Reactor::AcceptAll(uint64_t id, Listener* listener) {
  while (!draining_) {
    Descriptor socket = Accept(listener->socket);
    const int fd = socket.get();
    if (fd < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        listener->paused = true;  // waiting connections would cause events without end
        return;
      }
      break;
    }
    if (!MakeRoom()) {
      ++refused_connections_;
      continue;
    }
    std::shared_ptr<Channel> channel;
    uint64_t channel_id = 0;
    {
      const std::lock_guard lock(channels_mutex_);
      channel_id = next_id_++;
      channel = std::make_shared<Channel>(this, channel_id, std::move(socket), listener->tls, listener->make());
      channels_[channel_id] = channel;
    }
    epoll_event event = EventOf(channel_id, EPOLLIN | EPOLLONESHOT);
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      Forget(channel_id);
    }
  }
  if (!draining_) {
    Arm(id, *listener);
  }
}

bool Reactor::MakeRoom() {
  std::shared_ptr<Channel> waiting;
  {
    const std::lock_guard lock(channels_mutex_);
    if (channels_.size() < max_connections_) {
      return true;
    }
    if (when_full_ == WhenFull::kEndWaiting) {
      waiting = WaitingChannel();
    }
  }
  if (waiting != nullptr) {
    waiting->End();
    ++refused_connections_;
  }
  return waiting != nullptr;
}

std::shared_ptr<Channel> Reactor::WaitingChannel() const {
  struct Client {
    size_t count = 0;
    uint64_t oldest = std::numeric_limits<uint64_t>::max();
  };
  std::unordered_map<std::string_view, Client> clients;
  for (const auto& [id, channel] : channels_) {
    if (channel->waits_for_client()) {
      const std::string_view peer = channel->Peer();
      Client& client = clients[peer.substr(0, peer.rfind(':'))];
      ++client.count;
      client.oldest = std::min(client.oldest, id);
    }
  }
  const auto most = std::max_element(clients.begin(), clients.end(),
                                     [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  return most == clients.end() ? nullptr : channels_.at(most->second.oldest);
}

void Reactor::Arm(uint64_t id, const Listener& listener) {
  epoll_event event = EventOf(id, EPOLLIN | EPOLLONESHOT);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener.socket.get(), &event);
}

void Reactor::ResumeAccepting() {
  for (size_t i = 0; i < listeners_.size(); ++i) {
    if (listeners_[i].paused.exchange(false)) {
      Arm(i + 1, listeners_[i]);
    }
  }
}

std::vector<Reactor::SlowClient> Reactor::CutSlowClients(int64_t now_us, int64_t opening_us) {
  std::vector<std::shared_ptr<Channel>> slow;
  {
    const std::lock_guard lock(channels_mutex_);
    for (const auto& [id, channel] : channels_) {
      if (channel->opens_slowly(now_us, opening_us) || channel->IsOverdue(now_us) ||
          channel->StandsStill(now_us, kStillUs)) {
        slow.push_back(channel);
      }
    }
  }
  std::vector<SlowClient> cut;
  for (const std::shared_ptr<Channel>& channel : slow) {
    const bool opening = channel->opens_slowly(now_us, opening_us);
    cut.push_back({opening ? "opening_timeout" : "request_timeout", channel->Peer()});
    channel->Cut();
  }
  return cut;
}

void Reactor::Rearm(Channel& channel) {
  const std::lock_guard lock(channel.out_mutex_);  // other threads that want to wait for more come after this
  const uint32_t interest = draining_ ? channel.Interest() & EPOLLOUT : channel.Interest();
  if (interest != 0) {
    epoll_event event = EventOf(channel.id_, interest | EPOLLONESHOT);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, channel.socket_.get(), &event);
  }
}

void Reactor::Forget(uint64_t id) {
  std::shared_ptr<Channel> last;  // destroyed after the lock is released
  const std::lock_guard lock(channels_mutex_);
  if (const auto at = channels_.find(id); at != channels_.end()) {
    last = std::move(at->second);
    channels_.erase(at);
  }
}

}  // namespace klip::net
