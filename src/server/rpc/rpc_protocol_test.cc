// Requests that arrive slowly, stay incomplete, or are refused.
#include "server/rpc/rpc_protocol.h"

#include <future>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "net/reactor.h"
#include "proto/Master.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

constexpr size_t kBudgetBytes = 4 << 20;
constexpr size_t kTooManyBytes = 300 << 20;
constexpr int64_t kNeverUs = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinuteUs = 60 * 1000 * 1000;

class RpcProtocolTest : public testing::Test {
 protected:
  void Start(int threads = 4) {
    memory_.Limit(kBudgetBytes, 12 * kBudgetBytes);
    using Request = hbase::pb::IsMasterRunningRequest;
    using Response = hbase::pb::IsMasterRunningResponse;
    services_["ClientService"].Add<Request, Response>(
        "Wait", [end = end_.get_future().share()](const Request&, Response* response, Call*) {
          end.wait();
          response->set_is_master_running(true);
          return rpc::Error();
        });
    Expected<net::Descriptor> listener = net::Listen("127.0.0.1", 0);
    ASSERT_TRUE(listener.ok());
    port_ = net::PortOf(*listener);
    reactor_.Serve(*std::move(listener), nullptr, [this] { return NewRpcProtocol(&setup_); });
    ASSERT_TRUE(reactor_.Start(threads).ok());
  }

  static std::string CallOf(uint32_t id, size_t bytes) {
    return RawClient::Request(id, "NoSuchMethod", std::string(bytes, 'x'));
  }
  // With a header of about so many bytes.
  static std::string CallWithHeader(uint32_t id, size_t header_bytes) {
    hbase::pb::RequestHeader header;
    header.set_call_id(id);
    header.set_method_name("NoSuchMethod");
    header.set_request_param(true);
    auto* attribute = header.add_attribute();
    attribute->set_name("trace");
    attribute->set_value(std::string(header_bytes, 't'));
    return Delimited(header.SerializeAsString()) + Delimited(std::string(header_bytes, 'x'));
  }
  // Sends a call and a part of the next one. When the first is answered, the part has been read.
  static void Begin(RawClient* client, std::string_view part) {
    client->socket().Send(CallOf(99, 1) + std::string(part));
    EXPECT_EQ(client->ReceiveAnswer().header.call_id(), 99U);
  }
  // Whether the next answer, to call `id`, shows that it was accepted.
  static bool IsLetIn(RawClient* client, uint32_t id) {
    const Answer answer = client->ReceiveAnswer();
    EXPECT_EQ(answer.header.call_id(), id);
    const bool refused = answer.exception() == "org.apache.hadoop.hbase.CallQueueTooBigException";
    EXPECT_TRUE(refused || answer.exception() == "org.apache.hadoop.hbase.DoNotRetryIOException") << answer.exception();
    return !refused;
  }
  static bool Takes(RawClient* client, size_t bytes) {
    client->socket().Send(CallOf(1, bytes));
    return IsLetIn(client, 1);
  }
  // The same, after waiting until answers are counted as sent, and closed connections are noticed.
  static bool TakesSoon(RawClient* client, size_t bytes) {
    bool taken = false;
    for (int tries = 0; tries < 100 && !taken; ++tries) {
      taken = Takes(client, bytes);
    }
    return taken;
  }
  // The same for calls that find no memory beside others.
  static bool IsRefusedSoon(RawClient* client, size_t bytes) {
    bool taken = true;
    for (int tries = 0; tries < 100 && taken; ++tries) {
      taken = Takes(client, bytes);
    }
    return !taken;
  }
  // "event event"
  std::string CutSlowClients(int64_t now_us) {
    std::string events;
    for (const net::Reactor::SlowClient& cut : reactor_.CutSlowClients(now_us, kNeverUs)) {
      events += (events.empty() ? "" : " ") + std::string(cut.event);
    }
    return events;
  }

