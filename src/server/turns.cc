#include "server/turns.h"

#include <chrono>

#include "server/call.h"

namespace klip::server {
namespace {

// TUNING: a turn is meant to take some 100 us. A broken one delays its answers by this long, and by a round of the watch.
constexpr int64_t kTurnUs = 1000;
constexpr auto kRound = std::chrono::microseconds(kTurnUs);
constexpr int kQuietRounds = 100;  // then the watch sleeps

}  // namespace

Turns::Turn::Turn(Turns* turns, std::shared_ptr<Channel> channel, std::vector<TaskPtr>* tasks)
    : turns_(turns), channel_(std::move(channel)), ends_us_(MonotonicUs() + kTurnUs) {
  for (TaskPtr& task : *tasks) {
    tasks_.push_back(std::move(task));
  }
  tasks->clear();
  channel_->Hold();
  const std::lock_guard lock(turns_->mutex_);
  self_ = turns_->running_.insert(turns_->running_.end(), this);
  ++turns_->begun_;
  if (turns_->sleeps_) {
    turns_->sleeps_ = false;
    turns_->wake_.notify_one();
  }
}

void Turns::Turn::End() {
  if (channel_ == nullptr) {
    return;
  }
  {
    const std::lock_guard lock(turns_->mutex_);
    turns_->running_.erase(self_);
  }
  channel_->Release();
  channel_.reset();
}

TaskPtr Turns::Turn::Next() {
  const std::lock_guard lock(mutex_);
  if (tasks_.empty()) {
    return nullptr;
  }
  TaskPtr task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void Turns::Start() {
  watch_ = std::thread([this] { Watch(); });
}

void Turns::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (watch_.joinable()) {
    watch_.join();
  }
}

void Turns::Watch() {
  std::unique_lock lock(mutex_);
  int64_t seen = begun_;
  int quiet = 0;
  while (!stopping_) {
    if (quiet == kQuietRounds) {
      sleeps_ = true;
      wake_.wait(lock, [this] { return stopping_ || !sleeps_; });
      quiet = 0;
    } else {
      wake_.wait_for(lock, kRound, [this] { return stopping_; });
    }
    quiet = running_.empty() && seen == begun_ ? quiet + 1 : 0;
    seen = begun_;
    BreakLateOnes();
  }
}

void Turns::BreakLateOnes() {
  const int64_t now_us = running_.empty() ? 0 : MonotonicUs();
  for (Turn* turn : running_) {
    const std::lock_guard lock(turn->mutex_);
    if (now_us > turn->ends_us_ && !turn->broken_) {
      turn->broken_ = true;
      turn->channel_->Release();
      break_(turn->channel_.get(), std::move(turn->tasks_));
      turn->tasks_.clear();
    }
  }
}

}  // namespace klip::server
