// What the server reports about itself: pages over HTTP, and log lines.
#include "server/pages/status_pages.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "coprocessor/fake_host_test.h"
#include "proto/Client.pb.h"
#include "server/raw_client_test.h"
#include "server/rpc/log.h"

namespace klip::server {
namespace {

class StatusPagesTest : public ServerTest {
 protected:
  void Restart() {
    options_.http_port = 0;
    Start(options_);
  }

  // The whole response to the request, whose headers include one that closes the connection.
  std::string Http(const std::string& request) {
    RawSocket socket(server_->http_port());
    socket.Send(request + "Connection: close\r\n\r\n");
    return socket.Receive(1 << 20);
  }
  std::string Body(const std::string& path) {
    const std::string answer = Http("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    const size_t end = answer.find("\r\n\r\n");
    const std::string body = answer.substr(end + 4);
    EXPECT_NE(answer.find("Content-Length: " + std::to_string(body.size()) + "\r\n"), std::string::npos);
    return body;
  }

  ServerOptions options_;
};

// The rules of Prometheus' text format that `promtool check metrics` checks. Returns the samples.
std::map<std::string, double> CheckFormat(const std::string& page) {
  static const std::regex kSample(R"(([a-z_]+)(\{([a-z]+="[^"\\]*",?)+\})? (-?[0-9.e+-]+))");
  std::map<std::string, double> samples;
  std::set<std::string> names;
  std::string name;
  std::string type;
  std::string helped;
  double last_bucket = 0;
  EXPECT_TRUE(page.ends_with("\n"));
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash;
    std::string kind;
    std::smatch match;
    if (line.starts_with("# ")) {
      words >> hash >> kind >> name >> type;
      EXPECT_TRUE(kind == "HELP" || (kind == "TYPE" && helped == name)) << line;
      EXPECT_TRUE(kind == "HELP" ? names.insert(name).second
                                 : type == "counter" || type == "gauge" || type == "histogram")
          << line;
      EXPECT_TRUE(type != "counter" || kind != "TYPE" || name.ends_with("_total")) << line;
      helped = name;
      continue;
    }
    if (!std::regex_match(line, match, kSample)) {
      ADD_FAILURE() << "no sample: " << line;
      continue;
    }
    const std::string sample = match[1];
    const double value = std::stod(match[4]);
    EXPECT_TRUE(samples.emplace(line.substr(0, line.rfind(' ')), value).second) << "twice: " << line;
    if (type != "histogram") {
      EXPECT_EQ(sample, name);
      continue;
    }
    EXPECT_TRUE(sample == name + "_bucket" || sample == name + "_sum" || sample == name + "_count") << line;
    if (sample.ends_with("_bucket")) {
      EXPECT_GE(value, last_bucket) << line;
      last_bucket = value;
    } else if (sample.ends_with("_count")) {
      EXPECT_EQ(value, last_bucket) << line;
      last_bucket = 0;
    }
  }
  return samples;
}

TEST(StatusPages, WhatIsWatchedIsUrgent) {
  for (const char* target : {"/health", "/metrics", "/metrics?name=x"}) {
    EXPECT_TRUE(IsUrgentPage(target)) << target;
  }
  for (const char* target : {"/", "/console/api/sql", "/metricsx", "/healthy"}) {
    EXPECT_FALSE(IsUrgentPage(target)) << target;
  }
}

TEST_F(StatusPagesTest, MetricsTellOfCallsAndStore) {
  Restart();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::GetRequest get;
  get.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  get.mutable_region()->set_value("hbase:meta,,1");
  get.mutable_get()->set_row("t");
  for (int i = 0; i < 3; ++i) {
    client.Ask<hbase::pb::GetResponse>("Get", get);
  }
  get.mutable_region()->set_value("none,,1.x.");
  EXPECT_NE(client.Call("Get", get).exception(), "");
  std::map<std::string, double> samples = CheckFormat(Body("/metrics"));
  const std::string labels = R"({service="ClientService",method="Get"})";
  EXPECT_EQ(samples["klip_call_seconds_count" + labels], 4);
  EXPECT_GT(samples["klip_call_seconds_sum" + labels], 0);
  EXPECT_EQ(samples[R"(klip_call_errors_total{class="org.apache.hadoop.hbase.NotServingRegionException"})"], 1);
  EXPECT_EQ(samples["klip_connections"], 1);
  EXPECT_GT(samples["klip_received_bytes_total"], 100);
  EXPECT_GT(samples["klip_sent_bytes_total"], 20);
  EXPECT_GT(samples["process_resident_memory_bytes"], 1 << 20);
  EXPECT_GT(samples["process_cpu_seconds_total"], 0);
  EXPECT_EQ(samples.count("klip_store_memtable_bytes"), 1U);
}

