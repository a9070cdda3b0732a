// Which calls run and which clients are read when there are more calls than places.
#include "net/call_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/clock.h"
#include "net/echo_protocol_test.h"
#include "net/raw_socket_test.h"

namespace klip::net {
namespace {

class NamedTask final : public Task {
 public:
  NamedTask(std::string* ran, char name, size_t bytes) : ran_(ran), name_(name), bytes_(bytes) {}
  void Run() override { *ran_ += name_; }
  bool urgent() const override { return name_ >= 'A' && name_ <= 'Z'; }
  bool of_master() const override { return name_ >= '0' && name_ <= '9'; }
  size_t bytes() const override { return bytes_; }

 private:
  std::string* const ran_;
  const char name_;
  const size_t bytes_;
};

class CallQueueTest : public testing::Test {
 protected:
  CallQueueTest() { queue_.SetPlaces(2, 3, 1); }

  static std::shared_ptr<Channel> NewChannel() {
    return std::make_shared<Channel>(nullptr, 0, Descriptor(), nullptr,
                                     std::make_unique<EchoProtocol>(std::shared_future<void>()));
  }

  // Upper case is urgent, numbers are the master's. Returns whether the channel continues to read.
  bool Push(std::string_view names, size_t bytes = 1) { return PushFrom(channel_.get(), names, bytes); }
  bool PushFrom(Channel* channel, std::string_view names, size_t bytes = 1) {
    std::vector<TaskPtr> tasks;
    for (const char name : names) {
      tasks.push_back(std::make_unique<NamedTask>(&ran_, name, bytes));
    }
    queue_.Push(&tasks, channel);
    const bool reads = channel->StopReading();
    if (reads) {
      channel->ResumeReading();
    }
    return reads;
  }

  // Runs the next call that may run, and keeps its place.
  char Take() {
    const CallQueue::Taken call = queue_.Take(&to_read_);
    if (call.task == nullptr) {
      return '-';
    }
    call.task->Run();
    return ran_.back();
  }

