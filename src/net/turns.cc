#include "net/turns.h"

#include <chrono>

#include "net/clock.h"

namespace klip::net {
namespace {

// TUNING: a turn should take some 100 us. A broken one delays its answers by this time and by a round of the watch.
constexpr int64_t kTurnUs = 1000;
constexpr auto kRound = std::chrono::microseconds(kTurnUs);
constexpr int kQuietRounds = 100;  // then the watch sleeps

}  // namespace

Turns::Turn::Turn(Turns* turns, std::shared_ptr<Channel> channel, std::vector<TaskPtr>* tasks)
    : turns_(turns), channel_(std::move(channel)), ends_us_(MonotonicUs() + kTurnUs) {
  tasks_.swap(*tasks);
  channel_->Hold();
  const std::lock_guard lock(turns_->mutex_);
  index_ = turns_->running_.size();
  turns_->running_.push_back(this);
  ++turns_->begun_;
  if (turns_->sleeps_) {
    turns_->sleeps_ = false;
    turns_->wake_.notify_one();
  }
}

bool Turns::Turn::End() {
  if (channel_ != nullptr) {
    {
      const std::lock_guard lock(turns_->mutex_);
      turns_->running_[index_] = turns_->running_.back();
      turns_->running_[index_]->index_ = index_;
      turns_->running_.pop_back();
    }
    channel_->Release();
    channel_.reset();
  }
  return !broken_;  // nobody else sees it any more
}

TaskPtr Turns::Turn::Next() {
  const std::lock_guard lock(mutex_);
  return next_ < tasks_.size() ? std::move(tasks_[next_++]) : nullptr;
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
      turn->tasks_.erase(turn->tasks_.begin(), turn->tasks_.begin() + static_cast<ptrdiff_t>(turn->next_));
      turn->next_ = 0;
      break_(turn->channel_.get(), std::exchange(turn->tasks_, {}));
    }
  }
}

}  // namespace klip::net
