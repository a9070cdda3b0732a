// CallQueue: calls that wait for a thread, and the limit on running calls ("places").
//
// Some places are reserved for urgent calls (see call_priority.h), for which HBase has separate handlers. So clients find
// their regions and admins see what happens, however many long scans run. Calls of HBase's master may wait long for one
// another, so at most as many of them run as there are reserved places. One thread never has a place, so that there is
// always one that reads.
//
// Clients share the places by the cost of their calls, not by their number: the next call belongs to the client that has
// used the least thread time. A new client starts with as much as the client served last, so that it is next, but cannot
// save up time. Long reads of a client run only on as many threads as processors can serve well: more would not finish
// sooner, and other clients' threads would wait for a processor.
//
// Example: client A has sent 100 scans of 10 ms, client B one get of 0.1 ms. A has used 500 ms when B arrives. B starts
// with 500 ms, so its get is next; then A continues.
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
  // At most `places` calls run at once, or `urgent_places` if those beyond are urgent, and `long_reads` of that kind.
  // Call it first.
  void SetPlaces(int places, int urgent_places, int long_reads);
  // Places for calls of any kind but long reads and those of the master; below 0: fewer.
  void AddPlaces(int more);

  enum Kind : uint8_t { kOrdinary, kLongReads, kUrgent, kMasters, kKinds };

  // A call that may run, with its place.
  struct Taken {
    TaskPtr task;  // null: none may
    std::shared_ptr<Channel> from;
    Kind kind = kOrdinary;
    int64_t charged_us = 0;  // the estimated time, charged to its client
  };

  // For a call that was just read: it is not known yet whether it is urgent.
  static Kind KindOf(const Task& call, const Channel& from);

  // Takes a place for such a call. False: all are taken, so it has to wait. Thread-safe, as all below.
  bool TakePlace(Kind kind) { return TakePlaceOf(kind, kind == kMasters ? urgent_places_ : places_); }
  // Afterwards the thread must call Take until it returns nothing: other threads may have found no place.
  void GivePlace(Kind kind);

  // Takes the calls. If `from` has more than its share of a kind waiting, it stops reading until a Take returns it.
  void Push(std::vector<TaskPtr>* calls, Channel* from);

  // The next call that may run. Adds channels to *to_read that may read again.
  Taken Take(std::vector<std::shared_ptr<Channel>>* to_read);

  // After the call has run: replaces the estimated charge by its actual time.
  void Charge(const Taken& call, int64_t took_us);

  void Clear();
  size_t size() const { return size_; }

 private:
  struct Waiting {
    uint64_t number;  // in order of arrival
    TaskPtr call;
  };
  // The calls of one client.
  struct Client {
    std::shared_ptr<Channel> channel;
    std::deque<Waiting> calls;
    size_t bytes = 0;
    std::pair<int64_t, uint64_t> Key() const { return {served_us, calls.front().number}; }

    int64_t served_us = 0;  // its thread time, including the initial amount
    bool held_up = false;
  };
  // The calls of one kind.
  struct Lane {
    // Whether it has more than `part` of its share.
    bool IsOver(const Client& client, size_t part) const;

    std::unordered_map<Channel*, Client> clients;            // all have calls
    std::map<std::pair<int64_t, uint64_t>, Channel*> order;  // by served_us, then by the number of the first call
    size_t calls = 0;
    size_t bytes = 0;
    int64_t now_us = 0;  // served_us of the client served last
  };

  static Client* AddClient(Channel* channel, Lane* lane);
  bool TakePlaceOf(Kind kind, int places);
  // The kind of the oldest call that may run, with a place for it; kKinds: none may. REQUIRES: mutex_ is held
  Kind TakeKind();

  std::atomic<int> places_ = 0;
  std::atomic<int> urgent_places_ = 0;
  std::array<std::atomic<int>, kKinds> most_of_ = {};  // places of a kind
  std::atomic<int> taken_ = 0;
  std::array<std::atomic<int>, kKinds> taken_by_ = {};  // of those
  std::atomic<size_t> size_ = 0;

  std::mutex mutex_;
  std::array<Lane, kKinds> lanes_;  // guarded by mutex_
  uint64_t next_number_ = 0;        // guarded by mutex_
};

}  // namespace klip::net
