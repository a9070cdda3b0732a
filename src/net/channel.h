// Channel: one client's socket. Bytes that come in go to its Protocol; answers go out from any thread.
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

// Work that came out of received bytes; runs once on some thread of the Reactor.
class Task {
 public:
  virtual ~Task() = default;
  virtual void Run() = 0;
  // Whether it may run where others wait for a place, see CallQueue. Not before it is read, which costs something.
  virtual bool urgent() const { return false; }
  // Whether it is HBase's master's, which are urgent as well, but only some of them run at once.
  virtual bool of_master() const { return false; }
  // Whether it did nothing but read. After it ran.
  virtual bool reads() const { return false; }
  // Memory that it holds before it runs.
  virtual size_t bytes() const { return 0; }
};
using TaskPtr = std::unique_ptr<Task>;

// Bytes received and not yet understood.
class Input {
 public:
  std::string_view view() const { return owned_.empty() ? scratch_ : owned_.view().substr(skipped_); }
  void Skip(size_t bytes);
  // The first `bytes` as a buffer of their own. REQUIRES: that many are there.
  rpc::Buffer Take(size_t bytes);

 private:
  friend class Channel;
  void Keep();  // what is left of the scratch bytes, or of the owned ones, moves to the front of owned_

  std::string_view scratch_;  // in the reading thread's memory
  rpc::Buffer owned_;         // else here
  size_t skipped_ = 0;        // of owned_
};

