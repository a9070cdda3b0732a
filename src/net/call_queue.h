// CallQueue: calls that were read and wait for a thread, and how many may run at once. Some places are kept for urgent calls (see
// call_priority.h), as HBase has handlers of their own for them: however many long scans run, clients find their regions, and
// admins see what goes on. Those of HBase's master may wait long for one another, so no more of them run than there are kept
// places. One thread never has a place, so that there always is one that reads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "net/channel.h"

namespace klip::net {

class CallQueue {
 public:
  // At most `places` calls run at once, or `urgent_places` when those beyond are urgent. Before all else.
  void SetPlaces(int places, int urgent_places);

  // A place for a call that was just read, urgent or not. False: all are taken, and it has to wait. Thread-safe, as all below.
  bool TakePlace(bool of_master) { return TakeOneOf(places_, of_master); }
  // After it the thread is to call Take until there is nothing for it: others may have found no place.
  void GivePlace(bool of_master);

  // Takes the calls. When too many of their kind wait, `from` stops reading until a Take gives it back.
  void Push(std::vector<TaskPtr>* calls, Channel* from);

  // The next call that may run, with a place for it; null: none may. Adds channels to *to_read that read again.
  TaskPtr Take(std::vector<std::shared_ptr<Channel>>* to_read);

  void Clear();
  size_t size() const { return size_; }

 private:
  enum Kind : uint8_t { kOrdinary, kUrgent, kMasters, kKinds };
  struct Waiting {
    uint64_t number;  // later ones have higher ones
    TaskPtr call;
  };
  // Those of one kind.
  struct Lane {
    bool IsOver(size_t calls_limit, size_t bytes_limit) const {
      return calls.size() > calls_limit || bytes > bytes_limit;
    }

    std::deque<Waiting> calls;
    size_t bytes = 0;
    std::vector<std::shared_ptr<Channel>> held_up;
  };

  static Kind KindOf(const Task& call);
  bool TakeOneOf(int places, bool of_master);
  // The one whose first call is the oldest that may run, with a place for it; null: none may. REQUIRES: mutex_ is held
  Lane* TakeLane();

  int places_ = 0;
  int urgent_places_ = 0;
  int master_places_ = 0;
  std::atomic<int> taken_ = 0;
  std::atomic<int> taken_by_master_ = 0;  // of those
  std::atomic<size_t> size_ = 0;

  std::mutex mutex_;
  std::array<Lane, kKinds> lanes_;  // guarded by mutex_
  uint64_t next_number_ = 0;        // guarded by mutex_
};

}  // namespace klip::net
