#include "coprocessor/session.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "klip/bytes.h"

namespace klip::coprocessor {
namespace {

// The size of a batch of writes with its cells; a longer frame did not come from a host.
constexpr uint32_t kMostFrameBytes = 1U << 30U;
constexpr uint32_t kLeastFrameBytes = 6;

}  // namespace

Expected<std::unique_ptr<Session>> Session::Connect(const std::string& socket, Callbacks* callbacks) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof(address.sun_path)) {
    return Status(Code::kInvalidArgument, "the path of the coprocessor host's socket is too long: " + socket);
  }
  std::memcpy(address.sun_path, socket.data(), socket.size());
  base::Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (descriptor.get() < 0 ||
      ::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Status(Code::kIoError, "cannot reach the coprocessor host at " + socket + ": " + base::ErrorText(errno));
  }
  return std::unique_ptr<Session>(new Session(std::move(descriptor), callbacks));
}

Expected<FrameReader> Session::Call(Method method, const FrameWriter& body, int64_t limit_ms) {
  KLIP_RETURN_IF_ERROR(SendFrame(FrameKind::kCall, method, body));
  while (true) {
    KLIP_ASSIGN_OR_RETURN(FrameReader frame, Receive(limit_ms));
    if (frame.kind() == FrameKind::kAnswer) {
      return frame;
    }
    if (frame.kind() == FrameKind::kError) {
      return ReadError(&frame);
    }
    FrameWriter answer;
    const Status served = callbacks_->Serve(&frame, &answer);
    if (!served.ok()) {
      FrameWriter error;
      WriteError(served, &error);
      KLIP_RETURN_IF_ERROR(SendFrame(FrameKind::kError, frame.method(), error));
    } else {
      KLIP_RETURN_IF_ERROR(SendFrame(FrameKind::kAnswer, frame.method(), answer));
    }
  }
}

void Session::Shutdown() { ::shutdown(socket_.get(), SHUT_RDWR); }

Status Session::SendFrame(FrameKind kind, Method method, const FrameWriter& body) {
  const std::string head = body.Head(kind, method);
  std::string_view parts[] = {head, body.body(), body.block()};
  size_t first = 0;
  while (first < std::size(parts)) {
    iovec vectors[std::size(parts)];
    for (size_t i = first; i < std::size(parts); ++i) {
      vectors[i - first] = {const_cast<char*>(parts[i].data()), parts[i].size()};
    }
    const msghdr message = {.msg_iov = vectors, .msg_iovlen = std::size(parts) - first};
    ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Break(base::ErrorText(errno));
    }
    for (; first < std::size(parts) && static_cast<size_t>(sent) >= parts[first].size(); ++first) {
      sent -= static_cast<ssize_t>(parts[first].size());
    }
    if (first < std::size(parts)) {
      parts[first].remove_prefix(static_cast<size_t>(sent));
    }
  }
  return Status::Ok();
}

Expected<FrameReader> Session::Receive(int64_t limit_ms) {
  LimitWaiting(limit_ms);
  while (received_end_ - received_begin_ < sizeof(uint32_t)) {
    std::memmove(received_.data(), received_.data() + received_begin_, received_end_ - received_begin_);
    received_end_ -= std::exchange(received_begin_, 0);
    KLIP_ASSIGN_OR_RETURN(const size_t got, Read(received_.data() + received_end_, received_.size() - received_end_));
    received_end_ += got;
  }
  const auto bytes = ReadBigEndian<uint32_t>(received_.data() + received_begin_);
  received_begin_ += sizeof(uint32_t);
  if (bytes < kLeastFrameBytes || bytes > kMostFrameBytes) {
    return Break("it sent a frame of " + std::to_string(bytes) + " bytes");
  }
  rpc::Buffer frame;
  char* out = frame.Grow(bytes);
  char* const end = out + bytes;
  const size_t here = std::min<size_t>(bytes, received_end_ - received_begin_);
  out = std::copy_n(received_.data() + received_begin_, here, out);
  received_begin_ += here;
  while (out < end) {
    KLIP_ASSIGN_OR_RETURN(const size_t got, Read(out, static_cast<size_t>(end - out)));
    out += got;
  }
  Expected<FrameReader> reader = FrameReader::Parse(std::move(frame));
  broken_ = broken_ || !reader.ok();
  return reader;
}

// A limit of the socket costs no system call for each read, unlike poll.
void Session::LimitWaiting(int64_t limit_ms) {
  if (limit_ms != limit_ms_) {
    limit_ms_ = limit_ms;
    const int64_t set_ms = std::max<int64_t>(limit_ms, 0);  // 0: none
    const timeval limit = {.tv_sec = set_ms / 1000, .tv_usec = (set_ms % 1000) * 1000};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
}

Expected<size_t> Session::Read(char* out, size_t most) {
  while (true) {
    const ssize_t got = ::recv(socket_.get(), out, most, 0);
    if (got > 0) {
      return static_cast<size_t>(got);
    }
    if (got == 0) {
      return Break("it has ended");
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Break("it has not answered for " + std::to_string(limit_ms_) + " ms");
    }
    if (errno != EINTR) {
      return Break(base::ErrorText(errno));
    }
  }
}

Status Session::Break(std::string_view why) {
  broken_ = true;
  return {Code::kIoError, "the coprocessor host failed: " + std::string(why)};
}

}  // namespace klip::coprocessor