// How the bytes of a connection are understood. Called by one thread at a time.
class Protocol {
 public:
  virtual ~Protocol() = default;
  // Takes whole units off the front of *input. Returns how many bytes, from the front of what is left, the next unit needs
  // at least (a hint for reading); nullopt: the connection is to be closed once all answers are sent.
  virtual std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                        std::vector<TaskPtr>* tasks) = 0;
  // Whether the client has said all that opens a connection. Until then its time is limited, see Reactor::CutSlowClients.
  virtual bool opened() const { return true; }
};

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  // `tls` null: plaintext. It outlives the channel.
  Channel(Reactor* reactor, uint64_t id, Descriptor socket, const TlsContext* tls, std::unique_ptr<Protocol> protocol);
  ~Channel();

  // Sends head and body, one behind the other, or keeps what the socket does not take for later. Never waits. Thread-safe. `memory`
  // is kept until the body is sent.
  void Send(rpc::Buffer head, rpc::Buffer body = {}, MemoryLease memory = {});

  // What is kept counts as taken of `budget`, which outlives the channel. Before anything is sent.
  void CountUnsent(MemoryBudget* budget) { budget_ = budget; }
  MemoryShare* memory_share() { return &memory_share_; }

  // Answers that the calling thread sends from now on wait for Release, so that they go out together. Others send as before.
  void Hold();
  // Sends what waits. Thread-safe.
  void Release();

  // How long calls of this connection took of late: shorter than it takes to hand one to another thread?
  bool has_short_calls() const { return usual_us_.load(std::memory_order_relaxed) < kShortCallUs; }
  void AddCall(int64_t took_us);

  // Whether calls of this connection are reads that keep a processor busy for long, of late.
  bool has_long_reads() const { return usual_read_us_.load(std::memory_order_relaxed) >= kLongReadUs; }
  // `took_us`: 0 for calls that do not only read.
  void AddRead(int64_t took_us);

  // Does the client wait for each answer before it sends the next call?
  bool sends_one_by_one() const { return single_reads_.load(std::memory_order_relaxed) >= kSingleReads; }
  // A read brought one call, and none came while it was answered; or there were more.
  void CountRead(bool single);
  // Around a call that others may run beside.
  void BeginCall();
  void EndCall() { in_call_.store(false, std::memory_order_relaxed); }

  // Nothing more is read until ResumeReading. False: that was so already. Thread-safe. They are CallQueue's.
  bool StopReading() { return !held_up_.exchange(true); }
  void ResumeReading() { held_up_ = false; }

  // The same for a protocol that stopped reading by itself. Thread-safe.
  void ReadOn();

  // No more than what has been sent, then the end. Thread-safe.
  void CloseWhenSent();
  // The same for a client that may still be sending: what it sends is read, or it would lose the answer. The end comes when the
  // client ends, or by a deadline. Thread-safe.
  void LingerWhenSent();
  // Now. Thread-safe.
  void End();

  // Until when the client has to do what its protocol waits for, by MonotonicUs; 0: nothing is waited for. See
  // Reactor::CutSlowClients. Thread-safe.
  void SetDeadline(int64_t us) { deadline_us_.store(us, std::memory_order_relaxed); }
  bool IsOverdue(int64_t now_us) const {
    const int64_t deadline_us = deadline_us_.load(std::memory_order_relaxed);
    return deadline_us != 0 && now_us >= deadline_us;
  }
  // The server has nothing to do for it.
  bool waits_for_client() const {
    return !opened_.load(std::memory_order_relaxed) || deadline_us_.load(std::memory_order_relaxed) != 0;
  }

  // The client's "address:port".
  const std::string& Peer() const { return peer_; }
  std::string Address() const { return AddressOf(socket_); }
  bool is_loopback() const { return IsLoopback(socket_); }

  // Whether the client has not opened its connection, though it had this long.
  bool opens_slowly(int64_t now_us, int64_t limit_us) const {
    return !opened_.load(std::memory_order_relaxed) && now_us - accepted_us_ >= limit_us;
  }
  // Whether what the client began to say has not gone on, though it had this long. Thread-safe.
  bool StandsStill(int64_t now_us, int64_t limit_us);
  // As if the client had gone; that it was slow is not told again. Thread-safe.
  void Cut();

  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& closed_flag() const { return closed_; }

 private:
  friend class Reactor;
  friend class CallQueue;

  // TUNING: waking a thread costs some 10 us on either side, and much more on a virtual machine.
  static constexpr int64_t kShortCallUs = 100;
  static constexpr int32_t kSingleReads = 32;
  // TUNING: a batch of a scan that goes on takes about 1 ms.
  static constexpr int64_t kLongReadUs = 500;

  struct Part {
    rpc::Buffer bytes;
    MemoryLease memory;
  };

  // Reads what there is, up to a bound, and sends what is waiting. REQUIRES: the event was delivered to this thread.
  void OnEvent(uint32_t events, std::vector<TaskPtr>* tasks);
  void ReadSome(std::vector<TaskPtr>* tasks);
  // After each read; `anew`: what is in input_ began after something whole. REQUIRES: in_mutex_ is held
  void NoteProgress(bool anew);
  // Adds to *bytes. False: nothing more can be received.
  bool ReadOnce(size_t* bytes, bool* drained);
  // Bytes, 0 at the end, or -1 and errno.
  ssize_t Receive(char* bytes, size_t size);
  // False: the handshake cannot begin.
  bool StartTls();
  // Of the front of out_, at least a byte; else -1 and errno. REQUIRES: out_mutex_ is held.
  ssize_t SendFront();
  // What to wait for now. REQUIRES: out_mutex_ is held
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
  std::atomic<int64_t> progress_us_ = 0;  // when more came of what is not whole; 0: nothing is half there
  std::atomic<int64_t> usual_us_ = 0;
  std::atomic<int64_t> usual_read_us_ = 0;
  std::atomic<int32_t> single_reads_ = 0;  // after one another
  std::atomic<bool> in_call_ = false;

  int64_t served_us_ = 0;      // CallQueue's: what its calls had of threads
  int64_t usual_cost_us_ = 0;  // CallQueue's: what one of them usually takes

  MemoryShare memory_share_;
  MemoryBudget* budget_ = nullptr;  // null: nothing counts

  std::mutex in_mutex_;
  std::unique_ptr<Protocol> protocol_;  // guarded by in_mutex_
  Input input_;                         // guarded by in_mutex_
  bool began_ = false;                  // guarded by in_mutex_; something was read, so tls_ stays as it is
  size_t wanted_bytes_ = 0;             // guarded by in_mutex_
  size_t progress_bytes_ = 0;           // that were there at progress_us_; guarded by in_mutex_

  std::mutex out_mutex_;
  std::deque<Part> out_;         // guarded by out_mutex_
  size_t out_sent_ = 0;          // of out_.front(); guarded by out_mutex_
  size_t out_bytes_ = 0;         // all of out_; guarded by out_mutex_
  bool input_ended_ = false;     // guarded by out_mutex_
  bool lingers_ = false;         // guarded by out_mutex_
  bool waits_to_write_ = false;  // guarded by out_mutex_
};

}  // namespace klip::net
