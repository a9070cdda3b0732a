// What runs and what is read when there are more calls than may run.
#include "server/call_queue.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/echo_protocol_test.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class NamedTask final : public Task {
 public:
  NamedTask(std::string* ran, char name, size_t bytes) : ran_(ran), name_(name), bytes_(bytes) {}
  void Run() override { *ran_ += name_; }
  bool urgent() const override { return name_ >= 'A' && name_ <= 'Z'; }
  size_t bytes() const override { return bytes_; }

 private:
  std::string* const ran_;
  const char name_;
  const size_t bytes_;
};

class CallQueueTest : public testing::Test {
 protected:
  CallQueueTest() { queue_.SetPlaces(2, 3); }

  // Upper case is urgent.
  bool Push(std::string_view names, size_t bytes = 1) {
    std::vector<TaskPtr> tasks;
    for (const char name : names) {
      tasks.push_back(std::make_unique<NamedTask>(&ran_, name, bytes));
    }
    return queue_.Push(&tasks, channel_.get());
  }

  // Runs what may run and keeps its place.
  char Take() {
    const TaskPtr task = queue_.Take(&to_read_);
    if (task == nullptr) {
      return '-';
    }
    task->Run();
    return ran_.back();
  }

  CallQueue queue_;
  std::string ran_;
  std::vector<std::shared_ptr<Channel>> to_read_;
  const std::shared_ptr<Channel> channel_ = std::make_shared<Channel>(
      nullptr, 0, Descriptor(), nullptr, std::make_unique<EchoProtocol>(std::shared_future<void>()));
};

TEST_F(CallQueueTest, RunsAsManyAsMayInOrder) {
  EXPECT_TRUE(Push("abcd"));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'b');
  EXPECT_EQ(Take(), '-');
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'c');
  EXPECT_EQ(Take(), '-');
  EXPECT_FALSE(queue_.TakePlace());
  EXPECT_EQ(queue_.size(), 1U);
}

TEST_F(CallQueueTest, UrgentOnesGoAheadWhenOthersWait) {
  EXPECT_TRUE(Push("abcXdY"));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'b');
  EXPECT_EQ(Take(), 'X');
  EXPECT_EQ(Take(), '-') << "the last thread reads";
  EXPECT_TRUE(Push("eZ"));
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'Y');
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'Z');
  queue_.GivePlace();
  EXPECT_EQ(Take(), '-') << "two run";
  queue_.GivePlace();
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'c');
  EXPECT_EQ(Take(), 'd');
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'e');
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(CallQueueTest, WhoSendsTooMuchIsReadOnWhenHalfIsDone) {
  constexpr size_t kQuarter = 64 << 20;
  EXPECT_TRUE(Push("abcd", kQuarter));
  EXPECT_FALSE(Push("e", 1));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'b');
  EXPECT_TRUE(to_read_.empty());
  queue_.GivePlace();
  EXPECT_EQ(Take(), 'c');
  ASSERT_EQ(to_read_.size(), 1U);
  EXPECT_EQ(to_read_[0], channel_);
  EXPECT_TRUE(Push(std::string(998, 'n'), 0));
  EXPECT_FALSE(Push("o", 0));
}

// Two threads for all calls, one for urgent ones, and one that reads.
class BusyReactorTest : public EchoTest {
 protected:
  BusyReactorTest() : EchoTest(/*threads=*/2, /*kept=*/2, /*send_bytes=*/0, [this](char byte) { OnCall(byte); }) {}
  ~BusyReactorTest() override {
    LetEnd();
    reactor_.Stop(0);  // its calls are of this object
  }

  // '0' is sent again by its client before it is answered. Meanwhile another sends 'a' when it is to, and it is seen to be queued.
  void OnCall(char byte) {
    if (byte == '0' && pipeline_ >= 0) {
      ::send(pipeline_, &byte, 1, MSG_NOSIGNAL);
      calls_before_queued_one_ += queued_ ? 1 : 0;
      if (const int other = to_ask_.exchange(-1); other >= 0) {
        ::send(other, "a", 1, MSG_NOSIGNAL);
        queued_ = Comes([this] { return reactor_.queued() > 0; });
      }
    } else if (byte == 'a') {
      queued_ = false;
    }
  }
  std::atomic<int> pipeline_ = -1;
  std::atomic<int> to_ask_ = -1;
  std::atomic<bool> queued_ = false;
  std::atomic<int> calls_before_queued_one_ = 0;

  // Within a time that nothing healthy takes.
  template <typename Condition>
  static bool Comes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return condition();
  }
};

TEST_F(BusyReactorTest, UrgentCallsAreAnsweredAndClientsThatLeaveAreNoticed) {
  RawSocket first(port_);
  RawSocket second(port_);
  first.Send("w");
  second.Send("w");
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 2; }));
  RawSocket third(port_);
  third.Send("aub");
  EXPECT_EQ(third.Receive(1), "u");
  third.Send("u");
  EXPECT_EQ(third.Receive(1), "u");
  EXPECT_EQ(reactor_.queued(), 2U);
  {
    const RawSocket leaves(port_);
  }
  EXPECT_TRUE(Comes([this] { return reactor_.connections() == 3; }));
  LetEnd();
  EXPECT_EQ(third.Receive(2).size(), 2U);
  EXPECT_EQ(first.Receive(1) + second.Receive(1), "ww");
  EXPECT_TRUE(Comes([this] { return reactor_.running() == 0; }));
}

TEST_F(BusyReactorTest, AClientWhoseNextCallIsAlwaysThereGivesItsPlaceToWhoWaits) {
  RawSocket first(port_);
  first.Send("w");
  RawSocket second(port_);
  pipeline_ = second.descriptor();
  second.Send("0");
  RawSocket third(port_);
  constexpr int kRounds = 50;
  for (int i = 0; i < kRounds; ++i) {
    to_ask_ = third.descriptor();
    ASSERT_EQ(third.Receive(1), "a");
  }
  EXPECT_LT(calls_before_queued_one_, 2 * kRounds);
  pipeline_ = -1;
  LetEnd();
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 0; }));
}

// Many clients, so that threads find no place while others give theirs back: no call may be left lying.
TEST_F(BusyReactorTest, NoCallIsForgotten) {
  LetEnd();
  constexpr int kClients = 8;
  constexpr int kRounds = 2000;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([this, i] {
      RawSocket client(port_);
      for (int round = 0; round < kRounds; ++round) {
        const std::string calls = round % 3 == 0 ? "wau" : "a";
        client.Send(calls);
        ASSERT_EQ(client.Receive(calls.size()).size(), calls.size()) << i << " " << round;
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(reactor_.queued(), 0U);
}

}  // namespace
}  // namespace klip::server
