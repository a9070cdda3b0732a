// For tests: a coprocessor host without a JVM. It answers methods with what the test specifies, and others with empty
// frames. In place of an answer, a test may run code, which may call klip like a coprocessor in a hook.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "coprocessor/frame.h"
#include "klip/bytes.h"

namespace klip::coprocessor {

class FakeHost {
 public:
  // A call to klip from within a hook; returns klip's answer or error.
  using Ask = std::function<FrameReader(Method, const FrameWriter&)>;
  using Hook = std::function<FrameWriter(FrameReader* call, const Ask& klip)>;

  // Listens on `socket`. Answers START like a host without classes of servers.
  FakeHost(std::string socket, std::map<Method, FrameWriter> answers, std::map<Method, Hook> hooks = {})
      : socket_(std::move(socket)),
        answers_(std::move(answers)),
        hooks_(std::move(hooks)),
        listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    answers_[Method::kStart].U32(0).U32(0).U32(0).U32(0).U32(0).Text("2.6.4");
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), std::min(socket_.size(), sizeof(address.sun_path) - 1));
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listener_, 16) != 0) {
      std::abort();
    }
    accepting_ = std::thread([this] { Accept(); });
  }

  ~FakeHost() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (const int one : connections_) {
      ::shutdown(one, SHUT_RDWR);
    }
    for (std::thread& one : serving_) {
      one.join();
    }
    for (const int one : connections_) {
      ::close(one);
    }
    ::close(listener_);
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  // From now on, calls of the method fail with this.
  void Fail(Method method, Status status) {
    const std::lock_guard lock(mutex_);
    failures_[method] = std::move(status);
  }

  int calls(Method method) const {
    const std::lock_guard lock(mutex_);
    const auto at = calls_.find(method);
    return at == calls_.end() ? 0 : at->second;
  }

 private:
  void Accept() {
    for (int one = 0; (one = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      connections_.push_back(one);
      serving_.emplace_back([this, one] { Serve(one); });
    }
  }

  void Serve(int connection) {
    const Ask ask = [&](Method method, const FrameWriter& call) {
      Send(connection, FrameKind::kCall, method, call);
      rpc::Buffer answer;
      return Receive(connection, &answer) ? *FrameReader::Parse(std::move(answer)) : FrameReader();
    };
    for (rpc::Buffer frame; Receive(connection, &frame);) {
      FrameReader call = *FrameReader::Parse(std::move(frame));
      const Method method = call.method();
      Status failure;
      {
        const std::lock_guard lock(mutex_);
        ++calls_[method];
        failure = failures_[method];
      }
      if (!failure.ok()) {
        FrameWriter error;
        WriteError(failure, &error);
        Send(connection, FrameKind::kError, method, error);
        continue;
      }
      if (method == Method::kBackground || method == Method::kRelease) {
        continue;  // without an answer
      }
      const auto hook = hooks_.find(method);
      const auto at = answers_.find(method);
      static const FrameWriter kNothing;
      if (hook != hooks_.end()) {
        Send(connection, FrameKind::kAnswer, method, hook->second(&call, ask));
      } else {
        Send(connection, FrameKind::kAnswer, method, at == answers_.end() ? kNothing : at->second);
      }
    }
  }

  static void Send(int connection, FrameKind kind, Method method, const FrameWriter& frame) {
    const std::string bytes = frame.Head(kind, method) + std::string(frame.body()) + std::string(frame.block());
    (void)::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  // Everything after the length.
  static bool Receive(int connection, rpc::Buffer* frame) {
    char length[sizeof(uint32_t)];
    *frame = rpc::Buffer();
    if (!Receive(connection, sizeof(length), length)) {
      return false;
    }
    const auto bytes = ReadBigEndian<uint32_t>(length);
    return Receive(connection, bytes, frame->Grow(bytes));
  }

  static bool Receive(int connection, size_t bytes, char* out) {
    return ::recv(connection, out, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }

  const std::string socket_;
  std::map<Method, FrameWriter> answers_;
  const std::map<Method, Hook> hooks_;
  const int listener_;
  std::thread accepting_;
  std::vector<int> connections_;      // of accepting_, until it has ended
  std::vector<std::thread> serving_;  // the same
  mutable std::mutex mutex_;
  std::map<Method, int> calls_;        // guarded by mutex_
  std::map<Method, Status> failures_;  // guarded by mutex_
};

}  // namespace klip::coprocessor
