// Channel: one client's socket. Passes incoming bytes to its Protocol; any thread may send answers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/memory.h"
#include "net/socket.h"
#include "net/tls.h"
#include "rpc/buffer.h"

namespace klip::net {

class Channel;
class Reactor;

// Work from received bytes; runs once on some thread of the Reactor.
class Task {
 public:
  virtual ~Task() = default;
  virtual void Run() = 0;
  // Whether it may run on a reserved place, see CallQueue. Only called when needed, since the answer takes some work.
  virtual bool urgent() const { return false; }
  // Whether it is for HBase's master. Such tasks are urgent as well, but only some of them run at once.
  virtual bool of_master() const { return false; }
  // After it has run: whether it only read.
  virtual bool reads() const { return false; }
  // Memory that it holds before it runs.
  virtual size_t bytes() const { return 0; }
};
using TaskPtr = std::unique_ptr<Task>;

// Received bytes that are not parsed yet.
class Input {
 public:
  std::string_view view() const { return owned_.empty() ? scratch_ : owned_.view().substr(skipped_); }
  void Skip(size_t bytes);
  // Moves the first `bytes` to a separate buffer. REQUIRES: that many are available.
  rpc::Buffer Take(size_t bytes);

 private:
  friend class Channel;
  void Keep();  // moves the rest of the scratch or owned bytes to the front of owned_

