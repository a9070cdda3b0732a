// For tests: a coprocessor host without a JVM. It answers methods with what the test specifies, and others with empty
// frames.
#pragma once

#include <cstring>
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
  // Listens on `socket`. Answers START like a host without classes of servers.
  FakeHost(std::string socket, std::map<Method, FrameWriter> answers)
      : socket_(std::move(socket)), answers_(std::move(answers)), listener_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
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
    std::string frame;
    while (Receive(connection, sizeof(uint32_t), &frame) &&
           Receive(connection, ReadBigEndian<uint32_t>(frame.data()), &frame)) {
      const auto method = static_cast<Method>(frame[1]);
      {
        const std::lock_guard lock(mutex_);
        ++calls_[method];
      }
      if (method == Method::kBackground || method == Method::kRelease) {
        continue;  // without an answer
      }
      const auto at = answers_.find(method);
      static const FrameWriter kNothing;
      const FrameWriter& answer = at == answers_.end() ? kNothing : at->second;
      const std::string bytes =
          answer.Head(FrameKind::kAnswer, method) + std::string(answer.body()) + std::string(answer.block());
      (void)::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }

  static bool Receive(int connection, size_t bytes, std::string* out) {
    out->resize(bytes);
    return ::recv(connection, out->data(), bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }

  const std::string socket_;
  std::map<Method, FrameWriter> answers_;
  const int listener_;
  std::thread accepting_;
  std::vector<int> connections_;      // of accepting_, until it has ended
  std::vector<std::thread> serving_;  // the same
  mutable std::mutex mutex_;
  std::map<Method, int> calls_;  // guarded by mutex_
};

}  // namespace klip::coprocessor
