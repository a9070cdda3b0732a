#include "server/turns.h"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/raw_client_test.h"
#include "server/reactor.h"

namespace klip::server {
namespace {

constexpr char kWaits = 'w';
constexpr char kWaitsAndIsLarge = 'W';
constexpr size_t kLargeBytes = 60 << 10;
constexpr int kSocketBytes = 4 << 10;

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
    answer.Append(std::string(byte_ == kWaitsAndIsLarge ? kLargeBytes : 1, byte_));
    channel_->Send(std::move(answer));
  }

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

class TurnsTest : public testing::Test {
 protected:
  TurnsTest() {
    Expected<Descriptor> listener = Listen("127.0.0.1", 0);
    EXPECT_TRUE(listener.ok());
    // Its connections take little at once.
    EXPECT_EQ(::setsockopt(listener->get(), SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof(kSocketBytes)), 0);
    port_ = PortOf(*listener);
    reactor_.Serve(*std::move(listener), nullptr,
                   [may_end = end_.get_future().share()] { return std::make_unique<EchoProtocol>(may_end); });
    EXPECT_TRUE(reactor_.Start(4).ok());
  }

  ~TurnsTest() override { LetEnd(); }

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

TEST_F(TurnsTest, AnswersOfOneReadComeInOrderAndTogether) {
  RawSocket client(port_);
  client.Send("abcdefghij");
  std::string got(100, '\0');
  got.resize(static_cast<size_t>(std::max<ssize_t>(0, ::recv(client.descriptor(), got.data(), got.size(), 0))));
  EXPECT_EQ(got, "abcdefghij");
}

TEST_F(TurnsTest, ACallThatTurnsOutToBeLongHoldsNobodyUp) {
  RawSocket client(port_);
  client.Send("abw");  // nothing is known of the connection: they are taken for short
  EXPECT_EQ(client.Receive(2), "ab");
  client.Send("c");
  EXPECT_EQ(client.Receive(1), "c");
  client.Send("de");
  std::string two = client.Receive(2);
  std::sort(two.begin(), two.end());
  EXPECT_EQ(two, "de");
  LetEnd();
  EXPECT_EQ(client.Receive(1), std::string(1, kWaits));
}

TEST_F(TurnsTest, CallsBehindALongOneAreTakenOver) {
  RawSocket client(port_);
  client.Send("wabc");
  std::string three = client.Receive(3);
  std::sort(three.begin(), three.end());
  EXPECT_EQ(three, "abc");
  LetEnd();
  EXPECT_EQ(client.Receive(1), std::string(1, kWaits));
}

TEST_F(TurnsTest, AnAnswerThatTheSocketDoesNotTakeAtOnceFollowsABrokenTurn) {
  RawSocket client(port_, kSocketBytes);
  client.Send({&kWaitsAndIsLarge, 1});
  client.Send("b");
  EXPECT_EQ(client.Receive(1), "b") << "the turn was broken: another thread reads";
  LetEnd();
  while (reactor_.sent_bytes() == 1) {
    std::this_thread::yield();
  }
  RawSocket other(port_);
  other.Send("c");
  EXPECT_EQ(other.Receive(1), "c") << "meanwhile the socket is full";
  EXPECT_EQ(client.Receive(kLargeBytes), std::string(kLargeBytes, kWaitsAndIsLarge));
}

TEST_F(TurnsTest, StopEndsWhileATurnIsTaken) {
  RawSocket client(port_);
  client.Send("awb");
  EXPECT_EQ(client.Receive(1), "a");
  LetEnd();
  reactor_.Stop(1000);
  EXPECT_EQ(reactor_.running(), 0);
}

}  // namespace
}  // namespace klip::server