  std::string_view scratch_;  // in the reading thread's memory
  rpc::Buffer owned_;         // otherwise here
  size_t skipped_ = 0;        // of owned_
};

// Parses the bytes of a connection. Called by one thread at a time.
class Protocol {
 public:
  virtual ~Protocol() = default;
  // Removes complete units from the front of *input. Returns the minimum number of bytes, from the front of the rest,
  // that the next unit needs (a hint for reading); nullopt: close the connection once all answers are sent.
  virtual std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                        std::vector<TaskPtr>* tasks) = 0;
  // Whether the client has completed the opening of the connection. Until then its time is limited, see
  // Reactor::CutSlowClients.
  virtual bool opened() const { return true; }
};

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  // `tls` null: plaintext. It outlives the channel.
  Channel(Reactor* reactor, uint64_t id, Descriptor socket, const TlsContext* tls, std::unique_ptr<Protocol> protocol);
  ~Channel();

  // Sends head and body, and buffers what the socket does not accept. Never waits. Thread-safe. Keeps `memory` until the
  // body is sent.
  void Send(rpc::Buffer head, rpc::Buffer body = {}, MemoryLease memory = {});

  // Counts buffered bytes against `budget`, which outlives the channel. Call it before sending.
  void CountUnsent(MemoryBudget* budget) { budget_ = budget; }
  MemoryShare* memory_share() { return &memory_share_; }

  // Answers that the calling thread sends from now on wait for Release, so that they go out together. Other threads send
  // as before.
  void Hold();
  // Sends what was held. Thread-safe.
  void Release();

  // Whether recent calls of this connection took less time than passing one to another thread.
  bool has_short_calls() const { return usual_us_.load(std::memory_order_relaxed) < kShortCallUs; }
  void AddCall(int64_t took_us);

  // Whether recent calls of this connection are reads that occupy a processor for long.
  bool has_long_reads() const { return usual_read_us_.load(std::memory_order_relaxed) >= kLongReadUs; }
  // `used_us`: of a processor; 0 for calls that did not only read.
  void AddRead(int64_t used_us);

  // Whether the client waits for each answer before it sends the next call.
  bool sends_one_by_one() const { return single_reads_.load(std::memory_order_relaxed) >= kSingleReads; }
  // `single`: a read brought one call, and no other came while it was answered.
  void CountRead(bool single);
  // Surround a call that others may run beside.
  void BeginCall();
  void EndCall() { in_call_.store(false, std::memory_order_relaxed); }

  // Stops reading until ResumeReading. False: it was stopped already. Thread-safe. For CallQueue.
  bool StopReading() { return !held_up_.exchange(true); }
  void ResumeReading() { held_up_ = false; }

  // The same for a protocol that has stopped reading. Thread-safe.
  void ReadOn();

  // Closes the connection once everything is sent. Thread-safe.
  void CloseWhenSent();
  // The same for a client that may still be sending: its bytes are read and ignored, or it would lose the answer. Closes
  // when the client does, or at a deadline. Thread-safe.
  void LingerWhenSent();
  // Closes now. Thread-safe.
  void End();

  // Sets the time, by MonotonicUs, until which the client has to do what its protocol waits for; 0: nothing. See
  // Reactor::CutSlowClients. Thread-safe.
  void SetDeadline(int64_t us) { deadline_us_.store(us, std::memory_order_relaxed); }
  bool IsOverdue(int64_t now_us) const {
    const int64_t deadline_us = deadline_us_.load(std::memory_order_relaxed);
    return deadline_us != 0 && now_us >= deadline_us;
  }
  // Whether the server has nothing to do for it.
  bool waits_for_client() const {
    return !opened_.load(std::memory_order_relaxed) || deadline_us_.load(std::memory_order_relaxed) != 0;
  }

  // The client's "address:port".
  const std::string& Peer() const { return peer_; }
  std::string Address() const { return AddressOf(socket_); }
  bool is_loopback() const { return IsLoopback(socket_); }

  // Whether the client has not completed the opening in this time.
  bool opens_slowly(int64_t now_us, int64_t limit_us) const {
    return !opened_.load(std::memory_order_relaxed) && now_us - accepted_us_ >= limit_us;
  }
  // Whether an incomplete request has made no progress in this time. Thread-safe.
  bool StandsStill(int64_t now_us, int64_t limit_us);
  // Treats the client as gone; it is not reported as slow again. Thread-safe.
  void Cut();

  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& closed_flag() const { return closed_; }

 private:
  friend class Reactor;
  friend class CallQueue;

  // TUNING: waking a thread costs some 10 us on each side, and much more on a virtual machine.
  static constexpr int64_t kShortCallUs = 100;
  static constexpr int32_t kSingleReads = 32;
  // TUNING: a batch of a long scan takes about 1 ms.
  static constexpr int64_t kLongReadUs = 500;

  struct Part {
    rpc::Buffer bytes;
    MemoryLease memory;
  };

  // Reads what is available, up to a limit, and sends waiting bytes. REQUIRES: the event was delivered to this thread.
  void OnEvent(uint32_t events, std::vector<TaskPtr>* tasks);
  void ReadSome(std::vector<TaskPtr>* tasks);
  // Called after each read; `new_unit`: input_ starts with a new unit. REQUIRES: in_mutex_ is held
  void NoteProgress(bool new_unit);
  // Adds to *bytes. False: the connection receives no more.
  bool ReadOnce(size_t* bytes, bool* drained);
  // Bytes, 0 at the end, or -1 and errno.
  ssize_t Receive(char* bytes, size_t size);
  // False: the handshake cannot start.
  bool StartTls();
  // Sends from the front of out_, at least a byte; else returns -1 with errno. REQUIRES: out_mutex_ is held.
  ssize_t SendFront();
  // The events to wait for. REQUIRES: out_mutex_ is held
  uint32_t Interest();
  bool MayRead();
  void Flush();  // REQUIRES: out_mutex_ is held
  void Close();  // REQUIRES: out_mutex_ is held

  Reactor* const reactor_;
  const uint64_t id_;
  Descriptor socket_;
  const TlsContext* const tls_context_;
  std::unique_ptr<base::TlsSession> tls_;  // null: plaintext. Set before anything is sent, by the first read
  const std::string peer_;
  const int64_t accepted_us_;
  std::atomic<int64_t> deadline_us_ = 0;
  std::atomic<bool> closed_ = false;
  std::atomic<bool> opened_ = false;
  std::atomic<bool> held_up_ = false;     // too many of its calls wait
  std::atomic<int64_t> progress_us_ = 0;  // time of the last progress of an incomplete unit; 0: none
  std::atomic<int64_t> usual_us_ = 0;
  std::atomic<int64_t> usual_read_us_ = 0;
  std::atomic<int32_t> single_reads_ = 0;  // consecutive ones
  std::atomic<bool> in_call_ = false;

  int64_t served_us_ = 0;      // for CallQueue: thread time of its calls
  int64_t usual_cost_us_ = 0;  // for CallQueue: the usual time of a call

  MemoryShare memory_share_;
  MemoryBudget* budget_ = nullptr;  // null: not counted

  std::mutex in_mutex_;
  std::unique_ptr<Protocol> protocol_;  // guarded by in_mutex_
  Input input_;                         // guarded by in_mutex_
  bool began_ = false;                  // guarded by in_mutex_; something was read, so tls_ stays as it is
  size_t wanted_bytes_ = 0;             // guarded by in_mutex_
  size_t progress_bytes_ = 0;           // number of bytes at progress_us_; guarded by in_mutex_

  std::mutex out_mutex_;
  std::deque<Part> out_;         // guarded by out_mutex_
  size_t out_sent_ = 0;          // of out_.front(); guarded by out_mutex_
  size_t out_bytes_ = 0;         // all of out_; guarded by out_mutex_
  bool input_ended_ = false;     // guarded by out_mutex_
  bool lingers_ = false;         // guarded by out_mutex_
  bool waits_to_write_ = false;  // guarded by out_mutex_
};

}  // namespace klip::net
