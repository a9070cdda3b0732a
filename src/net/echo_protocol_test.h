// For tests of the server's threads: a protocol in which each byte is a call, answered with the same byte.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/channel.h"
#include "net/reactor.h"
#include "net/socket.h"

namespace klip::net {

inline constexpr char kWaits = 'w';
inline constexpr char kWaitsAndIsLarge = 'W';
inline constexpr char kReads = 'r';
inline constexpr char kUrgent = 'u';
inline constexpr char kUrgentAndLarge = 'U';
inline constexpr size_t kLargeAnswerBytes = 60 << 10;

// What a test does during its clients' calls.
using OnEcho = std::function<void(char byte)>;

// Answers with its byte; some wait until they are released.
class EchoTask final : public Task {
 public:
  EchoTask(std::shared_ptr<Channel> channel, char byte, std::shared_future<void> may_end, const OnEcho& on_echo)
      : channel_(std::move(channel)), byte_(byte), may_end_(std::move(may_end)), on_echo_(on_echo) {}

  void Run() override {
    if (on_echo_ != nullptr) {
      on_echo_(byte_);
    }
    if (byte_ == kWaits || byte_ == kWaitsAndIsLarge) {
      may_end_.wait();
    }
    if (byte_ == kReads) {
      channel_->AddCall(1000);  // as the protocols do: it is not short
    }
    rpc::Buffer answer;
    const bool large = byte_ == kWaitsAndIsLarge || byte_ == kUrgentAndLarge;
    answer.Append(std::string(large ? kLargeAnswerBytes : 1, byte_));
    channel_->Send(std::move(answer));
  }

  bool reads() const override { return byte_ == kReads; }
  bool urgent() const override { return byte_ == kUrgent || byte_ == kUrgentAndLarge; }

 private:
  const std::shared_ptr<Channel> channel_;
  const char byte_;
  const std::shared_future<void> may_end_;
  const OnEcho& on_echo_;
};

// Each byte is a call.
class EchoProtocol final : public Protocol {
 public:
  explicit EchoProtocol(std::shared_future<void> may_end, OnEcho on_echo = {})
      : may_end_(std::move(may_end)), on_echo_(std::move(on_echo)) {}

  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* tasks) override {
    for (const char byte : std::string(input->view())) {
      tasks->push_back(std::make_unique<EchoTask>(channel, byte, may_end_, on_echo_));
      input->Skip(1);
    }
    return 1;
  }

 private:
  const std::shared_future<void> may_end_;
  const OnEcho on_echo_;
};

// A reactor that speaks it on port_. Waiting calls wait until LetEnd, or the end of the test.
class EchoTest : public testing::Test {
 protected:
  // `send_bytes` not 0: connections accept about so much at once.
  EchoTest(int threads, int kept, int send_bytes = 0, OnEcho on_echo = {}) {
    Expected<Descriptor> listener = Listen("127.0.0.1", 0);
    EXPECT_TRUE(listener.ok());
    constexpr int kReceiveBytes = 1 << 20;  // what clients send at once waits together
    EXPECT_EQ(::setsockopt(listener->get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBytes, sizeof(kReceiveBytes)), 0);
    if (send_bytes > 0) {
      EXPECT_EQ(::setsockopt(listener->get(), SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(send_bytes)), 0);
    }
    port_ = PortOf(*listener);
    reactor_.Serve(*std::move(listener), nullptr, [may_end = end_.get_future().share(), on_echo = std::move(on_echo)] {
      return std::make_unique<EchoProtocol>(may_end, on_echo);
    });
    EXPECT_TRUE(reactor_.Start(threads, kept).ok());
  }
  ~EchoTest() override { LetEnd(); }

  void LetEnd() {
    if (!std::exchange(may_end_, true)) {
      end_.set_value();
    }
  }

  std::promise<void> end_;
  bool may_end_ = false;
  uint16_t port_ = 0;
  Reactor reactor_;
};

}  // namespace klip::net
