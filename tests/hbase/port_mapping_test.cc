// `klip serve` behind mapped ports, as in a container whose ports are published as others.
#include <atomic>
#include <list>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "server/raw_client_test.h"
#include "table/embedded_connection.h"

namespace klip::client {
namespace {

// Forwards bytes from its own port to another one, and the answers back.
class Forwarder {
 public:
  Forwarder() {
    Expected<net::Descriptor> listener = net::Listen("127.0.0.1", 0);
    EXPECT_TRUE(listener.ok());
    listener_ = *std::move(listener);
  }
  ~Forwarder() {
    stopping_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  uint16_t port() const { return net::PortOf(listener_); }
  int connections() const { return connections_; }

  void ForwardTo(uint16_t port) {
    thread_ = std::thread([this, port] { Run(port); });
  }

 private:
  struct Pair {
    net::Descriptor client;
    net::RawSocket server;
  };

  void Run(uint16_t port) {
    while (!stopping_) {
      std::vector<pollfd> polled = {{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
      for (const Pair& pair : pairs_) {
        polled.push_back({.fd = pair.client.get(), .events = POLLIN, .revents = 0});
        polled.push_back({.fd = pair.server.descriptor(), .events = POLLIN, .revents = 0});
      }
      ::poll(polled.data(), polled.size(), /*ms=*/20);
      size_t at = 1;
      for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
        const bool open = (polled[at].revents == 0 || HandOn(polled[at].fd, polled[at + 1].fd)) &&
                          (polled[at + 1].revents == 0 || HandOn(polled[at + 1].fd, polled[at].fd));
        pair = open ? std::next(pair) : pairs_.erase(pair);
      }
      if (polled[0].revents != 0) {
        pairs_.push_back({.client = net::Accept(listener_), .server = net::RawSocket(port)});
        ++connections_;
      }
    }
  }

  static bool HandOn(int from, int to) {
    std::string bytes(1 << 16, '\0');
    const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
    for (ssize_t have = 0; have < got;) {
      pollfd ready = {.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
      const ssize_t sent = ::send(to, bytes.data() + have, static_cast<size_t>(got - have), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      have += sent;
    }
    return got > 0;
  }

  net::Descriptor listener_;
  std::list<Pair> pairs_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

class PortMappingTest : public server::ServerTest {
 protected:
  static void WriteAndRead(const std::string& uri, uint16_t rpc_port) {
    Expected<std::unique_ptr<Connection>> connection = Connection::Open(uri);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    const Status created = (*connection)->admin().CreateTable({.name = "t", .families = {{.name = "f"}}});
    ASSERT_TRUE(created.ok()) << created.ToString();
    Expected<std::unique_ptr<Table>> table = (*connection)->GetTable("t");
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    const Status put = (*table)->Put(Put{.row = "r"}.Add("f", "q", "v"));
    ASSERT_TRUE(put.ok()) << put.ToString();
    const Expected<Result> got = (*table)->Get({.row = "r"});
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(got->Value("f", "q"), "v");
    const auto region = (*connection)->admin().LocateRegion("t", "r");
    ASSERT_TRUE(region.ok()) << region.status().ToString();
    EXPECT_EQ(region->server.port, rpc_port);
    ASSERT_TRUE((*connection)->admin().DisableTable("t").ok());
    ASSERT_TRUE((*connection)->admin().DeleteTable("t").ok());
  }
};

TEST_F(PortMappingTest, ClientsAreToldThePortTheyMayUse) {
  Forwarder rpc;
  Forwarder zookeeper;
  Start({.advertise = "127.0.0.1:" + std::to_string(rpc.port())});
  rpc.ForwardTo(server_->rpc_port());
  zookeeper.ForwardTo(server_->zookeeper_port());
  EXPECT_EQ(server_->advertised().ToString(), "127.0.0.1:" + std::to_string(rpc.port()));
  WriteAndRead("hbase+zk://127.0.0.1:" + std::to_string(zookeeper.port()), rpc.port());
  EXPECT_GE(zookeeper.connections(), 1);
  const int by_zookeeper = rpc.connections();
  EXPECT_GE(by_zookeeper, 1);
  WriteAndRead("hbase+rpc://127.0.0.1:" + std::to_string(rpc.port()), rpc.port());
  EXPECT_GT(rpc.connections(), by_zookeeper);
}

TEST_F(PortMappingTest, IPv6ServersAreFound) {
  Expected<net::Descriptor> any = net::Listen("::1", 0);
  if (!any.ok()) {
    GTEST_SKIP() << "no IPv6 here";
  }
  Start({.listen = "::1"});
  WriteAndRead("hbase+rpc://[::1]:" + std::to_string(rpc_port()), rpc_port());
}

TEST_F(PortMappingTest, WhatIsNoAddressIsRefused) {
  server_.reset();
  for (const char* advertise : {"h:99999", "a b", "::1", "h:"}) {
    auto store = table::OpenEmbedded(root_ + "/store", {});
    ASSERT_TRUE(store.ok());
    const auto refused = server::Server::Start(*std::move(store), {.advertise = advertise});
    ASSERT_FALSE(refused.ok()) << advertise;
    EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
    EXPECT_TRUE(refused.status().message().starts_with("advertise: '" + std::string(advertise) + "': "));
  }
}

}  // namespace
}  // namespace klip::client
