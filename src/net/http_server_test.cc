// The HTTP server alone: requests in pieces, at once, too large, too slow, or from another site's page.
#include "net/http_server.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>

#include "net/clock.h"
#include "net/http_guard.h"
#include "net/http_protocol.h"
#include "net/raw_socket_test.h"
#include "net/reactor.h"

namespace klip::net {
namespace {

constexpr int64_t kSecondUs = 1000 * 1000;

HttpResponse Echo(const HttpRequest& request) {
  return {.content_type = "text/plain", .body = request.method + " " + request.target + " " + request.body};
}

class HttpServerTest : public testing::Test {
 protected:
  void Start(HttpHandler handler = Echo) {
    auto server = HttpServer::Start(options_, std::move(handler));
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
  }

  // All bytes until the server closes the connection.
  std::string All(const std::string& request) const {
    RawSocket socket(server_->port());
    socket.Send(request);
    return socket.Receive(1 << 20);
  }
  static std::string StatusOf(const std::string& answer) { return answer.substr(0, answer.find(' ', 9)); }

  HttpServerOptions options_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, RequestsMayComeByteByByteOrManyAtOnce) {
  Start();
  const std::string put = "PUT /a?b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz";
  const std::string chunked =
      "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n1;e=f\r\nz\r\n0\r\n\r\n";
  const std::string last = "GET /d HTTP/1.1\r\nConnection: close\r\n\r\n";
  std::string many;
  for (int i = 0; i < 50; ++i) {
    many += put + chunked;
  }
  const std::string answers = All(many + last);
  size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = answers.find("PUT /a?b xyz", at);
    ASSERT_NE(at, std::string::npos) << i << answers;
    at = answers.find("POST /c xyz", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_TRUE(answers.ends_with("GET /d "));

  RawSocket slow(server_->port());
  for (const char byte : put + chunked + last) {
    slow.Send({&byte, 1});
  }
  const std::string answer = slow.Receive(1 << 20);
  EXPECT_NE(answer.find("PUT /a?b xyz"), std::string::npos) << answer;
  EXPECT_NE(answer.find("POST /c xyz"), std::string::npos) << answer;
}

TEST_F(HttpServerTest, ClientsMayAskWhetherTheBodyIsWelcome) {
  options_.limits.body_bytes = 10;
  Start();
  RawSocket socket(server_->port());
  socket.Send("PUT / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(socket.Receive(go_on.size()), go_on);
  socket.Send("xyz");
  EXPECT_EQ(socket.Receive(15), "HTTP/1.1 200 OK");
  EXPECT_TRUE(All("PUT / HTTP/1.1\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n").starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, OldClientsAreAnsweredAndLetGo) {
  Start();
  const std::string answer = All("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(HttpServerTest, WhatCannotBeReadIsRefusedAndNothingBehindItIsTakenForARequest) {
  options_.limits = {.header_bytes = 1000, .body_bytes = 1000};
  Start();
  const std::string behind = "GET /behind HTTP/1.1\r\n\r\n";
  const std::string filler(2000, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nonsense\r\n\r\n", "400"},
      {"GET / HTTP/2.0\r\n\r\n", "400"},
      {"GET /" + filler + " HTTP/1.1\r\n\r\n", "414"},
      {"GET / HTTP/1.1\r\nx: " + filler + "\r\n\r\n", "431"},
      {"PUT / HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + filler, "413"},
      {"PUT / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400"},
      {"PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "400"},
      {"PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "501"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n", "400"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + filler, "400"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + filler + "\r\n0\r\n\r\n", "413"},
  };
  for (const auto& [request, status] : cases) {
    const std::string answer = All(request + behind);
    EXPECT_EQ(StatusOf(answer), "HTTP/1.1 " + status) << request << "\n" << answer;
    EXPECT_EQ(answer.find("HTTP/1.1 ", 9), std::string::npos) << request << "\n" << answer;
  }
}

TEST_F(HttpServerTest, BodiesMayBePackedBothWays) {
  options_.limits.body_bytes = 100'000;
  Start();
  httplib::Client http("127.0.0.1", server_->port());
  http.set_compress(true);
  http.set_decompress(false);
  const std::string body(50'000, 'x');
  auto answer = http.Post("/", {{"Accept-Encoding", "gzip"}}, body, "text/plain");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->get_header_value("Content-Encoding"), "gzip");
  EXPECT_LT(answer->body.size(), 1000U);
  answer = http.Post("/", {{"Accept-Encoding", "gzip;q=0, br"}}, body, "text/plain");
  EXPECT_EQ(answer->body, "POST / " + body);
  EXPECT_EQ(http.Post("/", std::string(100'001, 'x'), "text/plain")->status, 413) << "it is small on its way";
  http.set_compress(false);
  EXPECT_EQ(http.Post("/", {{"Content-Encoding", "gzip"}}, "no gzip", "text/plain")->status, 400);
  EXPECT_EQ(http.Post("/", {{"Content-Encoding", "br"}}, "x", "text/plain")->status, 415);
}

TEST_F(HttpServerTest, HeadGetsNoBodyAndHeadersEndWithTheirLine) {
  Start([](const HttpRequest&) {
    return HttpResponse{.content_type = "a\r\nb: c", .body = "body", .headers = {{"d", "e\r\n\r\nf"}}};
  });
  const std::string answer = All("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Type: a\r\nContent-Length: 4\r\nd: e\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServerTest, SomeAnswersHaveNoBody) {
  Start([](const HttpRequest& request) {
    return HttpResponse{
        .status = request.target == "/304" ? 304 : 204, .content_type = "text/plain", .body = "none\r\n"};
  });
  const std::string answers = All("GET /304 HTTP/1.1\r\n\r\nGET /204 HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answers,
            "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\n\r\n"
            "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n");
}

// 30 connections that send nothing, or half a request, to a server that accepts 10.
TEST_F(HttpServerTest, SlowClientsShutNobodyOut) {
  options_.max_connections = 10;
  Start();
  httplib::Client kept("127.0.0.1", server_->port());
  kept.set_keep_alive(true);
  std::vector<std::unique_ptr<RawSocket>> slow;
  for (int i = 0; i < 30; ++i) {
    slow.push_back(std::make_unique<RawSocket>(server_->port()));
    slow.back()->Send(i % 2 == 0 ? "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nx" : "G");
    EXPECT_EQ(StatusOf(All("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), "HTTP/1.1 200") << i;
    const auto answer = kept.Get("/");
    EXPECT_TRUE(answer && answer->status == 200) << i;
  }
  EXPECT_TRUE(slow.front()->AtEnd()) << "it made room";
}

// A server all of whose threads are busy.
// Calls that never end do not shut out others, and threads that were added for them end.
TEST_F(HttpServerTest, LongCallsShutNobodyOut) {
  options_.threads = 2;
  std::mutex mutex;
  std::condition_variable wake;
  int waiting = 0;
  bool go = false;
  bool saw_gone = false;
  Start([&](const HttpRequest& request) {
    if (request.target == "/long") {
      std::unique_lock lock(mutex);
      ++waiting;
      wake.notify_all();
      wake.wait(lock, [&] { return go; });
    } else if (request.target == "/leaves") {
      while (!request.gone.cancelled()) {
        std::this_thread::yield();
      }
      const std::lock_guard lock(mutex);
      saw_gone = true;
      wake.notify_all();
    }
    return Echo(request);
  });
  constexpr int kLong = 20;
  std::vector<std::unique_ptr<RawSocket>> clients;
  for (int i = 0; i < kLong; ++i) {
    clients.push_back(std::make_unique<RawSocket>(server_->port()));
    clients.back()->Send("GET /long HTTP/1.1\r\nConnection: close\r\n\r\n");
  }
  EXPECT_EQ(StatusOf(All("GET /short HTTP/1.1\r\nConnection: close\r\n\r\n")), "HTTP/1.1 200");
  RawSocket(server_->port()).Send("GET /leaves HTTP/1.1\r\n\r\n");  // and closes
  {
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return waiting == kLong && saw_gone; });
    go = true;
    wake.notify_all();
  }
  for (const std::unique_ptr<RawSocket>& client : clients) {
    EXPECT_EQ(StatusOf(client->Receive(1 << 10)), "HTTP/1.1 200");
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(StatusOf(All("GET /short HTTP/1.1\r\nConnection: close\r\n\r\n")), "HTTP/1.1 200");
  }
}

TEST_F(HttpServerTest, UrgentRequestsPassTheOthers) {
  options_.threads = 2;
  options_.urgent = [](std::string_view target) { return target == "/urgent"; };
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0;
  bool released = false;
  Start([&](const HttpRequest& request) {
    if (request.target == "/long") {
      std::unique_lock lock(mutex);
      ++running;
      changed.notify_all();
      changed.wait(lock, [&] { return released; });
    }
    return Echo(request);
  });
  std::vector<std::unique_ptr<RawSocket>> busy;
  for (int i = 0; i < 4; ++i) {
    busy.push_back(std::make_unique<RawSocket>(server_->port()));
    busy.back()->Send("GET /long HTTP/1.1\r\nConnection: close\r\n\r\n");
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return running >= 2; });
  }
  EXPECT_EQ(StatusOf(All("GET /urgent HTTP/1.1\r\nConnection: close\r\n\r\n")), "HTTP/1.1 200");
  {
    const std::lock_guard lock(mutex);
    released = true;
  }
  changed.notify_all();
  for (const auto& socket : busy) {
    EXPECT_EQ(StatusOf(socket->Receive(1 << 10)), "HTTP/1.1 200");
  }
}

// A test that controls the clock: the reactor cuts slow clients as of another time.
class HttpDeadlineTest : public testing::Test {
 protected:
  void SetUp() override {
    auto socket = Listen("127.0.0.1", 0);
    ASSERT_TRUE(socket.ok());
    port_ = PortOf(*socket);
    reactor_.Serve(*std::move(socket), nullptr, [this] { return NewHttpProtocol(&service_); });
    ASSERT_TRUE(reactor_.Start(2, 2).ok());
  }
  size_t CutIn(int64_t seconds) {
    return reactor_.CutSlowClients(MonotonicUs() + seconds * kSecondUs, /*opening_us=*/30 * kSecondUs).size();
  }
  // Waits until the server has read it: the server counts received bytes.
  void Sent(RawSocket* socket, std::string_view bytes) {
    const int64_t want = reactor_.received_bytes() + static_cast<int64_t>(bytes.size());
    socket->Send(bytes);
    while (reactor_.received_bytes() < want) {
      std::this_thread::yield();
    }
    Asked();
  }
  // The reading thread has the channel's lock; an answered request means that it is released.
  void Asked() {
    RawSocket other(port_);
    other.Send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_NE(other.Receive(1 << 10), "");
    EXPECT_TRUE(other.AtEnd());  // not cut as an idle one
  }

  HttpService service_{.handler = Echo, .limits = {}, .max_bodies_bytes = 1 << 20};
  Reactor reactor_;
  uint16_t port_ = 0;
};

TEST_F(HttpDeadlineTest, ARequestHasToComeInTime) {
  RawSocket nothing(port_);
  RawSocket half(port_);
  Sent(&half, "PUT / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n");
  EXPECT_EQ(CutIn(20), 0U);
  Sent(&half, std::string(64 << 10, 'x'));
  EXPECT_EQ(CutIn(29), 0U);
  EXPECT_EQ(CutIn(31), 1U);
  EXPECT_TRUE(nothing.AtEnd());
  EXPECT_EQ(CutIn(36), 1U) << "30 s, and 4 for what came";
  EXPECT_TRUE(half.AtEnd());
}

TEST_F(HttpDeadlineTest, LargerRequestsHaveMoreTimeAndIdleClientsAMinute) {
  RawSocket socket(port_);
  const std::string get = "GET / HTTP/1.1\r\n\r\n";
  Sent(&socket, get);
  EXPECT_NE(socket.Receive(15), "");
  EXPECT_EQ(CutIn(59), 0U);
  Sent(&socket, "PUT / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + std::string(160 << 10, 'x'));
  EXPECT_EQ(CutIn(39), 0U) << "30 s, and 10 for what came";
  EXPECT_EQ(CutIn(42), 1U);
  EXPECT_EQ(CutIn(42), 0U);

  RawSocket idle(port_);
  Sent(&idle, get);
  EXPECT_NE(idle.Receive(15), "");
  EXPECT_GE(CutIn(61), 1U);  // and the one of Asked, if the server has not finished closing it
}

TEST_F(HttpDeadlineTest, BodiesTogetherAreBounded) {
  std::vector<std::unique_ptr<RawSocket>> sockets;
  const std::string half = "PUT / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + std::string(400 << 10, 'x');
  for (int i = 0; i < 2; ++i) {
    sockets.push_back(std::make_unique<RawSocket>(port_));
    Sent(sockets.back().get(), half);
  }
  RawSocket third(port_);
  third.Send(half);
  EXPECT_EQ(third.Receive(12), "HTTP/1.1 503");
  // They are no reason to refuse others.
  RawSocket small(port_);
  small.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(small.Receive(12), "HTTP/1.1 200");
  small.Send("PUT / HTTP/1.1\r\nContent-Length: 50000\r\n\r\n" + std::string(50'000, 'x'));
  EXPECT_NE(small.Receive(200).find("HTTP/1.1 200"), std::string::npos);
  sockets.clear();
  while (service_.bodies_bytes > 0) {  // the server sees their ends
    Asked();
  }
  RawSocket fourth(port_);
  fourth.Send(half + std::string(1'000'000 - (400 << 10), 'x'));
  EXPECT_EQ(fourth.Receive(12), "HTTP/1.1 200");
}

TEST(HttpGuardTest, PagesOfOtherSitesAreRefused) {
  const auto foreign = [](const std::string& host, const std::string& origin, bool loopback) {
    HttpRequest request{.headers = {{"host", host}}};
    if (!origin.empty()) {
      request.headers["origin"] = origin;
    }
    return !WhyForeign(request, loopback).empty();
  };
  for (const char* host : {"", "localhost", "localhost:80", "a.localhost", "LOCALHOST", "LocalHost:80", "localhost.",
                           "localhost.:80", "A.Localhost.", "127.0.0.1:80", "[::1]:80", "10.0.0.1"}) {
    EXPECT_FALSE(foreign(host, "", true)) << host;
  }
  for (const char* host :
       {"evil.com", "evil.com:80", "localhost.evil.com", "127.0.0.1.evil.com", "LOCALHOST.evil.com.", "localhost.."}) {
    EXPECT_TRUE(foreign(host, "", true)) << host;
    EXPECT_FALSE(foreign(host, "", false)) << host << ": the server's name in a network";
  }
  EXPECT_FALSE(foreign("localhost:80", "http://localhost:80", true));
  EXPECT_FALSE(foreign("db:80", "https://db:80", false));
  EXPECT_FALSE(foreign("LOCALHOST:80", "http://localhost:80", true));
  for (const char* origin : {"http://evil.com", "null", "http://localhost:81", "http://localhost"}) {
    EXPECT_TRUE(foreign("localhost:80", origin, true)) << origin;
    EXPECT_TRUE(foreign("localhost:80", origin, false)) << origin;
  }
}

}  // namespace
}  // namespace klip::net
