// Turns: a thread that read calls of one connection, and knows them to be short, runs them one after the other by itself and sends
// their answers together, while nobody else reads from the connection. That saves the wakes of other threads and of the client,
// which cost more than such calls. A turn that takes longer than was thought is broken: its answers go out, and other threads
// take over the rest.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "net/channel.h"

namespace klip::net {

class Turns {
 public:
  // Gets the channel of a broken turn, whose answers are out, and the calls that were not begun.
  using Break = std::function<void(Channel* channel, std::vector<TaskPtr> tasks)>;

  explicit Turns(Break on_break) : break_(std::move(on_break)) {}
  ~Turns() { Stop(); }

  void Start();
  void Stop();

  // Of the thread that made it.
  class Turn {
   public:
    // Takes the tasks.
    Turn(Turns* turns, std::shared_ptr<Channel> channel, std::vector<TaskPtr>* tasks);
    ~Turn() { End(); }

    // The next call to run; null: there is none, or the turn was broken.
    TaskPtr Next();

    // Sends the answers. False: the turn was broken, and others read from the channel.
    bool End();

   private:
    friend class Turns;

    Turns* const turns_;
    std::shared_ptr<Channel> channel_;  // null: ended
    const int64_t ends_us_;             // when it is broken
    size_t index_ = 0;                  // of turns_->running_; guarded by turns_->mutex_
    std::mutex mutex_;                  // taken while the one of the Turns is held, or alone
    std::vector<TaskPtr> tasks_;        // guarded by mutex_
    size_t next_ = 0;                   // of tasks_; guarded by mutex_
    bool broken_ = false;               // guarded by mutex_
  };

 private:
  void Watch();
  void BreakLateOnes();  // REQUIRES: mutex_ is held

  const Break break_;
  std::thread watch_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Turn*> running_;  // guarded by mutex_
  int64_t begun_ = 0;           // guarded by mutex_
  bool sleeps_ = false;         // the watch, until somebody begins; guarded by mutex_
  bool stopping_ = false;       // guarded by mutex_
};

}  // namespace klip::net
