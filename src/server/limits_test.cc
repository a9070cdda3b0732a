// The limits of connections and scanners.
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class LimitsTest : public ServerTest {
 protected:
  // Starts a new server, with a table of three rows.
  void StartWith(ServerOptions options) {
    server_.reset();
    {
      const std::unique_ptr<Connection> connection = *Connection::Open("klip:" + root_ + "/store");
      ASSERT_TRUE(connection->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
      region_ = connection->admin().GetRegions("t")->front().Name();
      const std::unique_ptr<Table> table = *connection->GetTable("t");
      for (const char* row : {"a", "b", "c"}) {
        ASSERT_TRUE(table->Put(Put{.row = row}.Add("f", "q", "v")).ok());
      }
    }
    options.http_port = 0;
    Start(options);
  }

  hbase::pb::ScanRequest Scan(uint32_t rows) const {
    hbase::pb::ScanRequest request;
    request.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(region_);
    request.mutable_scan();
    request.set_number_of_rows(rows);
    return request;
  }
  static hbase::pb::ScanRequest Close(uint64_t id) {
    hbase::pb::ScanRequest request;
    request.set_scanner_id(id);
    request.set_close_scanner(true);
    return request;
  }

  static bool IsHeard(RawClient* client) {
    return client->Ask<hbase::pb::IsMasterRunningResponse>("IsMasterRunning", hbase::pb::IsMasterRunningRequest())
        .is_master_running();
  }

  std::string Metric(const std::string& name) {
    RawSocket socket(server_->http_port());
    socket.Send("GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
    const std::string page = socket.Receive(1 << 20);
    const size_t at = page.find("\n" + name + " ");
    return at == std::string::npos ? ""
                                   : page.substr(at + name.size() + 2, page.find('\n', at + 1) - at - name.size() - 2);
  }

  // Waits until the metric has the value.
  bool Becomes(const std::string& metric, const std::string& value) {
    int tries = 20000;
    while (--tries > 0 && Metric(metric) != value) {
    }
    return tries > 0;
  }

  std::string region_;
};

TEST_F(LimitsTest, OneConnectionMoreIsClosedAtOnce) {
  StartWith({.max_connections = 3});
  std::vector<std::unique_ptr<RawClient>> open;
  for (int i = 0; i < 3; ++i) {
    open.push_back(std::make_unique<RawClient>(rpc_port(), "MasterService"));
    EXPECT_TRUE(IsHeard(open.back().get()));
  }
  EXPECT_EQ(Metric("klip_refused_connections_total"), "0");
  EXPECT_TRUE(RawSocket(rpc_port()).AtEnd());
  EXPECT_TRUE(RawSocket(server_->zookeeper_port()).AtEnd()) << "they count together";
  EXPECT_EQ(Metric("klip_refused_connections_total"), "2");
  EXPECT_EQ(Metric("klip_connections"), "3");
  for (const auto& client : open) {
    EXPECT_TRUE(IsHeard(client.get()));
  }
  open.pop_back();
  EXPECT_TRUE(Becomes("klip_connections", "2"));
  RawClient next(rpc_port(), "MasterService");
  EXPECT_TRUE(IsHeard(&next));
}

TEST_F(LimitsTest, ConnectionsThatSendNothingMakeRoom) {
  StartWith({.max_connections = 3});
  RawClient first(rpc_port(), "MasterService");
  EXPECT_TRUE(IsHeard(&first));
  std::vector<std::unique_ptr<RawSocket>> idle;
  for (int i = 0; i < 5; ++i) {
    idle.push_back(std::make_unique<RawSocket>(i % 2 == 0 ? rpc_port() : server_->zookeeper_port()));
  }
  EXPECT_TRUE(Becomes("klip_refused_connections_total", "3")) << "the two ports accept in any order";
  RawClient second(rpc_port(), "MasterService");
  EXPECT_TRUE(IsHeard(&second));
  EXPECT_TRUE(IsHeard(&first));
  EXPECT_TRUE(idle.front()->AtEnd());
  EXPECT_EQ(Metric("klip_refused_connections_total"), "4");
}

TEST_F(LimitsTest, PagesHaveALimitOfTheirOwn) {
  constexpr int kMost = 100;
  StartWith({});
  std::vector<std::unique_ptr<RawSocket>> open;
  for (int i = 0; i < kMost; ++i) {
    open.push_back(std::make_unique<RawSocket>(server_->http_port()));
  }
  EXPECT_EQ(Metric("klip_connections"), "0") << "of HBase's clients; the page found room";
  EXPECT_TRUE(open.front()->AtEnd());
  open.clear();
  EXPECT_TRUE(Becomes("klip_refused_connections_total", "0")) << "that of HBase's clients";
}

TEST_F(LimitsTest, TwoThousandIdleConnectionsAreFine) {
  rlimit descriptors = {};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  if (descriptors.rlim_cur < 5000) {
    GTEST_SKIP() << "both ends of them are in this process";
  }
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 2000; ++i) {
    idle.push_back(std::make_unique<RawClient>(rpc_port(), "MasterService"));
  }
  EXPECT_TRUE(IsHeard(idle.front().get()));
  EXPECT_TRUE(IsHeard(idle.back().get()));
}

TEST_F(LimitsTest, OneScannerMoreIsAskedToComeAgain) {
  StartWith({.max_scanners = 4});  // of which a client may have half
  RawClient client(rpc_port(), "ClientService");
  std::vector<uint64_t> ids;
  for (int i = 0; i < 2; ++i) {
    const auto opened = client.Ask<hbase::pb::ScanResponse>("Scan", Scan(1));
    EXPECT_TRUE(opened.more_results_in_region());
    ids.push_back(opened.scanner_id());
  }
  const Answer refused = client.Call("Scan", Scan(1));
  EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.CallQueueTooBigException");
  EXPECT_FALSE(refused.header.exception().do_not_retry());
  RawClient other(rpc_port(), "ClientService");
  const auto of_other = other.Ask<hbase::pb::ScanResponse>("Scan", Scan(1));
  EXPECT_TRUE(of_other.more_results_in_region()) << "another client's scanners";
  other.Ask<hbase::pb::ScanResponse>("Scan", Close(of_other.scanner_id()));
  EXPECT_FALSE(client.Ask<hbase::pb::ScanResponse>("Scan", Scan(9)).more_results_in_region()) << "not held open";
  client.Ask<hbase::pb::ScanResponse>("Scan", Close(ids.front()));
  EXPECT_TRUE(client.Ask<hbase::pb::ScanResponse>("Scan", Scan(1)).more_results_in_region());
}

TEST_F(LimitsTest, LoadsTellNothingOfTheFilesOfTheMachine) {
  StartWith({});
  RawClient client(rpc_port(), "ClientService");
  const auto refusal = [&](const std::string& path) {
    hbase::pb::BulkLoadHFileRequest request;
    *request.mutable_region() = Scan(1).region();
    hbase::pb::BulkLoadHFileRequest::FamilyPath* one = request.add_family_path();
    one->set_family("f");
    one->set_path(path);
    return client.Call("BulkLoadHFile", request).header.exception().stack_trace();
  };
  const std::string missing = refusal("/nowhere/at/all");
  EXPECT_NE(missing.find("one of the paths is not an HFile"), std::string::npos) << missing;
  EXPECT_EQ(refusal("/etc/passwd"), missing);
  EXPECT_EQ(refusal("/etc"), missing);
  EXPECT_NE(refusal(std::string("/etc/passwd\0/x", 14)).find("NUL"), std::string::npos);
}

TEST_F(LimitsTest, AScannerThatIsNotUsedEnds) {
  StartWith({.scanner_timeout_ms = 1});
  RawClient client(rpc_port(), "ClientService");
  const auto opened = client.Ask<hbase::pb::ScanResponse>("Scan", Scan(1));
  EXPECT_EQ(opened.ttl(), 1U);
  EXPECT_TRUE(Becomes("klip_open_scanners", "0"));
  EXPECT_EQ(client.Call("Scan", Close(opened.scanner_id())).exception(),
            "org.apache.hadoop.hbase.UnknownScannerException");
}

TEST_F(LimitsTest, AMemoryLimitBoundsScannersToo) {
  constexpr int kMost = 128;  // half of an eighth of the limit, at 64 KB
  StartWith({.memory_limit = 128 << 20});
  RawClient client(rpc_port(), "ClientService");
  for (int i = 0; i < kMost; ++i) {
    EXPECT_TRUE(client.Ask<hbase::pb::ScanResponse>("Scan", Scan(1)).more_results_in_region());
  }
  EXPECT_EQ(client.Call("Scan", Scan(1)).exception(), "org.apache.hadoop.hbase.CallQueueTooBigException");
}

TEST_F(LimitsTest, WhatADroppedTableHeldIsGivenBack) {
  StartWith({});
  RawClient client(rpc_port(), "ClientService");
  constexpr int64_t kBytes = 300'000;
  hbase::pb::MutateRequest put;
  *put.mutable_region() = Scan(1).region();
  put.mutable_mutation()->set_row("r");
  put.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::PUT);
  auto* column = put.mutable_mutation()->add_column_value();
  column->set_family("f");
  column->add_qualifier_value()->set_value(std::string(kBytes, 'v'));
  client.Ask<hbase::pb::MutateResponse>("Mutate", put);
  EXPECT_GT(std::stoll(Metric("klip_store_memtable_bytes")), kBytes);
  RawClient master(rpc_port(), "MasterService");
  hbase::pb::DisableTableRequest disable;
  disable.mutable_table_name()->set_namespace_("default");
  disable.mutable_table_name()->set_qualifier("t");
  master.Ask<hbase::pb::DisableTableResponse>("DisableTable", disable);
  hbase::pb::DeleteTableRequest drop;
  *drop.mutable_table_name() = disable.table_name();
  master.Ask<hbase::pb::DeleteTableResponse>("DeleteTable", drop);
  EXPECT_LT(std::stoll(Metric("klip_store_memtable_bytes")), kBytes);
  EXPECT_EQ(client.Call("Mutate", put).exception(), "org.apache.hadoop.hbase.NotServingRegionException");
}

}  // namespace
}  // namespace klip::server
