// Reactor: the server's threads. All of them wait for sockets; the one that is woken reads, and runs the call that it read, so
// that a call is answered without being handed from thread to thread. Several calls of one read it runs in turn (net/turns.h)
// when calls of the connection are short. Else the further ones are queued, and one thread is woken to take from the queue as
// well, which wakes one more while calls are left: a long call does not keep those behind it waiting. When as many run as may,
// what is read is queued too, and whoever has finished a call takes from the queue (net/call_queue.h).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
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
  // Stops first.
  ~Reactor();

  // Connections to `listener` get a protocol from `make`, below it TLS unless `tls` is null. Before Start.
  void Serve(Descriptor listener, const TlsContext* tls, NewProtocol make);
  // What happens to a connection that comes while as many are open as may be.
  enum class WhenFull : uint8_t {
    kRefuse,  // it is closed
    kEndWaiting,  // it takes the place of one for which the server has nothing to do: of the client that has most of these, the oldest
  };
  // Before Start.
  void LimitConnections(size_t most, WhenFull when_full = WhenFull::kRefuse) {
    max_connections_ = most;
    when_full_ = when_full;
  }

  // `threads` run calls; `kept` more read and run urgent ones when all those are busy. Errors: kIoError.
  Status Start(int threads, int kept = 0);

  // No new connections and requests; calls that run are answered, for at most `drain_ms`. Then all threads end.
  void Stop(int drain_ms);

  // Takes connections again after the process had no descriptor left for one. To be called now and then.
  void ResumeAccepting();

  struct SlowClient {
    std::string_view event;  // for the log
    std::string client;
  };
  // Ends connections that were not opened within `opening_us` of their start (TLS, what a protocol begins with), those on which a
  // request began and stands still, and those whose deadline has passed: whoever sends half of a request does not keep a descriptor
  // and memory. To be called now and then.
  std::vector<SlowClient> CutSlowClients(int64_t now_us, int64_t opening_us);

  size_t connections() const;
  int64_t refused_connections() const { return refused_connections_; }
  int64_t running() const { return running_; }     // calls that are not answered yet
  size_t queued() const { return calls_.size(); }  // of them, those that wait for a thread
  int64_t received_bytes() const { return received_bytes_; }
  int64_t sent_bytes() const { return sent_bytes_; }
  const std::atomic<int64_t>& unsent_bytes() const { return unsent_bytes_; }  // answers that wait for their clients

 private:
  friend class Channel;

  struct Listener {
    Descriptor socket;
    const TlsContext* tls;
    NewProtocol make;
    std::atomic<bool> paused = false;  // until ResumeAccepting, which alone sets it back
  };

  void Loop();
  void HandleEvent(uint64_t id, uint32_t events);
  void AcceptAll(uint64_t id, Listener* listener);
  // For one more connection. False: there is none.
  bool MakeRoom();
  // The one to end, see WhenFull; null: none. REQUIRES: channels_mutex_ is held
  std::shared_ptr<Channel> WaitingChannel() const;
  void Arm(uint64_t id, const Listener& listener);
  void Finished();
  // Runs the calls, and those that come in meanwhile, as long as they are short. False: it took too long, and others go on.
  bool TakeTurns(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel);
  void TakeOver(Channel* channel, std::vector<TaskPtr> tasks);
  void RunTasks(std::vector<TaskPtr>* tasks, const std::shared_ptr<Channel>& channel);
  // Returns what it took.
  static int64_t Run(Task* task, Channel* channel);
  // And reads on, unless too many wait.
  void Queue(std::vector<TaskPtr>* tasks, Channel* channel);
  // What there is a place for; `wake`: another thread, if more is left, to help.
  void RunQueued(bool wake);
  void Rearm(Channel& channel);
  void Forget(uint64_t id);
  void Wake(uint64_t count);

  Descriptor epoll_;
  Descriptor wake_;  // an eventfd that counts the threads to wake
  std::deque<Listener> listeners_;
  std::vector<std::thread> threads_;
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
  std::condition_variable drained_;  // running_ may have become 0

  mutable std::mutex channels_mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Channel>> channels_;  // guarded by channels_mutex_
  uint64_t next_id_ = 0;                                             // guarded by channels_mutex_

  CallQueue calls_;
  Turns turns_;
};

}  // namespace klip::net
