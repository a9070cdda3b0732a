// CallQueue: calls that were read and wait for a thread, and how many may run at once. Some places are kept for urgent calls (see
// call_priority.h), as HBase has handlers of their own for them: however many long scans run, clients find their regions, and
// admins see what goes on. Those of HBase's master may wait long for one another, so no more of them run than there are kept
// places. One thread never has a place, so that there always is one that reads.
//
// Clients share the places by what their calls cost, not by how many they send: the next call is of the client that has had the least
// time of threads. One that comes anew begins with as much as the one that is served had, so that it is the next, and cannot save up.
// Of clients whose reads are long no more calls run at once than processors can run well: more of them end no sooner, and the threads
// of others would wait for a processor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/channel.h"

namespace klip::net {

class CallQueue {
 public:
  // At most `places` calls run at once, or `urgent_places` when those beyond are urgent, and `long_reads` of that kind. Before all else.
  void SetPlaces(int places, int urgent_places, int long_reads);

  enum Kind : uint8_t { kOrdinary, kLongReads, kUrgent, kMasters, kKinds };

  // A call that may run, with a place for it.
  struct Taken {
    TaskPtr task;  // null: none may
    std::shared_ptr<Channel> from;
    Kind kind = kOrdinary;
    int64_t charged_us = 0;  // to its client: what it is thought to take
  };

  // Of a call that was just read; whether it is urgent is not known.
  static Kind KindOf(const Task& call, const Channel& from);

  // A place for such a call. False: all are taken, and it has to wait. Thread-safe, as all below.
  bool TakePlace(Kind kind) { return TakePlaceOf(kind, kind == kMasters ? urgent_places_ : places_); }
  // After it the thread is to call Take until there is nothing for it: others may have found no place.
  void GivePlace(Kind kind);

  // Takes the calls. When `from` has more of a kind waiting than are left to others, it stops reading until a Take gives it back.
  void Push(std::vector<TaskPtr>* calls, Channel* from);

  // The next call that may run. Adds channels to *to_read that read again.
  Taken Take(std::vector<std::shared_ptr<Channel>>* to_read);

  // After the call has run: what it took, in place of what it was charged.
  void Charge(const Taken& call, int64_t took_us);

  void Clear();
  size_t size() const { return size_; }

 private:
  struct Waiting {
    uint64_t number;  // later ones have higher ones
    TaskPtr call;
  };
  // Those of one client.
  struct Client {
    std::shared_ptr<Channel> channel;
    std::deque<Waiting> calls;
    size_t bytes = 0;
    std::pair<int64_t, uint64_t> Key() const { return {served_us, calls.front().number}; }

    int64_t served_us = 0;  // what it had of threads, and others' lead when it came
    bool held_up = false;
  };
  // Those of one kind.
  struct Lane {
    // More than `part` of what is left to others.
    bool IsOver(const Client& client, size_t part) const;

    std::unordered_map<Channel*, Client> clients;            // all have calls
    std::map<std::pair<int64_t, uint64_t>, Channel*> order;  // by served_us, then by the number of the first call
    size_t calls = 0;
    size_t bytes = 0;
    int64_t now_us = 0;  // served_us of the client that was served last
  };

  static Client* AddClient(Channel* channel, Lane* lane);
  bool TakePlaceOf(Kind kind, int places);
  // That whose next call is the oldest that may run, with a place for it; kKinds: none may. REQUIRES: mutex_ is held
  Kind TakeKind();

  int places_ = 0;
  int urgent_places_ = 0;
  std::array<int, kKinds> most_of_ = {};  // places of a kind
  std::atomic<int> taken_ = 0;
  std::array<std::atomic<int>, kKinds> taken_by_ = {};  // of those
  std::atomic<size_t> size_ = 0;

  std::mutex mutex_;
  std::array<Lane, kKinds> lanes_;  // guarded by mutex_
  uint64_t next_number_ = 0;        // guarded by mutex_
};

}  // namespace klip::net
