#include "net/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "net/clock.h"
#include "net/reactor.h"

namespace klip::net {
namespace {

constexpr size_t kScratchBytes = 64 << 10;
// A frame of at least this size is passed on without a copy. Smaller ones are copied, so that a short request does not
// keep a large buffer alive.
constexpr size_t kLargeFrameBytes = 32 << 10;
// The most that is read at once of a larger frame: memory follows the bytes received, not the announced length.
constexpr size_t kMaxReadAheadBytes = 4 << 20;
// Above this many unsent bytes, a client that does not read its answers gets backpressure.
constexpr size_t kMaxUnsentBytes = 64 << 20;
// An event starts its last read below these limits, so that a client that sends faster than its frames are parsed does
// not occupy the thread, and waiting frames are handled before more arrive. The event is delivered again for the rest.
constexpr size_t kMaxEventBytes = 4 << 20;
constexpr size_t kMaxEventCalls = 1000;

// A small answer is appended to the previous one: the socket gets one part instead of many.
constexpr size_t kJoinedBytes = 16 << 10;
// TUNING: fewer bytes are no progress. A client that sends so little in a minute is treated as gone.
constexpr size_t kProgressBytes = 64 << 10;
// Larger amounts do not wait for Release.
constexpr size_t kMaxHeldBytes = 64 << 10;

thread_local const Channel* held_channel = nullptr;

char* Scratch() {
  thread_local std::unique_ptr<char[]> scratch(new char[kScratchBytes]);
  return scratch.get();
}

}  // namespace

void Input::Skip(size_t bytes) {
  if (owned_.empty()) {
    scratch_.remove_prefix(bytes);
  } else {
    skipped_ += bytes;
  }
}

rpc::Buffer Input::Take(size_t bytes) {
  rpc::Buffer taken;
  if (bytes >= kLargeFrameBytes && !owned_.empty() && bytes >= owned_.size() / 2) {
    // Most of the buffer: the caller gets it, and the rest is copied.
    rpc::Buffer rest;
    rest.Append(view().substr(bytes));
    std::memmove(owned_.data(), owned_.data() + skipped_, bytes);
    owned_.Truncate(bytes);
    std::swap(taken, owned_);
    std::swap(owned_, rest);
    skipped_ = 0;
    scratch_ = {};
    return taken;
  }
  taken.Append(view().substr(0, bytes));
  Skip(bytes);
  return taken;
}

void Input::Keep() {
  const std::string_view left = view();
  if (owned_.empty()) {
    owned_.Append(left);
  } else if (left.empty()) {
    owned_ = rpc::Buffer();
  } else if (skipped_ > 0) {
    std::memmove(owned_.data(), left.data(), left.size());
    owned_.Truncate(left.size());
  }
  skipped_ = 0;
  scratch_ = {};
}

Channel::Channel(Reactor* reactor, uint64_t id, Descriptor socket, const TlsContext* tls,
                 std::unique_ptr<Protocol> protocol)
    : reactor_(reactor),
      id_(id),
      socket_(std::move(socket)),
      tls_context_(tls),
      peer_(PeerOf(socket_)),
      accepted_us_(MonotonicUs()),
      protocol_(std::move(protocol)) {}

Channel::~Channel() = default;

void Channel::OnEvent(uint32_t events, std::vector<TaskPtr>* tasks) {
  if ((events & EPOLLOUT) != 0) {
    const std::lock_guard lock(out_mutex_);
    Flush();
  }
  // a blocked write of the handshake blocks reading
  const bool shakes_hands = tls_ != nullptr && (events & EPOLLOUT) != 0;
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0 || shakes_hands) {
    ReadSome(tasks);
  }
}

void Channel::ReadSome(std::vector<TaskPtr>* tasks) {
  const std::lock_guard lock(in_mutex_);
  bool open = !closed();
  bool drained = false;
  for (size_t bytes = 0; open && !drained && bytes < kMaxEventBytes && tasks->size() < kMaxEventCalls && MayRead();) {
    open = ReadOnce(&bytes, &drained);
    if (!open || input_.view().size() < wanted_bytes_) {
      input_.Keep();
      NoteProgress(/*new_unit=*/false);
      continue;
    }
    const size_t had = input_.view().size();
    const std::optional<size_t> wanted = protocol_->OnInput(&input_, shared_from_this(), tasks);
    input_.Keep();
    if (!wanted.has_value()) {
      CloseWhenSent();
      return;
    }
    wanted_bytes_ = *wanted;
    NoteProgress(/*new_unit=*/input_.view().size() < had);
    if (!opened_.load(std::memory_order_relaxed)) {
      opened_ = protocol_->opened();
    }
  }
  if (!open) {
    const std::lock_guard out_lock(out_mutex_);
    Close();
  }
}

