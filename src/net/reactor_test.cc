// Connections: accepting them, also after descriptors ran out.
#include "net/reactor.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include <poll.h>

#include "net/echo_protocol_test.h"
#include "net/raw_socket_test.h"

namespace klip::net {
namespace {

// Sends back what it receives.
class MirrorProtocol final : public Protocol {
 public:
  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* /*tasks*/) override {
    channel->Send(input->Take(input->view().size()));
    return 1;
  }
};

TEST(ReactorTest, APortAcceptsAgainThoughAnotherDidSoBefore) {
  Reactor reactor;
  std::vector<uint16_t> ports;
  for (int i = 0; i < 2; ++i) {
    Expected<Descriptor> listener = Listen("127.0.0.1", 0);
    ASSERT_TRUE(listener.ok());
    ports.push_back(PortOf(*listener));
    reactor.Serve(*std::move(listener), nullptr, [] { return std::make_unique<MirrorProtocol>(); });
  }
  ASSERT_TRUE(reactor.Start(1).ok());
  LateClient open;
  LateClient refused;
  LateClient other;
  open.Connect(ports[0]);
  EXPECT_EQ(open.Ask("a"), "a");
  {
    const NoDescriptors none;
    refused.Connect(ports[0]);
    EXPECT_EQ(open.Ask("b"), "b") << "one thread: it has tried to accept before";
  }
  other.Connect(ports[1]);
  EXPECT_EQ(other.Ask("c"), "c");
  EXPECT_EQ(open.Ask("d"), "d");
  reactor.ResumeAccepting();
  EXPECT_EQ(refused.Ask("e"), "e");
}

class FastClientTest : public EchoTest {
 protected:
  FastClientTest()
      : EchoTest(/*threads=*/1, /*kept=*/0, /*send_bytes=*/0,
                 [this](char /*byte*/) { most_ = std::max<int64_t>(most_, reactor_.running()); }) {}

  std::atomic<int64_t> most_ = 0;
};

TEST_F(FastClientTest, IsReadNoFasterThanItsCallsAreMade) {
  constexpr size_t kPart = 64 << 10;
  constexpr size_t kParts = 8;
  RawSocket waits(port_);
  waits.Send({&kWaits, 1});
  RawSocket client(port_);
  std::atomic<size_t> sent = 0;
  std::thread sends([&] {
    while (sent < kParts) {
      client.Send(std::string(kPart, 'a'));
      ++sent;
    }
  });
  while (sent < 4) {
    std::this_thread::yield();
  }
  LetEnd();
  EXPECT_EQ(client.Receive(kParts * kPart), std::string(kParts * kPart, 'a'));
  sends.join();
  EXPECT_LE(most_, static_cast<int64_t>(3 * kPart)) << "of " << kParts * kPart;
}

TEST(SocketTest, ClientsWhoseMachinesAreGoneAreNoticed) {
  const Expected<Descriptor> listener = Listen("127.0.0.1", 0);
  ASSERT_TRUE(listener.ok());
  const RawSocket client(PortOf(*listener));
  pollfd waiting = {.fd = listener->get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&waiting, 1, -1), 1);
  const Descriptor accepted = Accept(*listener);
  int on = 0;
  socklen_t bytes = sizeof(on);
  ASSERT_EQ(::getsockopt(accepted.get(), SOL_SOCKET, SO_KEEPALIVE, &on, &bytes), 0);
  EXPECT_EQ(on, 1);
}

}  // namespace
}  // namespace klip::net