  CallQueue queue_;
  std::string ran_;
  std::vector<std::shared_ptr<Channel>> to_read_;
  const std::shared_ptr<Channel> channel_ = NewChannel();
};

TEST_F(CallQueueTest, RunsAsManyAsMayInOrder) {
  EXPECT_TRUE(Push("abcd"));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'b');
  EXPECT_EQ(Take(), '-');
  queue_.GivePlace(CallQueue::kOrdinary);
  EXPECT_EQ(Take(), 'c');
  EXPECT_EQ(Take(), '-');
  EXPECT_FALSE(queue_.TakePlace(CallQueue::kOrdinary));
  EXPECT_EQ(queue_.size(), 1U);
}

TEST_F(CallQueueTest, UrgentOnesGoAheadWhenOthersWait) {
  EXPECT_TRUE(Push("abcXdY"));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'b');
  EXPECT_EQ(Take(), 'X');
  EXPECT_EQ(Take(), '-') << "the last thread reads";
  EXPECT_TRUE(Push("eZ"));
  queue_.GivePlace(CallQueue::kUrgent);
  EXPECT_EQ(Take(), 'Y');
  queue_.GivePlace(CallQueue::kUrgent);
  EXPECT_EQ(Take(), 'Z');
  queue_.GivePlace(CallQueue::kUrgent);
  EXPECT_EQ(Take(), '-') << "two run";
  queue_.GivePlace(CallQueue::kOrdinary);
  queue_.GivePlace(CallQueue::kOrdinary);
  EXPECT_EQ(Take(), 'c');
  EXPECT_EQ(Take(), 'd');
  queue_.GivePlace(CallQueue::kOrdinary);
  EXPECT_EQ(Take(), 'e');
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(CallQueueTest, WhoSendsTooMuchIsReadOnWhenHalfIsDone) {
  constexpr size_t kQuarter = 64 << 20;
  EXPECT_TRUE(Push("ab", kQuarter));
  EXPECT_FALSE(Push("c", kQuarter)) << "it would leave less to others than it has";
  EXPECT_EQ(Take(), 'a');
  EXPECT_TRUE(to_read_.empty());
  EXPECT_EQ(Take(), 'b');
  ASSERT_EQ(to_read_.size(), 1U);
  EXPECT_EQ(to_read_[0], channel_);
  EXPECT_TRUE(Push(std::string(499, 'n'), 0));
  EXPECT_FALSE(Push("o", 0));
}

TEST_F(CallQueueTest, UrgentOnesAreReadThoughTooManyOthersWait) {
  const std::shared_ptr<Channel> other = NewChannel();
  EXPECT_FALSE(Push(std::string(1001, 'n')));
  EXPECT_TRUE(PushFrom(other.get(), std::string(500, 'U')));
  EXPECT_FALSE(PushFrom(other.get(), "U"));
  EXPECT_FALSE(Push("no"));
  EXPECT_EQ(Take(), 'n');
  EXPECT_EQ(Take(), 'n');
  for (int i = 0; i < 167; ++i) {
    EXPECT_EQ(Take(), 'U');
    queue_.GivePlace(CallQueue::kUrgent);
  }
  EXPECT_TRUE(to_read_.empty());
  EXPECT_EQ(Take(), 'U');
  EXPECT_EQ(to_read_, std::vector<std::shared_ptr<Channel>>{other});
  queue_.GivePlace(CallQueue::kUrgent);
  while (Take() == 'U') {
    queue_.GivePlace(CallQueue::kUrgent);
  }
  queue_.GivePlace(CallQueue::kOrdinary);
  queue_.GivePlace(CallQueue::kOrdinary);
  to_read_.clear();
  while (Take() == 'n' && to_read_.empty()) {
    queue_.GivePlace(CallQueue::kOrdinary);
  }
  EXPECT_EQ(to_read_, std::vector<std::shared_ptr<Channel>>{channel_}) << "held up twice, given back once";
  EXPECT_FALSE(Push(std::string(1000, 'n')));
  const std::shared_ptr<Channel> quiet = NewChannel();
  EXPECT_TRUE(PushFrom(quiet.get(), "nnnn")) << "few are fine, however many others have";
  EXPECT_FALSE(PushFrom(quiet.get(), "n"));
}

TEST_F(CallQueueTest, TheNextCallIsOfTheClientThatHadLeast) {
  const std::shared_ptr<Channel> dear = NewChannel();
  const auto take = [this](int64_t took_us) {
    const CallQueue::Taken call = queue_.Take(&to_read_);
    EXPECT_NE(call.task, nullptr);
    call.task->Run();
    queue_.Charge(call, took_us);
    queue_.GivePlace(call.kind);
    return ran_.back();
  };
  EXPECT_TRUE(PushFrom(dear.get(), "dddddddd"));
  EXPECT_EQ(take(1000), 'd');
  EXPECT_TRUE(Push("aaaaaa"));
  std::string order;
  for (int i = 0; i < 6; ++i) {
    order += take(order.ends_with('a') ? 1000 : 250);
  }
  EXPECT_EQ(take(1000), 'a') << "it came later and waits no longer";
  EXPECT_EQ(std::count(order.begin(), order.end(), 'a'), 4) << order;
  const std::shared_ptr<Channel> late = NewChannel();
  EXPECT_TRUE(PushFrom(late.get(), "l"));
  EXPECT_EQ(take(1), 'l') << "a new client does not wait for those that had much";
}

TEST_F(CallQueueTest, LongReadsLeaveProcessorsToOthers) {
  const std::shared_ptr<Channel> dear = NewChannel();
  for (int i = 0; i < 10; ++i) {
    dear->AddRead(10'000);
  }
  EXPECT_TRUE(PushFrom(dear.get(), "dd"));
  EXPECT_TRUE(Push("a"));
  EXPECT_EQ(Take(), 'd');
  EXPECT_EQ(Take(), 'a') << "one of two places is theirs";
  EXPECT_EQ(Take(), '-');
  queue_.GivePlace(CallQueue::kOrdinary);
  EXPECT_EQ(Take(), '-');
  queue_.GivePlace(CallQueue::kLongReads);
  EXPECT_EQ(Take(), 'd');
  for (int i = 0; i < 20; ++i) {
    dear->AddRead(0);
  }
  EXPECT_FALSE(dear->has_long_reads());
}

TEST_F(CallQueueTest, TheMastersTakeNoMorePlacesThanAreKept) {
  ASSERT_TRUE(queue_.TakePlace(CallQueue::kMasters));
  EXPECT_FALSE(queue_.TakePlace(CallQueue::kMasters)) << "one is kept";
  EXPECT_TRUE(Push("12abX3"));
  EXPECT_EQ(Take(), 'a');
  EXPECT_EQ(Take(), 'X') << "the third place";
  EXPECT_EQ(Take(), '-');
  queue_.GivePlace(CallQueue::kMasters);
  EXPECT_EQ(Take(), '1') << "urgent as well";
  queue_.GivePlace(CallQueue::kOrdinary);
  queue_.GivePlace(CallQueue::kOrdinary);
  EXPECT_EQ(Take(), 'b');
  EXPECT_EQ(Take(), '-') << "one of the master runs";
  queue_.GivePlace(CallQueue::kMasters);
  EXPECT_EQ(Take(), '2');
}

// Two threads for all calls, one for urgent ones, and one that reads.
class BusyReactorTest : public EchoTest {
 protected:
  BusyReactorTest() : EchoTest(/*threads=*/2, /*kept=*/2, /*send_bytes=*/0, [this](char byte) { OnCall(byte); }) {}
  ~BusyReactorTest() override {
    LetEnd();
    reactor_.Stop(0);  // its calls belong to this object
  }

  // The client of '0' sends another '0' before it gets the answer. Before that, another client may send 'a', which is
  // then queued.
  void OnCall(char byte) {
    if (byte == '0' && pipeline_ >= 0) {
      calls_before_queued_one_ += queued_ ? 1 : 0;
      if (const int other = to_ask_.exchange(-1); other >= 0) {
        queued_ = true;
        ::send(other, "a", 1, MSG_NOSIGNAL);
        Comes([this] { return reactor_.queued() > 0; });
      }
      ::send(pipeline_, &byte, 1, MSG_NOSIGNAL);
    } else if (byte == 'a') {
      queued_ = false;
    }
  }
  std::atomic<int> pipeline_ = -1;
  std::atomic<int> to_ask_ = -1;
  std::atomic<bool> queued_ = false;
  std::atomic<int> calls_before_queued_one_ = 0;

  // Fails after a time that nothing healthy takes.
  template <typename Condition>
  static bool Comes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return condition();
  }
};

// Reads that use a processor, or wait for a disk, for 2 ms.
class ReadingReactorTest : public EchoTest {
 protected:
  static int MostLongReads() { return std::max(2, static_cast<int>(std::thread::hardware_concurrency())); }

