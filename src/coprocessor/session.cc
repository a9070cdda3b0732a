#include "coprocessor/session.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
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
  char length[sizeof(uint32_t)];
  KLIP_RETURN_IF_ERROR(ReadExactly(length, sizeof(length), limit_ms));
  const auto bytes = ReadBigEndian<uint32_t>(length);
  if (bytes < kLeastFrameBytes || bytes > kMostFrameBytes) {
    return Break("it sent a frame of " + std::to_string(bytes) + " bytes");
  }
  rpc::Buffer frame;
  KLIP_RETURN_IF_ERROR(ReadExactly(frame.Grow(bytes), bytes, limit_ms));
  Expected<FrameReader> reader = FrameReader::Parse(std::move(frame));
  broken_ = broken_ || !reader.ok();
  return reader;
}

Status Session::ReadExactly(char* out, size_t bytes, int64_t limit_ms) {
  while (bytes > 0) {
    pollfd waiting = {.fd = socket_.get(), .events = POLLIN};
    const int ready = ::poll(&waiting, 1, static_cast<int>(limit_ms));
    if (ready == 0) {
      return Break("it has not answered for " + std::to_string(limit_ms) + " ms");
    }
    const ssize_t got = ready < 0 ? -1 : ::recv(socket_.get(), out, bytes, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return Break(got == 0 ? "it has ended" : base::ErrorText(errno));
    }
    out += got;
    bytes -= static_cast<size_t>(got);
  }
  return Status::Ok();
}

Status Session::Break(std::string_view why) {
  broken_ = true;
  return {Code::kIoError, "the coprocessor host failed: " + std::string(why)};
}

}  // namespace klip::coprocessor
