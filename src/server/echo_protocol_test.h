// For tests of the server's threads: a protocol of which each byte is a call that is answered with it.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "server/channel.h"
#include "server/reactor.h"
#include "server/socket.h"

namespace klip::server {

inline constexpr char kWaits = 'w';
inline constexpr char kWaitsAndIsLarge = 'W';
inline constexpr char kUrgent = 'u';
inline constexpr size_t kLargeAnswerBytes = 60 << 10;

// Answers with its byte; those that wait not before they may.
class EchoTask final : public Task {
 public:
  EchoTask(std::shared_ptr<Channel> channel, char byte, std::shared_future<void> may_end)
      : channel_(std::move(channel)), byte_(byte), may_end_(std::move(may_end)) {}

  void Run() override {
    if (byte_ == kWaits || byte_ == kWaitsAndIsLarge) {
      may_end_.wait();
    }
    rpc::Buffer answer;
    answer.Append(std::string(byte_ == kWaitsAndIsLarge ? kLargeAnswerBytes : 1, byte_));
    channel_->Send(std::move(answer));
  }

  bool urgent() const override { return byte_ == kUrgent; }

 private:
  const std::shared_ptr<Channel> channel_;
  const char byte_;
  const std::shared_future<void> may_end_;
};

// Each byte is a call.
class EchoProtocol final : public Protocol {
 public:
  explicit EchoProtocol(std::shared_future<void> may_end) : may_end_(std::move(may_end)) {}

  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* tasks) override {
    for (const char byte : std::string(input->view())) {
      tasks->push_back(std::make_unique<EchoTask>(channel, byte, may_end_));
      input->Skip(1);
    }
    return 1;
  }

 private:
  const std::shared_future<void> may_end_;
};

// A reactor that speaks it on port_. Calls that wait do so until LetEnd, or the test's end.
class EchoTest : public testing::Test {
 protected:
  // `send_bytes` not 0: connections take about so much at once.
  EchoTest(int threads, int kept, int send_bytes = 0) {
    Expected<Descriptor> listener = Listen("127.0.0.1", 0);
    EXPECT_TRUE(listener.ok());
    if (send_bytes > 0) {
      EXPECT_EQ(::setsockopt(listener->get(), SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof(send_bytes)), 0);
    }
    port_ = PortOf(*listener);
    reactor_.Serve(*std::move(listener), nullptr,
                   [may_end = end_.get_future().share()] { return std::make_unique<EchoProtocol>(may_end); });
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

}  // namespace klip::server