  ReadingReactorTest()
      : EchoTest(/*threads=*/MostLongReads() + 2, /*kept=*/1, /*send_bytes=*/0, [this](char) { OnCall(); }) {}
  ~ReadingReactorTest() override { reactor_.Stop(0); }

  void OnCall() {
    if (wanted_ > 0) {
      const int now = ++together_;
      for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
      }
      const auto end = std::chrono::steady_clock::now() + patience_;
      while (most_ < wanted_ && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      --together_;
    } else if (uses_processor_) {
      for (const int64_t begin_us = ProcessorUs(); ProcessorUs() < begin_us + 2000;) {
      }
    } else {
      std::promise<void>().get_future().wait_for(std::chrono::milliseconds(2));
    }
  }

  // Of one read of each of so many clients, those that ran at once.
  int MostAtOnce(int clients) {
    std::vector<std::unique_ptr<RawSocket>> sockets;
    for (int i = 0; i < clients; ++i) {
      RawSocket& one = *sockets.emplace_back(std::make_unique<RawSocket>(port_));
      for (int read = 0; read < 10; ++read) {
        one.Send("r");
        EXPECT_EQ(one.Receive(1), "r");
      }
    }
    wanted_ = clients;
    for (const auto& one : sockets) {
      one->Send("r");
    }
    for (const auto& one : sockets) {
      EXPECT_EQ(one->Receive(1), "r");
    }
    return most_;
  }

