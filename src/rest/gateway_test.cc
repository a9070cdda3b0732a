// The gateway over HTTP: what the resources' own test cannot cover.
#include "rest/gateway.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/identity_test.h"
#include "base/temp_directory_test.h"

namespace klip::rest {
namespace {

size_t PeakBytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  size_t kilobytes = 0;
  status >> kilobytes;
  return kilobytes << 10;
}

class GatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // which the client's TLS raises
    ConnectionOptions options;
    options.sync_wal = false;
    auto connection = Connection::Open("klip:" + directory_.Sub("store"), options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
    ASSERT_TRUE(connection_->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
    auto gateway = StartGateway(connection_.get());
    ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
    gateway_ = *std::move(gateway);
    http_ = std::make_unique<httplib::Client>("127.0.0.1", gateway_->port());
  }

  // The statuses of all answers to these bytes and, if the connection is still open then, to a HEAD of the table.
  std::vector<std::string> Exchange(const std::string& bytes) {
    const std::string last = "HEAD /t/exists HTTP/1.1\r\nConnection: close\r\n\r\n";
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(gateway_->port())};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string answers;
    char piece[4096];
    for (ssize_t got = 0; (got = ::recv(fd, piece, sizeof(piece), 0)) > 0;) {
      if (answers.empty()) {
        (void)::send(fd, last.data(), last.size(), MSG_NOSIGNAL);
      }
      answers.append(piece, static_cast<size_t>(got));
    }
    ::close(fd);
    std::vector<std::string> statuses;
    for (size_t at = 0; (at = answers.find("HTTP/1.1 ", at)) != std::string::npos; ++at) {
      statuses.push_back(answers.substr(at + 9, 3));
    }
    return statuses;
  }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<httplib::Client> http_;
};

TEST_F(GatewayTest, KeysMayHoldSlashesAndAnyBytes) {
  auto put = http_->Put("/t/a%2Fb%00%FF/f:q", "value", "application/octet-stream");
  ASSERT_TRUE(put);
  EXPECT_EQ(put->status, 200);
  EXPECT_EQ(*connection_->GetTable("t").value()->Get(Get{.row = std::string("a/b\0\xff", 5)})->Value("f", "q"),
            "value");
  auto got = http_->Get("/t/a%2Fb%00%FF/f:q", {{"Accept", "application/octet-stream"}});
  EXPECT_EQ(got->body, "value");
  EXPECT_FALSE(got->get_header_value("X-Timestamp").empty());
  EXPECT_EQ(http_->Get("/t/a%2/f:q")->status, 400);
}

TEST_F(GatewayTest, LocationsLeadBack) {
  auto made = http_->Put("/t/scanner", R"({"batch":1})", "application/json");
  ASSERT_EQ(made->status, 201);
  std::string location = made->get_header_value("Location");
  std::string own = "http://127.0.0.1:" + std::to_string(gateway_->port());
  ASSERT_TRUE(location.starts_with(own + "/t/scanner/")) << location;
  EXPECT_EQ(http_->Get(location.substr(own.size()))->status, 204);
  EXPECT_EQ(http_->Delete(location.substr(own.size()))->status, 200);
}