void Channel::NoteProgress(bool new_unit) {
  const size_t have = input_.view().size();
  if (have == 0) {
    progress_us_.store(0, std::memory_order_relaxed);
  } else if (new_unit || progress_us_.load(std::memory_order_relaxed) == 0 ||
             have >= progress_bytes_ + kProgressBytes) {
    progress_us_.store(MonotonicUs(), std::memory_order_relaxed);
    progress_bytes_ = have;
  }
}

bool Channel::StartTls() {
  constexpr char kHandshake = 0x16;  // the first byte of a TLS record of this kind
  char first = 0;
  if (tls_context_->options().allow_plaintext && ::recv(socket_.get(), &first, 1, MSG_PEEK) == 1 &&
      first != kHandshake) {
    return true;
  }
  tls_ = tls_context_->NewSession(socket_.get());
  return tls_ != nullptr;
}

ssize_t Channel::Receive(char* bytes, size_t size) {
  if (tls_context_ != nullptr && !std::exchange(began_, true) && !StartTls()) {
    errno = ENOMEM;
    return -1;
  }
  return tls_ != nullptr ? tls_->Receive(bytes, size) : ::recv(socket_.get(), bytes, size, 0);
}

bool Channel::ReadOnce(size_t* bytes, bool* drained) {
  ssize_t got = 0;
  size_t room = kScratchBytes;
  if (input_.owned_.empty()) {
    got = Receive(Scratch(), room);
    if (got > 0) {
      input_.scratch_ = {Scratch(), static_cast<size_t>(got)};
    }
  } else {
    const size_t have = input_.owned_.size();
    room = std::clamp(wanted_bytes_ > have ? wanted_bytes_ - have : 0, kScratchBytes, kMaxReadAheadBytes);
    got = Receive(input_.owned_.Grow(room), room);
    input_.owned_.Truncate(have + (got > 0 ? static_cast<size_t>(got) : 0));
  }
  if (got > 0) {
    reactor_->received_bytes_.fetch_add(got, std::memory_order_relaxed);
    *bytes += static_cast<size_t>(got);
    // OpenSSL returns one record at a time, and all of it: there is space for more.
    *drained = tls_ == nullptr && static_cast<size_t>(got) < room;
    return true;
  }
  *drained = true;
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

uint32_t Channel::Interest() {
  if (closed()) {
    return 0;
  }
  const bool reads = !input_ended_ && !held_up_ && out_bytes_ <= kMaxUnsentBytes;
  const bool reading_writes = reads && tls_ != nullptr && tls_->waits_to_write();
  return (reads ? uint32_t{EPOLLIN} : 0U) | (!out_.empty() || reading_writes ? uint32_t{EPOLLOUT} : 0U);
}

bool Channel::MayRead() {
  const std::lock_guard lock(out_mutex_);
  return (Interest() & EPOLLIN) != 0;
}

void Channel::Send(rpc::Buffer head, rpc::Buffer body, MemoryLease memory) {
  bool wait = false;
  {
    const std::lock_guard lock(out_mutex_);
    if (closed()) {
      return;
    }
    const size_t bytes = head.size() + body.size();
    out_bytes_ += bytes;
    reactor_->unsent_bytes_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    for (rpc::Buffer* part : {&head, &body}) {
      if (!out_.empty() && out_.back().bytes.size() + part->size() <= kJoinedBytes) {
        out_.back().bytes.Append(part->view());
      } else if (!part->empty()) {
        out_.push_back({std::move(*part), MemoryLease(budget_, &memory_share_)});
      }
    }
    if (memory.held() > kJoinedBytes) {
      std::swap(out_.back().memory, memory);
    }
    if (!waits_to_write_ && (held_channel != this || out_bytes_ > kMaxHeldBytes)) {
      Flush();
      wait = waits_to_write_;
    }
    if (!out_.empty()) {
      out_.back().memory.HoldAnyway(out_.back().bytes.size());
    }
  }
  if (wait) {
    reactor_->Rearm(*this);
  }
}

void Channel::Hold() { held_channel = this; }

void Channel::Release() {
  if (held_channel == this) {
    held_channel = nullptr;
  }
  bool wait = false;
  {
    const std::lock_guard lock(out_mutex_);
    if (!waits_to_write_) {
      Flush();
      wait = waits_to_write_;
    }
  }
  if (wait) {
    reactor_->Rearm(*this);  // for a broken turn, nobody else does
  }
}

void Channel::AddCall(int64_t took_us) {
  constexpr int64_t kMemory = 8;
  constexpr int64_t kMost = 10 * kShortCallUs;  // a single slow call is soon forgotten
  const int64_t usual = usual_us_.load(std::memory_order_relaxed);
  usual_us_.store(usual + (std::min(took_us, kMost) - usual) / kMemory, std::memory_order_relaxed);
}

void Channel::AddRead(int64_t used_us) {
  constexpr int64_t kMemory = 4;
  const int64_t usual = usual_read_us_.load(std::memory_order_relaxed);
  if (usual != used_us) {
    usual_read_us_.store(usual + (used_us - usual) / kMemory, std::memory_order_relaxed);
  }
}

void Channel::CountRead(bool single) {
  const int32_t reads = single ? single_reads_.load(std::memory_order_relaxed) + 1 : 0;
  single_reads_.store(std::min(reads, kSingleReads), std::memory_order_relaxed);
}

void Channel::BeginCall() {
  if (in_call_.exchange(true, std::memory_order_relaxed)) {
    CountRead(/*single=*/false);
  }
}

void Channel::CloseWhenSent() {
  const std::lock_guard lock(out_mutex_);
  input_ended_ = true;
  if (out_.empty()) {
    Close();
  }
}

void Channel::LingerWhenSent() {
  const std::lock_guard lock(out_mutex_);
  lingers_ = true;
  if (out_.empty()) {
    ::shutdown(socket_.get(), SHUT_WR);
  }
}

void Channel::End() {
  const std::lock_guard lock(out_mutex_);
  Close();
}

void Channel::ReadOn() {
  ResumeReading();
  reactor_->Rearm(*this);
}

bool Channel::StandsStill(int64_t now_us, int64_t limit_us) {
  const auto is_late = [&] {
    const int64_t since_us = progress_us_.load(std::memory_order_relaxed);
    return since_us != 0 && now_us - since_us >= limit_us;
  };
  if (!is_late()) {
    return false;
  }
  const std::unique_lock lock(in_mutex_, std::try_to_lock);  // if another thread has it, it is reading
  int unread = 0;                                            // the client has sent more, but no thread had time
  return lock.owns_lock() && is_late() && ::ioctl(socket_.get(), FIONREAD, &unread) == 0 && unread == 0;
}

void Channel::Cut() {
  opened_ = true;
  progress_us_ = 0;
  deadline_us_ = 0;
  ::shutdown(socket_.get(), SHUT_RDWR);
}

ssize_t Channel::SendFront() {
  if (tls_ == nullptr) {
    constexpr size_t kParts = 16;
    std::array<iovec, kParts> parts;
    size_t count = 0;
    for (Part& part : out_) {
      if (count == kParts) {
        break;
      }
      const size_t sent = count == 0 ? out_sent_ : 0;
      parts[count++] = {part.bytes.data() + sent, part.bytes.size() - sent};
    }
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  }
  // Data that fills a record goes as it is; a head and its small body form one record.
  constexpr size_t kRecordBytes = 16 << 10;
  const std::string_view front = out_.front().bytes.view().substr(out_sent_);
  if (front.size() >= kRecordBytes || out_.size() == 1) {
    return tls_->Send(front.data(), front.size());
  }
  thread_local std::array<char, kRecordBytes> record;
  size_t bytes = 0;
  for (const Part& part : out_) {
    const std::string_view text = bytes == 0 ? front : part.bytes.view();
    const size_t fits = std::min(text.size(), kRecordBytes - bytes);
    std::memcpy(record.data() + bytes, text.data(), fits);
    bytes += fits;
    if (bytes == kRecordBytes) {
      break;
    }
  }
  return tls_->Send(record.data(), bytes);
}

void Channel::Flush() {
  waits_to_write_ = false;
  while (!out_.empty() && !closed()) {
    const ssize_t sent = SendFront();
    if (sent < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        waits_to_write_ = true;
        return;
      }
      if (errno != EINTR) {
        Close();
      }
      continue;
    }
    reactor_->sent_bytes_.fetch_add(sent, std::memory_order_relaxed);
    reactor_->unsent_bytes_.fetch_sub(sent, std::memory_order_relaxed);
    out_bytes_ -= static_cast<size_t>(sent);
    out_sent_ += static_cast<size_t>(sent);
    while (!out_.empty() && out_sent_ >= out_.front().bytes.size()) {
      out_sent_ -= out_.front().bytes.size();
      out_.pop_front();
    }
  }
  if (input_ended_ && out_.empty()) {
    Close();
  } else if (lingers_ && out_.empty()) {
    ::shutdown(socket_.get(), SHUT_WR);
  }
}

void Channel::Close() {
  if (!closed_.exchange(true)) {
    ::shutdown(socket_.get(), SHUT_RDWR);  // the descriptor itself is closed when nobody can use it any more
    out_.clear();
    reactor_->unsent_bytes_.fetch_sub(static_cast<int64_t>(out_bytes_), std::memory_order_relaxed);
    out_bytes_ = 0;
    reactor_->Forget(id_);
  }
}

}  // namespace klip::net