  std::atomic<bool> uses_processor_ = false;
  std::chrono::milliseconds patience_{20'000};
  std::atomic<int> wanted_ = 0;
  std::atomic<int> together_ = 0;
  std::atomic<int> most_ = 0;
};

TEST_F(ReadingReactorTest, ThoseThatWaitForTheDiskLeaveProcessorsToOthers) {
  EXPECT_EQ(MostAtOnce(MostLongReads() + 1), MostLongReads() + 1);
}

TEST_F(ReadingReactorTest, ThoseThatUseProcessorsRunOnePerProcessor) {
  uses_processor_ = true;
  patience_ = std::chrono::milliseconds(100);
  EXPECT_EQ(MostAtOnce(MostLongReads() + 1), MostLongReads());
}

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
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 1; }));
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

TEST_F(BusyReactorTest, WhoSendsTooMuchIsNotReadOnThoughItsAnswersWaitForIt) {
  constexpr size_t kOrdinary = 1100;
  constexpr size_t kLarge = 100;
  RawSocket first(port_);
  RawSocket second(port_);
  first.Send("w");
  second.Send("w");
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 2; }));
  RawSocket third(port_, /*receive_bytes=*/4 << 10);
  third.Send(std::string(kOrdinary, 'a') + std::string(kLarge, kUrgentAndLarge));
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 2 + kOrdinary; })) << "the large ones were answered";
  ASSERT_GT(reactor_.unsent_bytes(), 0);
  const int64_t received = reactor_.received_bytes();
  third.Send("b");
  RawSocket fourth(port_);
  constexpr int kRounds = 100;
  for (int i = 0; i < kRounds; ++i) {
    fourth.Send("u");
    ASSERT_EQ(fourth.Receive(1), "u");
  }
  EXPECT_EQ(reactor_.received_bytes(), received + kRounds) << "nothing of the third";
  LetEnd();
  EXPECT_EQ(third.Receive(kOrdinary + kLarge * kLargeAnswerBytes + 1).size(),
            kOrdinary + kLarge * kLargeAnswerBytes + 1);
}

TEST_F(BusyReactorTest, WhoIsHeldUpMayLeaveAndTheServerMayStop) {
  constexpr size_t kCalls = 1100;
  RawSocket first(port_);
  RawSocket second(port_);
  first.Send("w");
  second.Send("w");
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 2; }));
  RawSocket stays(port_);
  {
    RawSocket leaves(port_);
    leaves.Send(std::string(kCalls, 'a'));
    ASSERT_TRUE(Comes([this] { return reactor_.running() == 2 + kCalls; }));
  }
  stays.Send(std::string(kCalls, 'a'));
  ASSERT_TRUE(Comes([this] { return reactor_.running() == 2 + 2 * kCalls; }));
  std::thread stops([this] { reactor_.Stop(/*drain_ms=*/20000); });
  LetEnd();
  stops.join();
  EXPECT_EQ(reactor_.running(), 0);
  EXPECT_EQ(stays.Receive(kCalls + 1).size(), kCalls);
}

// Many clients, so that threads find no place while others release theirs: no call may be left waiting.
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
}  // namespace klip::net
