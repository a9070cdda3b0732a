// Reactor: the server's threads. All of them wait for sockets. The one that wakes up reads, and runs the call that it
// read, so no call changes threads on the way. If a read brings several calls, and calls of the connection are short, the
// thread runs them in turn (net/turns.h). Otherwise it queues the further ones and wakes one thread to take from the
// queue, which wakes another one while calls are left: a long call does not delay those behind it. If the maximum of
// calls is running, new ones are queued too, and each thread that has finished a call takes from the queue
// (net/call_queue.h).
//
// Example: three idle threads, one read with calls a, b, c, not known to be short. Thread 1 queues b and c, wakes thread
// 2, and runs a. Thread 2 takes b, wakes thread 3, and runs b. Thread 3 takes c.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "klip/status.h"
#include "net/call_queue.h"
#include "net/channel.h"
#include "net/socket.h"
#include "net/turns.h"

namespace klip::net {

class Reactor {
 public:
  using NewProtocol = std::function<std::unique_ptr<Protocol>()>;

  Reactor();
  // Calls Stop first.
  ~Reactor();

  // Connections to `listener` get a protocol from `make`, on top of TLS unless `tls` is null. Call it before Start.
  void Serve(Descriptor listener, const TlsContext* tls, NewProtocol make);
  // What happens to a new connection if the maximum is open.
  enum class WhenFull : uint8_t {
    kRefuse,  // it is closed
    // it replaces one for which the server has nothing to do: the oldest of the client that has most of these
    kEndWaiting,
  };
  // Call it before Start.
  void LimitConnections(size_t most, WhenFull when_full = WhenFull::kRefuse) {
    max_connections_ = most;
    when_full_ = when_full;
  }

  // `threads` run calls; `kept` more read, and run urgent ones when all those are busy. Errors: kIoError.
  Status Start(int threads, int kept = 0);

  // Accepts no new connections and requests; waits for running calls for at most `drain_ms`. Then all threads end.
  void Stop(int drain_ms);

  // Accepts connections again after the process ran out of descriptors. Call it regularly.
  void ResumeAccepting();

  // If calls wait, and none has ended since the last call of this, all threads have long calls: then it starts a thread for each waiting
  // call, so that long calls do not shut out others. Those end when they are no longer needed. At most `most` threads. For protocols that
  // limit the calls of a connection. Call it regularly, from one thread, and not after Stop.
  void AddThreads(size_t most);

  struct SlowClient {
    std::string_view event;  // for the log
    std::string client;
  };
  // Ends connections that did not complete their opening (TLS, the protocol's header) within `opening_us`, those with an
  // incomplete request that makes no progress, and those past their deadline. So a client that sends half a request does
  // not keep a descriptor and memory. Call it regularly.
  std::vector<SlowClient> CutSlowClients(int64_t now_us, int64_t opening_us);

  size_t connections() const;
  // Those that were closed as too many were open.
  int64_t refused_connections() const { return refused_connections_; }
  int64_t running() const { return running_; }     // unanswered calls
  size_t queued() const { return calls_.size(); }  // of them, those waiting for a thread
  int64_t received_bytes() const { return received_bytes_; }
  int64_t sent_bytes() const { return sent_bytes_; }
  const std::atomic<int64_t>& unsent_bytes() const { return unsent_bytes_; }  // of answers that wait for their clients

 private:
  friend class Channel;

  struct Listener {
    Descriptor socket;
    const TlsContext* tls;
    NewProtocol make;
    std::atomic<bool> paused = false;  // until ResumeAccepting
  };

  void Loop();
  void HandleEvent(uint64_t id, uint32_t events);
  void AcceptAll(uint64_t id, Listener* listener);
  // For one more connection. False: the maximum is reached.
  bool MakeRoom();
  // The one to end, see WhenFull; null: none. REQUIRES: channels_mutex_ is held
  std::shared_ptr<Channel> WaitingChannel() const;
  void Arm(uint64_t id, const Listener& listener);
  void Finished();
  // Whether this thread is an added one that is not needed; then it must end.
  bool MayEnd();
  void JoinEnded();
  // Runs the calls, and those that arrive meanwhile, as long as they are short. False: it took too long, and other
  // threads continue.
  bool TakeTurns(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel);
  void TakeOver(Channel* channel, std::vector<TaskPtr> tasks);
  void RunTasks(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel);
  // Returns the time it took.
  static int64_t Run(Task* task, Channel* channel);
  // Then reads on, unless too many wait.
  void Queue(std::vector<TaskPtr>* tasks, Channel* channel);
  // Runs queued calls as long as there are places; `wake`: wakes another thread if more are left.
  void RunQueued(bool wake);
  void Rearm(Channel& channel);
  void Forget(uint64_t id);
  void Wake(uint64_t count);

  Descriptor epoll_;
  Descriptor wake_;  // an eventfd that counts the threads to wake
  std::deque<Listener> listeners_;
  std::list<std::thread> threads_;
  std::atomic<int> added_threads_ = 0;
  std::mutex ended_mutex_;
  std::vector<std::thread::id> ended_;  // added threads, which are to be joined; guarded by ended_mutex_
  std::atomic<int64_t> finished_ = 0;   // calls
  int64_t finished_before_ = -1;        // when AddThreads was called last
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> draining_ = false;
  std::atomic<int64_t> running_ = 0;  // tasks queued or running
  size_t max_connections_ = std::numeric_limits<size_t>::max();
  WhenFull when_full_ = WhenFull::kRefuse;
  std::atomic<int64_t> refused_connections_ = 0;
  std::atomic<int64_t> received_bytes_ = 0;
  std::atomic<int64_t> sent_bytes_ = 0;
  std::atomic<int64_t> unsent_bytes_ = 0;
  std::mutex drain_mutex_;
  std::condition_variable drained_;  // running_ may have reached 0

  mutable std::mutex channels_mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Channel>> channels_;  // guarded by channels_mutex_
  uint64_t next_id_ = 0;                                             // guarded by channels_mutex_

  CallQueue calls_;
  Turns turns_;
};

}  // namespace klip::net
