// Channel: one connection to one service of one server, with any number of calls on their way.
//
// There is no thread of the client's own. Of the threads that wait for an answer one reads for all: it hands out what comes in,
// and when its own answer was there it lets the next one read. So a lone caller is woken by its answer, without a thread in
// between, and what nobody waits for stays in the socket, where it slows the server down instead of filling memory.
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

// What a call came to.
struct Reply {
  Failure failure;
  rpc::Buffer frame;        // what the views point into
  rpc::Buffer unpacked;     // or the cells, where they came compressed
  std::string_view result;  // the message
  std::string_view cells;   // the cell block

  bool ok() const noexcept { return failure.ok(); }
  // Errors: kIoError when the bytes are not such a message.
  Status Parse(google::protobuf::MessageLite* message) const;
};

class Channel;

// A call on its way. Dropping it forgets the answer. Must not outlive a thread that waits for it.
class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Until the answer is there, the call's deadline is past or, looked at every 100 ms, this thread's CancelToken says so. Once only.
  Reply Wait();
  // The same where only the message counts. Errors: the call's, or kIoError when the bytes are not such a message.
  Status WaitFor(google::protobuf::MessageLite* message);

  // Wait would return at once.
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

// The first of the calls that is answered; null: none until then, or this thread's CancelToken says so.
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

  // Sends the call; connects first when it is the first one. Errors come out of Wait.
  CallPtr Start(const CallSpec& spec);

  // No further call can succeed: a new channel is needed.
  bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }

  // Takes the memory of an answer that is done with for the next one, which then costs no fresh pages.
  void Recycle(rpc::Buffer frame);

  // Ends all calls with `failure`.
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

  // Errors: the server cannot be reached, or is not who it should be.
  Failure Open(Deadline deadline, rpc::Buffer* opening);
  Failure Send(const CallSpec& spec, uint32_t id);
  Failure WriteAll(std::string_view first, std::string_view second, Deadline deadline);
  // Reads once and hands out. REQUIRES: the lock is held and nobody reads; it is released meanwhile.
  void ReadAsReader(Lock* lock, Deadline deadline);
  // The same in two steps, for who waits for several channels: false: somebody else reads already.
  bool BeginToRead();
  void EndReading(bool ready);
  Failure Receive(Deadline deadline, Replies* replies);
  Failure TakeFrames(Replies* replies);
  void Deliver(Replies* replies);
  void BreakLocked(Failure failure);
  // Somebody else has to read from now on.
  void PassOnReading();
  Failure Lost(std::string_view what) const;

  const Address server_;
  const std::string service_;
  const Security* const security_;

  std::mutex write_mutex_;                // before mutex_
  base::Descriptor socket_;               // set once under both, before connected_
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

  rpc::Buffer input_;  // of whoever reads
};

// The channels of a connection, one per server and service. Thread-safe.
class ChannelPool {
 public:
  explicit ChannelPool(Security security) : security_(std::move(security)) {}

  std::shared_ptr<Channel> Get(const Address& server, std::string_view service);
  // Ends all calls: kCancelled.
  void Close();

 private:
  const Security security_;
  std::mutex mutex_;
  bool closed_ = false;
  std::map<std::pair<Address, std::string>, std::shared_ptr<Channel>> channels_;
};

}  // namespace klip::client