TEST_F(StatusPagesTest, MetricsTellOfIndexes) {
  Restart();
  TableDescriptor table = {.name = "i", .families = {{.name = "f"}}};
  table.attributes["KLIP_INDEX$by_n"] = "f:n u16 UNIQUE";
  table.attributes["KLIP_INDEX$by_s"] = "f:s u8 SKIP INVALID";
  ASSERT_TRUE(store_->admin().CreateTable(table, {}).ok());
  const std::unique_ptr<Table> rows = *store_->GetTable("i");
  const auto put = [&](const char* row, const char* qualifier, const char* value) {
    return rows->Put(Put{.row = row}.Add("f", qualifier, value)).ok();
  };
  EXPECT_TRUE(put("1", "n", "aa") && put("2", "n", "bb") && put("1", "n", "cc"));
  EXPECT_FALSE(put("3", "n", "long"));
  EXPECT_FALSE(put("3", "n", "bb"));
  EXPECT_TRUE(put("4", "s", "long"));
  for (const char* where : {"f:n>=25186", "f:n>=25186 f:m=none"}) {  // from bb on
    Scan scan;
    scan.where = *rows->ParseQuery(where);
    scan.plan = "index by_n";
    const auto found = *rows->Scan(scan);
    Result row;
    while (*found->Next(&row)) {
    }
  }
  std::map<std::string, double> samples = CheckFormat(Body("/metrics"));
  const auto of = [&](const std::string& name, const std::string& index) {
    return samples.at("klip_index_" + name + "{table=\"i\",index=\"" + index + "\"}");
  };
  EXPECT_EQ(of("ready", "by_n"), 1);
  EXPECT_EQ(of("entries_written_total", "by_n"), 3);
  EXPECT_EQ(of("entries_removed_total", "by_n"), 1);
  EXPECT_EQ(of("reads_total", "by_n"), 2);
  EXPECT_EQ(of("entries_read_total", "by_n"), 4);
  EXPECT_EQ(of("rows_fetched_total", "by_n"), 4);
  EXPECT_EQ(of("rows_dropped_total", "by_n"), 2);
  EXPECT_EQ(of("refused_writes_total", "by_n"), 2);
  EXPECT_EQ(of("skipped_rows", "by_s"), 1);
  EXPECT_EQ(of("reads_total", "by_s"), 0);
}

// With a host that has class Guard in each region, and reports the costs of its hooks.
TEST_F(StatusPagesTest, JavaCoprocessorsAreToldWithWhatTheyCost) {
  using coprocessor::Method;
  const std::string guard = "com.acme.Observers$Guard";
  std::map<Method, coprocessor::FrameWriter> answers;
  answers[Method::kOpen].U64(1).U32(0).U32(0).U32(1).Text(guard).U32(1001).U32(0);
  answers[Method::kStatistics].U32(1).Text(guard).Text("prePut").U64(7).U64(2).U64(1500);
  const coprocessor::FakeHost host(root_ + "/host", std::move(answers));
  coprocessor::Coprocessors coprocessors({.socket = root_ + "/host"}, /*off=*/false);
  options_.http_port = 0;
  options_.coprocessors = &coprocessors;
  server_.reset();
  ConnectionOptions options;
  options.sync_wal = false;
  auto store = table::OpenEmbedded(root_ + "/store", options, coprocessors.ForStore());
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  Connection* const connection = store->get();
  server_ = *Server::Start(*std::move(store), options_);
  EXPECT_EQ(CheckFormat(Body("/metrics")).count("klip_coprocessor_calls_total"), 0U);
  EXPECT_EQ(host.calls(Method::kStart), 0);  // a status page does not start a JVM
  ASSERT_EQ(
      connection->admin()
          .CreateTable(
              {.name = "t", .families = {{.name = "f"}}, .attributes = {{"coprocessor$1", "|" + guard + "|1001|"}}})
          .ToString(),
      "ok");
  ASSERT_EQ((*connection->GetTable("t"))->Get({.row = "r"}).status().ToString(), "ok");
  std::map<std::string, double> samples = CheckFormat(Body("/metrics"));
  const std::string labels = R"({class="com.acme.Observers$Guard",hook="prePut"})";
  EXPECT_EQ(samples["klip_coprocessor_calls_total" + labels], 7);
  EXPECT_EQ(samples["klip_coprocessor_failures_total" + labels], 2);
  EXPECT_EQ(samples["klip_coprocessor_nanoseconds_total" + labels], 1500);
  const auto client = *Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
  const auto metrics = client->admin().cluster().GetClusterMetrics();
  ASSERT_TRUE(metrics.ok()) << metrics.status().ToString();
  EXPECT_EQ(metrics->live_servers.front().coprocessors, (std::vector<std::string>{"Guard"}));
  server_.reset();
}

