// Turns: a thread that has read several short calls of one connection runs them one after the other and sends their
// answers together, while nobody else reads from the connection. That avoids waking other threads and the client, which
// costs more than such calls. A turn that takes longer than expected is broken: its answers go out, and other threads
// take over the rest.
//
// Example: a client sends 10 gets at once, and its recent calls took 20 us each. The thread runs all 10 and sends one
// packet. If the third takes 5 ms, the watch notices after 1 ms: it sends the first two answers, and queues calls 4 to
// 10.
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
  // Receives the channel of a broken turn, whose answers were sent, and the calls that were not started.
  using Break = std::function<void(Channel* channel, std::vector<TaskPtr> tasks)>;

  explicit Turns(Break on_break) : break_(std::move(on_break)) {}
  ~Turns() { Stop(); }

  void Start();
  void Stop();

  // Belongs to the thread that created it.
  class Turn {
   public:
    // Takes the tasks.
    Turn(Turns* turns, std::shared_ptr<Channel> channel, std::vector<TaskPtr>* tasks);
    ~Turn() { End(); }

    // The next call to run; null: none is left, or the turn was broken.
    TaskPtr Next();

    // Sends the answers. False: the turn was broken, and other threads read from the channel.
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