TEST_F(GatewayTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(http_->Patch("/t/r", "", "text/plain")->status, 405);
  EXPECT_EQ(http_->Options("/t/r")->status, 405);
  EXPECT_EQ(http_->Delete("/version")->get_header_value("Allow"), "GET, HEAD");
  EXPECT_EQ(http_->Head("/t/exists")->status, 200);
  EXPECT_EQ(http_->Head("/t/r")->status, 400);
  EXPECT_EQ(http_->Get("/" + std::string(70'000, 'a'))->status, 414);
  EXPECT_EQ(http_->Get("/version/cluster", {{"Accept", "application/x-protobuf"}})->status, 406);
  EXPECT_EQ(http_->Put("/t/schema", "x", "application/x-protobuf")->status, 400);
  EXPECT_EQ(http_->Get("/t/" + std::string(7'000, '*'), {{"Accept", "application/json"}})->status, 200);
  EXPECT_EQ(http_->Put("/t/r", std::string(100'000, '['), "application/json")->status, 400);
  EXPECT_EQ(http_->Put("/t/r", "<CellSet><Row key=\"!\"/></CellSet>", "text/xml")->status, 400);
}

TEST_F(GatewayTest, BoundsBodies) {
  auto of_size = [](size_t size) {  // without announcing its length
    return [size](size_t at, httplib::DataSink& sink) {
      const std::string piece(std::min<size_t>(size - at, 1 << 20), ' ');
      piece.empty() ? sink.done() : void(sink.write(piece.data(), piece.size()));
      return true;
    };
  };
  auto chunked = [&](size_t size) { return http_->Put("/t/r/f:q", of_size(size), "application/octet-stream")->status; };
  EXPECT_EQ(chunked(1000), 200);
  EXPECT_EQ(chunked(Gateway::kMaxBodyBytes + 1), 413);
  EXPECT_EQ(http_->Put("/t/r/f:q", std::string(Gateway::kMaxBodyBytes + 1, 'x'), "application/octet-stream")->status,
            413);
  http_->set_compress(true);  // compresses it to a hundredth
  EXPECT_EQ(http_->Put("/t/r/f:q", std::string(1000, 'x'), "application/octet-stream")->status, 200);
  EXPECT_EQ(http_->Put("/t/r/f:q", std::string(Gateway::kMaxBodyBytes + 1, 'x'), "application/octet-stream")->status,
            413);
  http_->set_compress(false);
  EXPECT_EQ(http_->Put("/t/r/f:q", {{"Content-Encoding", "gzip"}}, "no gzip", "application/octet-stream")->status, 400);
  EXPECT_EQ(http_->Put("/t/r", httplib::MultipartFormDataItems{{"a", "b", "", ""}})->status, 415);
  EXPECT_EQ(http_->Put("/t/r", "x", "text/plain")->status, 415);
}

// The contents of a body, or what follows an unreadable one, are not treated as requests: a web page can send most of
// these.
TEST_F(GatewayTest, BodiesAreNotRequests) {
  std::string body;
  for (int i = 0; i < 1000; ++i) {
    body += "DELETE /t/schema HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  const std::string sized = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n";
  using Statuses = std::vector<std::string>;
  EXPECT_EQ(Exchange("POST /t/r HTTP/1.1\r\nContent-Type: multipart/form-data\r\n" + sized), (Statuses{"415", "200"}));
  EXPECT_EQ(Exchange("POST /t/r HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n" + sized),
            (Statuses{"415", "200"}));
  EXPECT_EQ(Exchange("POST /t/r HTTP/1.1\r\nContent-Type: text/plain\r\n" + sized), (Statuses{"415", "200"}));
  EXPECT_EQ(Exchange("DELETE /t/none HTTP/1.1\r\n" + chunked + "0\r\n\r\n"), (Statuses{"200", "200"}));
  EXPECT_EQ(Exchange("DELETE /t/none HTTP/1.1\r\n" + chunked + "no chunk\r\n" + body), Statuses{"400"});
  EXPECT_EQ(Exchange("PUT /t/r HTTP/1.1\r\n" + chunked + "no chunk\r\n" + body), Statuses{"400"});
  EXPECT_EQ(Exchange("PUT /t/r HTTP/1.1\r\nContent-Encoding: gzip\r\n" + sized), (Statuses{"400", "200"}));
  EXPECT_EQ(Exchange("POST /t/r HTTP/1.1\r\nRange: bytes=99999999999999999999-\r\n" + sized), (Statuses{"415", "200"}));
  EXPECT_EQ(Exchange("POST /" + std::string(70'000, 'a') + " HTTP/1.1\r\n" + sized), Statuses{"414"});
  EXPECT_EQ(Exchange("nonsense\r\n" + body), Statuses{"400"});
  EXPECT_EQ(Exchange("GET /t/exists HTTP/1.1\r\n" + sized), (Statuses{"200", "200"}));
  EXPECT_EQ(Exchange("HEAD /t/exists HTTP/1.1\r\n" + sized), (Statuses{"200", "200"}));
  for (const char* method : {"OPTIONS", "PATCH", "PRI"}) {
    EXPECT_EQ(Exchange(method + std::string(" /t/exists HTTP/1.1\r\n") + sized), (Statuses{"405", "200"})) << method;
  }
  EXPECT_TRUE(*connection_->admin().TableExists("t"));
}

TEST_F(GatewayTest, KeepsNothingOfBodiesThatItRefuses) {
  constexpr size_t kBytes = 512 << 20;
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak
  const size_t before = PeakBytes();
  const std::string piece(1 << 20, ' ');
  auto chunked = [&](size_t at, httplib::DataSink& sink) {
    at == kBytes ? sink.done() : void(sink.write(piece.data(), piece.size()));
    return true;
  };
  EXPECT_EQ(http_->Put("/t/r", chunked, "text/plain")->status, 413);
  EXPECT_LT(PeakBytes() - before, kBytes / 4);
}

TEST_F(GatewayTest, GarbageEndsItsOwnRequestOnly) {
  const std::string seeds[] = {
      R"({"Row":[{"key":"cjE=","Cell":[{"column":"Zjph","timestamp":1,"$":"djE="}]}]})",
      R"(<CellSet><Row key="cjE="><Cell column="Zjph" timestamp="1">djE=</Cell></Row></CellSet>)",
      R"({"batch":2,"filter":"{\"type\":\"PageFilter\",\"value\":\"3\"}","column":["Zjph"]})"};
  const char* paths[] = {"/t/r", "/t/scanner", "/t/schema", "/namespaces/n", "/t/r?check=put"};
  const char* kinds[] = {"application/json", "text/xml", "application/protobuf", "application/octet-stream"};
  uint32_t random = 11;
  auto next = [&random](size_t below) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % static_cast<uint32_t>(below);
  };
  for (int i = 0; i < 300; ++i) {
    std::string body = seeds[next(std::size(seeds))];
    for (uint32_t changes = next(4); changes > 0; --changes) {
      body[next(body.size())] = static_cast<char>(next(256));
    }
    auto answer = http_->Post(paths[next(std::size(paths))], body, kinds[next(std::size(kinds))]);
    ASSERT_TRUE(answer) << body;
    EXPECT_NE(answer->status, 500) << body;
  }
}

TEST_F(GatewayTest, Tls) {
  const std::string root = directory_.Sub("");
  const Identity ca(root + "ca", "ca", 1);
  const Identity server(root + "server", "server", 2, &ca, "IP:127.0.0.1");
  const Identity client(root + "client", "client", 3, &ca);
  const base::TlsFiles files = {.certificate = root + "server.pem", .key = root + "server.key", .ca = root + "ca.pem"};
  std::vector<std::string> log;
  auto started =
      StartGateway(connection_.get(), {.tls = files, .log = [&log](const std::string& line) { log.push_back(line); }});
  ASSERT_TRUE(started.ok()) << started.status().ToString();
  const int port = (*started)->port();
  httplib::SSLClient known("127.0.0.1", port, root + "client.pem", root + "client.key");
  known.set_ca_cert_path((root + "ca.pem").c_str());
  known.enable_server_certificate_verification(true);
  auto made = known.Put("/t/scanner", R"({"batch":1})", "application/json");
  ASSERT_TRUE(made) << httplib::to_string(made.error());
  EXPECT_TRUE(made->get_header_value("Location").starts_with("https://127.0.0.1:"))
      << made->get_header_value("Location");
  httplib::SSLClient stranger("127.0.0.1", port);
  stranger.set_ca_cert_path((root + "ca.pem").c_str());
  EXPECT_FALSE(stranger.Get("/"));
  EXPECT_FALSE(httplib::Client("127.0.0.1", port).Get("/"));
  EXPECT_EQ(known.Get("/t/exists")->status, 200);

  // TLS 1.2 with authenticated encryption, and nothing else.
  for (const auto& [ciphers, answered] : {std::pair("ECDHE+AESGCM", true), {"AES128-SHA:ECDHE+AES+SHA", false}}) {
    httplib::SSLClient old("127.0.0.1", port, root + "client.pem", root + "client.key");
    old.set_ca_cert_path((root + "ca.pem").c_str());
    SSL_CTX_set_max_proto_version(old.ssl_context(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(old.ssl_context(), ciphers);
    EXPECT_EQ(static_cast<bool>(old.Get("/t/exists")), answered) << ciphers;
  }

  // New connections use changed files; the previous contents stay in use while something is wrong with them.
  const Identity other_ca(root + "other", "other", 4);
  const Identity next(root + "next", "server", 5, &other_ca, "IP:127.0.0.1");
  const Identity next_client(root + "next_client", "client", 6, &other_ca);
  auto get = [&](const std::string& who, const std::string& trusted) {
    httplib::SSLClient http("127.0.0.1", port, root + who + ".pem", root + who + ".key");
    http.set_ca_cert_path((root + trusted + ".pem").c_str());
    http.enable_server_certificate_verification(true);
    const auto answer = http.Get("/t/exists");
    return answer ? answer->status : 0;
  };
  std::filesystem::rename(root + "next.pem", root + "server.pem");
  EXPECT_EQ(get("client", "ca"), 200) << "the key is still the old one";
  EXPECT_TRUE(log.back().starts_with("TLS keeps using the previous files: key ")) << log.back();
  std::filesystem::rename(root + "next.key", root + "server.key");
  EXPECT_EQ(get("client", "ca"), 0) << "the server has another certificate";
  EXPECT_EQ(get("client", "other"), 200);
  EXPECT_EQ(log.back(), "TLS uses the changed files from now on");
  std::filesystem::rename(root + "other.pem", root + "ca.pem");
  EXPECT_EQ(get("client", "ca"), 0) << "its CA is none any more";
  EXPECT_EQ(get("next_client", "ca"), 200);

  base::TlsFiles with_list = files;
  with_list.crl = root + "crl";
  WriteRevocations(with_list.crl, other_ca, {});
  auto strict = StartGateway(connection_.get(), {.tls = with_list});
  ASSERT_TRUE(strict.ok()) << strict.status().ToString();
  const auto ask = [&] {
    httplib::SSLClient http("127.0.0.1", (*strict)->port(), root + "next_client.pem", root + "next_client.key");
    http.set_ca_cert_path((root + "ca.pem").c_str());
    const auto answer = http.Get("/t/exists");
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(ask(), 200);
  WriteRevocations(with_list.crl, other_ca, {6});
  EXPECT_EQ(ask(), 0) << "its certificate is revoked now";

  base::TlsFiles broken = files;
  broken.key = root + "none.key";
  const Status refused = StartGateway(connection_.get(), {.tls = broken}).status();
  EXPECT_NE(refused.message().find("none.key"), std::string::npos) << refused.ToString();
}

TEST_F(GatewayTest, AnswersAreWholeWhateverRangesAreNamed) {
  ASSERT_EQ(http_->Put("/t/r/f:q", "value", "application/octet-stream")->status, 200);
  for (const char* ranges : {"bytes=0-1", "bytes=0-,0-,0-"}) {
    auto got = http_->Get("/t/r/f:q", {{"Accept", "application/octet-stream"}, {"Range", ranges}});
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->body, "value");
    EXPECT_EQ(got->get_header_value("Content-Type"), "application/octet-stream");
  }
}

TEST_F(GatewayTest, DropsScannersThatNobodyReads) {
  auto gateway = StartGateway(connection_.get(), {}, /*scanner_idle_ms=*/1);
  ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
  httplib::Client http("127.0.0.1", (*gateway)->port());
  const std::string location =
      http.Put("/t/scanner", R"({"batch":1})", "application/json")->get_header_value("Location");
  const std::string path = location.substr(location.find("/t/"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int status = 204;
  for (int i = 1; status == 204 && std::chrono::steady_clock::now() < deadline; ++i) {  // a tenth of a second or so
    EXPECT_EQ(http.Get("/t/exists")->status, 200);
    status = i % 64 == 0 ? http.Get(path)->status : status;
  }
  EXPECT_EQ(status, 404);
}

TEST_F(GatewayTest, StopsAndSaysWhyItCannotStart) {
  EXPECT_FALSE(StartGateway(connection_.get(), {.port = gateway_->port()}).ok());
  EXPECT_EQ(http_->Put("/t/scanner", "{}", "application/json")->status, 201);
  gateway_->Stop();
  EXPECT_FALSE(http_->Get("/"));
  connection_ = nullptr;
  EXPECT_TRUE(Connection::Open("klip:" + directory_.Sub("store")).ok()) << "no scanner keeps the store";
}

}  // namespace
}  // namespace klip::rest