TEST_F(StatusPagesTest, PagesAreFoundAndOthersAreNot) {
  Restart();
  EXPECT_EQ(Body("/health"), "{\"status\": \"ok\"}\n");
  EXPECT_NE(Body("/").find("0 tables"), std::string::npos);
  EXPECT_EQ(Body("/health?verbose=1"), "{\"status\": \"ok\"}\n");
  const std::string head = Http("HEAD /health HTTP/1.1\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n")) << head;
  EXPECT_TRUE(Http("GET /none HTTP/1.1\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(Http("POST /health HTTP/1.1\r\n").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(Http("nonsense\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(Http("GET /" + std::string(70000, 'x')).starts_with("HTTP/1.1 414 "));
  EXPECT_TRUE(Http("GET /health HTTP/1.1\r\nHost: a.site.that.points.here\r\n").starts_with("HTTP/1.1 403 "));
}

TEST_F(StatusPagesTest, SlowCallsAreLogged) {
  options_.slow_call_ms = 0;
  Restart();
  hbase::pb::GetRequest get;
  get.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  get.mutable_region()->set_value("hbase:meta,,1");
  get.mutable_get()->set_row("t");
  testing::internal::CaptureStderr();
  {
    RawClient client(rpc_port(), "ClientService");
    client.Ask<hbase::pb::GetResponse>("Get", get);
  }
  server_->Stop();
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_NE(line.find("event=slow_call method=Get table=hbase:meta region=hbase:meta,,1 user=test client=127.0.0.1:"),
            std::string::npos)
      << line;
  EXPECT_NE(line.find(" response_bytes="), std::string::npos) << line;
}

TEST_F(StatusPagesTest, TheStatusPortAcceptsAgain) {
  Restart();
  constexpr std::string_view kPage = "GET /none HTTP/1.1\r\n\r\n";
  net::LateClient open;
  net::LateClient behind;
  net::LateClient refused;
  open.Connect(server_->http_port());
  behind.Connect(server_->http_port());
  EXPECT_EQ(behind.Ask(kPage), "H") << "and the other has been accepted before";
  {
    const net::NoDescriptors none;
    refused.Connect(server_->http_port());
    EXPECT_EQ(open.Ask(kPage), "H");
  }
  EXPECT_EQ(refused.Ask(kPage), "H");
}

TEST(LogTest, LinesAreOfOneFormOrTheOther) {
  const std::string name = "a \"b\"\\\n";
  const auto line = [&](LogFormat format) {
    return LogLine(format, 1700000000123, "event",
                   {{"plain", "x"}, {"name", name}, {"none", ""}, {"count", int64_t{5}}});
  };
  EXPECT_EQ(line(LogFormat::kText),
            R"(time=2023-11-14T22:13:20.123Z event=event plain=x name="a \"b\"\x5C\x0A" none="" count=5)"
            "\n");
  EXPECT_EQ(line(LogFormat::kJson),
            R"({"time": "2023-11-14T22:13:20.123Z", "event": "event", "plain": "x", "name": "a \"b\"\\x5C\\x0A", )"
            R"("none": "", "count": 5})"
            "\n");
}

TEST_F(StatusPagesTest, DamageThatTheScrubFindsIsTold) {
  server_.reset();
  const std::string damaged = root_ + "/store/snapshots/s/SNAPSHOT";
  std::filesystem::create_directories(root_ + "/store/snapshots/s");
  std::ofstream(damaged) << "not sealed";
  options_.scrub_after_ms = 0;
  testing::internal::CaptureStderr();
  Restart();
  std::string metrics;
  while (metrics.find("klip_scrub_rounds_total 1\n") == std::string::npos) {
    metrics = Body("/metrics");
  }
  EXPECT_NE(metrics.find("klip_scrub_damaged_files 1\n"), std::string::npos);
  EXPECT_EQ(Body("/health"), "{\"status\": \"ok\", \"damaged_files\": 1}\n");
  server_->Stop();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("event=damaged_file file=" + damaged), std::string::npos) << log;
  EXPECT_TRUE(std::filesystem::exists(damaged));
}

}  // namespace
}  // namespace klip::server
