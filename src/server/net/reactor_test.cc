// Connections: how they are taken, also after descriptors ran out.
#include "server/net/reactor.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include "server/net/echo_protocol_test.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

// Sends back what it gets.
class MirrorProtocol final : public Protocol {
 public:
  std::optional<size_t> OnInput(Input* input, const std::shared_ptr<Channel>& channel,
                                std::vector<TaskPtr>* /*tasks*/) override {
    channel->Send(input->Take(input->view().size()));
    return 1;
  }
};

// A client that has its descriptor before it connects.
class LateClient {
 public:
  void Connect(uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  // What comes for `bytes`; "" when nothing does.
  std::string Ask(std::string_view bytes) {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    const timeval patience = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, 0) == 1 ? std::string(1, byte) : std::string();
  }

 private:
  const Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

// While it lives this process gets no descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(Descriptor(::fcntl(0, F_DUPFD_CLOEXEC, 0)).get());
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_ = {};
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

TEST_F(ServerTest, TheStatusPortAcceptsAgain) {
  ServerOptions options;
  options.http_port = 0;
  Start(options);
  constexpr std::string_view kPage = "GET /none HTTP/1.1\r\n\r\n";
  LateClient open;
  LateClient behind;
  LateClient refused;
  open.Connect(server_->http_port());
  behind.Connect(server_->http_port());
  EXPECT_EQ(behind.Ask(kPage), "H") << "and the other has been accepted before";
  {
    const NoDescriptors none;
    refused.Connect(server_->http_port());
    EXPECT_EQ(open.Ask(kPage), "H");
  }
  EXPECT_EQ(refused.Ask(kPage), "H");
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
}  // namespace klip::server
