// Channel: one connection to one service of one server, with any number of outstanding calls.
//
// The client has no threads of its own. One of the threads that wait for answers reads for all: it distributes incoming
// answers, and when it has its own, the next one takes over reading. So the answer directly wakes a single caller.
// Answers for which nobody waits stay in the socket, where they slow the server down (backpressure) instead of filling
// memory.
//
// Example: threads 1 and 2 wait for calls a and b. Thread 1 reads, and gets the answer to b first: it wakes thread 2.
// Then it gets a, and returns. If thread 2 still waited, it would be woken to read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <google/protobuf/message_lite.h>

#include "hbase/net/address.h"
#include "hbase/net/failure.h"
#include "hbase/net/security.h"
#include "hbase/net/socket.h"
#include "rpc/buffer.h"

namespace klip::client {

// The outcome of a call.
struct Reply {
  Failure failure;
  rpc::Buffer frame;        // the memory of the views
  rpc::Buffer unpacked;     // or of the cells, if they were compressed
  std::string_view result;  // the message
  std::string_view cells;   // the cell block

  bool ok() const noexcept { return failure.ok(); }
  // Errors: kIoError if the bytes are not such a message.
  Status Parse(google::protobuf::MessageLite* message) const;
};

class Channel;

// An outstanding call. Destroying it ignores the answer. Must outlive a thread that waits for it.
class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Waits until the answer is there, the deadline has passed or, checked every 100 ms, this thread's CancelToken is set.
  // Only once.
  Reply Wait();
  // The same if only the message matters. Errors: the call's, or kIoError if the bytes are not such a message.
  Status WaitFor(google::protobuf::MessageLite* message);

  // Whether Wait would return at once.
  bool answered() const;

 private:
  friend class Channel;
  friend Call* WaitForAny(std::span<Call* const> calls, Deadline until);
  Call(std::shared_ptr<Channel> channel, Deadline deadline);

  std::shared_ptr<Channel> channel_;
  Deadline deadline_;
  Clock::time_point started_;
  uint32_t id_ = 0;
  // Guarded by the channel's mutex:
  bool done_ = false;
  bool waiting_ = false;
  std::condition_variable changed_;
  Reply reply_;
};
using CallPtr = std::unique_ptr<Call>;

// The first call that is answered; null: none until then, or this thread's CancelToken is set.
Call* WaitForAny(std::span<Call* const> calls, Deadline until);

struct CallSpec {
  std::string_view method;
  const google::protobuf::MessageLite* request = nullptr;
  std::string_view cells = {};  // a cell block
  Deadline deadline;
  uint32_t priority = 0;
};

// Thread-safe.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  // `security` outlives it.
  Channel(Address server, std::string service, const Security* security);

  // Sends the call; the first one connects. Wait returns errors.
  CallPtr Start(const CallSpec& spec);

  // No further call can succeed: open a new channel.
  bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }

  // Keeps the memory of a processed answer for the next one, which then needs no new pages.
  void Recycle(rpc::Buffer frame);

  // Fails all calls with `failure`.
  void Break(Failure failure);

  const Address& server() const { return server_; }

 private:
  friend class Call;
  friend Call* WaitForAny(std::span<Call* const> calls, Deadline until);
  using Lock = std::unique_lock<std::mutex>;
  using Replies = std::vector<std::pair<uint32_t, Reply>>;

  Reply Await(Call* call);
  void Unpack(Reply* reply) const;
  void Forget(Call* call);

  // Errors: the server cannot be reached, or its identity is wrong.
  Failure Open(Deadline deadline, rpc::Buffer* opening);
  Failure Send(const CallSpec& spec, uint32_t id);
  Failure WriteAll(std::string_view first, std::string_view second, Deadline deadline);
  // Reads once and distributes answers. REQUIRES: the lock is held and no thread reads; releases the lock meanwhile.
  void ReadAsReader(Lock* lock, Deadline deadline);
  // The same in two steps, for threads that wait for several channels. False: another thread is reading already.
  bool BeginToRead();
  void EndReading(bool ready);
  Failure Receive(Deadline deadline, Replies* replies);
  Failure TakeFrames(Replies* replies);
  void Deliver(Replies* replies);
  void BreakLocked(Failure failure);
  // Makes another thread read from now on.
  void PassOnReading();
  Failure Lost(std::string_view what) const;

  const Address server_;
  const std::string service_;
  const Security* const security_;

  std::mutex write_mutex_;                // before mutex_
  base::Descriptor socket_;               // set once while holding both, before connected_
  std::unique_ptr<Transport> transport_;  // the same
  uint32_t next_id_ = 0;                  // guarded by write_mutex_

  std::mutex mutex_;
  bool connected_ = false;
  bool reading_ = false;
  std::unordered_map<uint32_t, Call*> calls_;
  Failure failure_;  // why it is broken
  Clock::time_point last_received_;
  rpc::Buffer spare_;  // empty, for input_
  std::atomic<bool> broken_{false};

  rpc::Buffer input_;  // of the reading thread
};

// The channels of a connection, one per server and service. Thread-safe.
class ChannelPool {
 public:
  explicit ChannelPool(Security security) : security_(std::move(security)) {}

  std::shared_ptr<Channel> Get(const Address& server, std::string_view service);
  // Fails all calls: kCancelled.
  void Close();

 private:
  const Security security_;
  std::mutex mutex_;
  bool closed_ = false;
  std::map<std::pair<Address, std::string>, std::shared_ptr<Channel>> channels_;
};

}  // namespace klip::client
