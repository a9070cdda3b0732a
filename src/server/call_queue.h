// CallQueue: calls that were read and wait for a thread, and how many may run at once. Some places are kept for urgent calls (see
// call_priority.h), as HBase has handlers of their own for them: however many long scans run, clients find their regions, and
// admins see what goes on. One thread never has a place, so that there always is one that reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "server/channel.h"

namespace klip::server {

class CallQueue {
 public:
  // At most `places` calls run at once, or `urgent_places` when those beyond are urgent. Before all else.
  void SetPlaces(int places, int urgent_places);

  // A place for a call that was just read, whatever it is. False: all are taken, and it has to wait. Thread-safe, as all below.
  bool TakePlace() { return TakeOneOf(places_); }
  // After it the thread is to call Take until there is nothing for it: others may have found no place.
  void GivePlace() { --taken_; }

  // Takes the calls. False: too much waits, so `from` is not to be read on before a Take gives it back.
  bool Push(std::vector<TaskPtr>* calls, Channel* from);

  // The next call that may run, with a place for it; null: none may. Adds channels to *to_read that are to be read on.
  TaskPtr Take(std::vector<std::shared_ptr<Channel>>* to_read);

  void Clear();
  size_t size() const { return size_; }

 private:
  bool TakeOneOf(int places);
  void FindUrgent();  // moves them out of calls_. REQUIRES: mutex_ is held
  void CountSize();   // REQUIRES: mutex_ is held

  int places_ = 0;
  int urgent_places_ = 0;
  std::atomic<int> taken_ = 0;
  std::atomic<size_t> size_ = 0;

  std::mutex mutex_;
  std::deque<TaskPtr> calls_;                      // guarded by mutex_
  std::deque<TaskPtr> urgent_;                     // guarded by mutex_; those that were found
  size_t judged_ = 0;                              // of calls_, from the front: not urgent; guarded by mutex_
  size_t bytes_ = 0;                               // of all; guarded by mutex_
  std::vector<std::shared_ptr<Channel>> held_up_;  // guarded by mutex_
};

}  // namespace klip::server