  std::promise<void> end_;
  Services services_;
  const std::string cluster_id_ = "cluster";
  const std::atomic<bool> stopping_ = false;
  Metrics metrics_;
  const Log log_;
  net::MemoryBudget memory_;
  SlowCalls slow_calls_{[] { return 0; }};
  const RpcSetup setup_ = {.services = &services_,
                           .cluster_id = &cluster_id_,
                           .stopping = &stopping_,
                           .metrics = &metrics_,
                           .log = &log_,
                           .memory = &memory_,
                           .slow_calls = &slow_calls_,
                           .slow_call_us = kNeverUs,
                           .large_response_bytes = std::numeric_limits<size_t>::max()};
  uint16_t port_ = 0;
  net::Reactor reactor_;
};

TEST_F(RpcProtocolTest, ALengthTakesNoMemoryFromOthers) {
  Start();
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 4; ++i) {
    silent.push_back(std::make_unique<RawClient>(port_, "ClientService"));
    Begin(silent.back().get(), BigEndian(static_cast<uint32_t>(rpc::kMaxRequestBytes)));
  }
  RawClient client(port_, "ClientService");
  EXPECT_TRUE(Takes(&client, kBudgetBytes / 5));
}

TEST_F(RpcProtocolTest, OneLargeCallRunsAtATime) {
  Start();
  RawClient client(port_, "ClientService");
  EXPECT_TRUE(TakesSoon(&client, 3 * kBudgetBytes));
  RawClient begun(port_, "ClientService");
  const std::string call = CallOf(7, 3 * kBudgetBytes);
  Begin(&begun, std::string_view(call).substr(0, kBudgetBytes));
  EXPECT_TRUE(IsRefusedSoon(&client, 3 * kBudgetBytes)) << "the other one counts";
  EXPECT_TRUE(Takes(&client, 1)) << "the refused one was passed over";
  begun.socket().Send(std::string_view(call).substr(kBudgetBytes));
  EXPECT_TRUE(IsLetIn(&begun, 7));
  EXPECT_TRUE(TakesSoon(&client, 3 * kBudgetBytes)) << "nothing is held any more";
}

TEST_F(RpcProtocolTest, ACallThatStandsStillIsCutAndGivesItsMemoryBack) {
  Start();
  RawClient silent(port_, "ClientService");
  RawClient idle(port_, "ClientService");
  Begin(&silent, CallOf(7, 3 * kBudgetBytes).substr(0, kBudgetBytes));
  Begin(&idle, "");
  EXPECT_TRUE(IsRefusedSoon(&idle, 3 * kBudgetBytes));
  EXPECT_EQ(CutSlowClients(MonotonicUs() + kMinuteUs / 2), "");
  EXPECT_EQ(CutSlowClients(MonotonicUs() + kMinuteUs), "request_timeout");
  EXPECT_EQ(CutSlowClients(MonotonicUs() + kMinuteUs), "") << "it is reported once";
  EXPECT_TRUE(silent.socket().AtEnd());
  EXPECT_TRUE(TakesSoon(&idle, 3 * kBudgetBytes));
}

TEST_F(RpcProtocolTest, ACallGoesOnWithSomeBytesAMinute) {
  Start();
  const std::string call = CallOf(7, 1 << 20);
  constexpr size_t kBegun = 50;
  for (const size_t more : {100U << 10, 100U}) {
    RawClient slow(port_, "ClientService");
    Begin(&slow, std::string_view(call).substr(0, kBegun));
    const int64_t begun_us = MonotonicUs();
    const int64_t expected = reactor_.received_bytes() + static_cast<int64_t>(more);
    slow.socket().Send(std::string_view(call).substr(kBegun, more));
    while (reactor_.received_bytes() < expected) {
      std::this_thread::yield();
    }
    if (more > 1000) {
      EXPECT_EQ(CutSlowClients(begun_us + kMinuteUs), "");
      slow.socket().Send(std::string_view(call).substr(kBegun + more));
      EXPECT_TRUE(IsLetIn(&slow, 7));
    } else {
      std::string events;
      for (int tries = 0; events.empty() && tries < 1000 * 1000; ++tries) {  // until no thread is reading it any more
        events = CutSlowClients(begun_us + kMinuteUs);
      }
      EXPECT_EQ(events, "request_timeout");
      EXPECT_TRUE(slow.socket().AtEnd());
    }
  }
}

TEST_F(RpcProtocolTest, CallsBehindOneAnotherAreNoCallThatStandsStill) {
  Start();
  RawClient client(port_, "ClientService");
  const std::string call = CallOf(7, 100);
  Begin(&client, std::string_view(call).substr(0, 10));
  const int64_t begun_us = MonotonicUs();
  // The next request is as far.
  client.socket().Send(call.substr(10) + call.substr(0, 10));
  EXPECT_TRUE(IsLetIn(&client, 7));
  EXPECT_EQ(CutSlowClients(begun_us + kMinuteUs), "");
  EXPECT_EQ(CutSlowClients(MonotonicUs() + kMinuteUs), "request_timeout");
}

TEST_F(RpcProtocolTest, NobodyIsCutForWhatABusyServerHasNotRead) {
  Start(/*threads=*/1);
  RawClient waits(port_, "ClientService");
  RawClient client(port_, "ClientService");
  const std::string call = CallOf(7, 100);
  Begin(&client, std::string_view(call).substr(0, 50));
  waits.socket().Send(RawClient::Request(8, "Wait", ""));
  client.socket().Send(std::string_view(call).substr(50));
  // Waits until it has arrived.
  for (int on_the_way = 1; on_the_way > 0;) {
    ASSERT_EQ(::ioctl(client.socket().descriptor(), SIOCOUTQ, &on_the_way), 0);
  }
  EXPECT_EQ(CutSlowClients(MonotonicUs() + kMinuteUs), "");
  end_.set_value();
  EXPECT_TRUE(IsLetIn(&client, 7));
  EXPECT_EQ(waits.ReceiveAnswer().exception(), "");
}

TEST_F(RpcProtocolTest, RefusalsNameTheCallHoweverLongItsHeader) {
  Start();
  net::MemoryLease held(&memory_, nullptr);
  held.HoldAnyway(2 * kBudgetBytes);
  net::MemoryLease large(&memory_, nullptr);
  EXPECT_TRUE(large.Hold(kBudgetBytes));
  RawClient client(port_, "ClientService");
  uint32_t id = 300;
  for (const size_t header_bytes : {1000, 16000, 100000}) {
    client.socket().Send(Framed(CallWithHeader(++id, header_bytes)));
    EXPECT_FALSE(IsLetIn(&client, id)) << header_bytes;
  }
}

TEST_F(RpcProtocolTest, CallsThatAreTooLongAreNamedOnceTheirHeaderIsThere) {
  Start();
  for (const size_t header_bytes : {10, 110, 200, 400, 20000}) {
    const std::string length = BigEndian(static_cast<uint32_t>(kTooManyBytes));
    const std::string call = CallWithHeader(1000, header_bytes);
    // Within the header's length, after it, and within the call's number.
    for (const size_t first : {0, 1, 2, 3, 4, 5}) {
      RawClient client(port_, "ClientService");
      Begin(&client, length + call.substr(0, first));
      client.socket().Send(std::string_view(call).substr(first, header_bytes + 40));
      const Answer refused = client.ReceiveAnswer();
      EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.exceptions.RequestTooBigException");
      EXPECT_EQ(refused.header.call_id(), 1000U) << header_bytes << ", " << first;
      EXPECT_TRUE(client.socket().AtEnd());
    }
  }
}

TEST_F(RpcProtocolTest, AConnectionHeaderIsNoCall) {
  Start();
  net::RawSocket socket(port_);
  socket.Send(std::string("HBas\0\x50", 6) + BigEndian(uint32_t{2 << 20}) + "\x02\x08\x2a");
  const std::string frame = socket.ReceiveFrame();
  EXPECT_NE(frame.find("\x08\xff\xff\xff\xff\x0f"), std::string::npos);
  EXPECT_TRUE(socket.AtEnd());
}

}  // namespace
}  // namespace klip::server
