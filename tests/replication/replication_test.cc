// Replication between servers: writes on one reach the other exactly once, without loops, even if a server stops
// meanwhile.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/temp_directory_test.h"
#include "klip/admin.h"
#include "klip/connection.h"
#include "klip/table.h"
#include "proto/Admin.pb.h"
#include "replication/random_writes.h"
#include "rpc/cell_block.h"
#include "server/raw_client_test.h"
#include "table/embedded_connection.h"

namespace klip::server {
namespace {

using std::chrono::milliseconds;

// One server, by klip's own client.
class Site {
 public:
  explicit Site(std::string directory) : directory_(std::move(directory)) { Start(); }

  void Start() {
    ConnectionOptions options;
    options.sync_wal = false;
    options.block_cache_bytes = 8 << 20;
    options.memtable_bytes = 1 << 20;
    auto store = table::OpenEmbedded(directory_, options);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ServerOptions with;
    with.rpc_port = rpc_port_;  // the same as before
    with.zookeeper_port = zookeeper_port_;
    with.http_port = 0;
    Expected<std::unique_ptr<Server>> server = Server::Start(*std::move(store), with);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    rpc_port_ = server_->rpc_port();
    zookeeper_port_ = server_->zookeeper_port();
    Expected<std::unique_ptr<Connection>> client =
        Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port_), {});
    ASSERT_TRUE(client.ok()) << client.status().ToString();
    client_ = *std::move(client);
  }
  void Stop() {
    client_ = nullptr;
    server_ = nullptr;
  }

  Admin& admin() { return client_->admin(); }
  uint16_t rpc_port() const { return rpc_port_; }
  std::unique_ptr<Table> OpenTable(const std::string& name) {
    Expected<std::unique_ptr<Table>> table = client_->GetTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *std::move(table);
  }
  std::string cluster_key() const { return "127.0.0.1:" + std::to_string(zookeeper_port_) + ":/hbase"; }

  void Create(const std::string& table, int scope = 1) {
    TableDescriptor descriptor;
    descriptor.name = table;
    FamilyDescriptor family;
    family.name = "f";
    family.max_versions = 1000;  // none is surplus: those go when a site flushes
    family.replication_scope = scope;
    descriptor.families = {family};
    family.name = "g";
    descriptor.families.push_back(family);
    const std::vector<std::string> splits = {"row", "rowa5"};
    EXPECT_EQ(admin().CreateTable(descriptor, splits).ToString(), "ok");
  }
  void Put(const std::string& table, const std::string& row, const std::string& family = "f") {
    EXPECT_EQ(OpenTable(table)->Put(klip::Put{.row = row}.Add(family, "q", "v")).ToString(), "ok");
  }
  void AddPeer(const Site& to, ReplicationPeerConfig config = {}, const std::string& id = "1") {
    config.cluster_key = to.cluster_key();
    EXPECT_EQ(admin().replication().AddReplicationPeer(id, config).ToString(), "ok");
  }
  ReplicationSource SourceOf(const std::string& id) {
    const Expected<ClusterMetrics> metrics = admin().cluster().GetClusterMetrics();
    EXPECT_TRUE(metrics.ok()) << metrics.status().ToString();
    for (const ReplicationSource& source : metrics->live_servers[0].replication_sources) {
      if (source.peer_id == id) {
        return source;
      }
    }
    ADD_FAILURE() << "no source of peer " << id;
    return {};
  }

  // All versions as text.
  std::string Dump(const std::string& table) {
    klip::Scan scan;
    scan.max_versions = kAllVersions;
    std::string out;
    const auto scanner = OpenTable(table)->Scan(scan);
    EXPECT_TRUE(scanner.ok());
    Result row;
    for (Expected<bool> more = (*scanner)->Next(&row); more.ok() && *more; more = (*scanner)->Next(&row)) {
      for (const Cell& cell : row) {
        out += std::string(cell.row) + "/" + std::string(cell.family) + ":" + std::string(cell.qualifier) + "/" +
               std::to_string(cell.timestamp_ms) + "/" + std::to_string(static_cast<int>(cell.type)) + "=" +
               ToStringBinary(cell.value) + "\n";
      }
    }
    return out;
  }

 private:
  const std::string directory_;
  uint16_t rpc_port_ = 0;
  uint16_t zookeeper_port_ = 0;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Connection> client_;
};

class ReplicationTest : public testing::Test {
 protected:
  // Waits until it holds; false: it does not within 20 s.
  static bool Soon(const std::function<bool()>& holds) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    for (int tries = 0; tries < 1000; ++tries) {
      if (holds()) {
        return true;
      }
      never.wait_for(lock, milliseconds(20));
    }
    return holds();
  }
  static void ExpectSoonEqual(Site* one, Site* other, const std::string& table) {
    EXPECT_TRUE(Soon([&] { return one->Dump(table) == other->Dump(table); }))
        << one->Dump(table).size() << " and " << other->Dump(table).size() << " bytes";
  }

  const TempDirectory temp_;
  Site a_{temp_.path() + "/a"};
  Site b_{temp_.path() + "/b"};
};

TEST_F(ReplicationTest, OfScopeOnly) {
  for (Site* site : {&a_, &b_}) {
    site->Create("t");
    site->Create("local", 0);
  }
  a_.Put("t", "before");
  a_.AddPeer(b_);
  a_.Put("local", "row");
  a_.Put("t", "row");
  a_.Put("t", "row", "g");
  EXPECT_TRUE(Soon([&] { return std::ranges::count(b_.Dump("t"), '\n') == 2; })) << b_.Dump("t");
  EXPECT_EQ(b_.Dump("local"), "");
  EXPECT_EQ(b_.Dump("t").find("before"), std::string::npos);
  EXPECT_TRUE(Soon([&] { return a_.SourceOf("1").lag_ms == 0; }));
  EXPECT_EQ(a_.SourceOf("1").operations_shipped, 2);
  EXPECT_LT(a_.SourceOf("1").age_of_last_shipped_ms, 20'000);
  const Expected<ClusterMetrics> sink = b_.admin().cluster().GetClusterMetrics();
  ASSERT_TRUE(sink.ok() && sink->live_servers[0].replication_sink.has_value());
  EXPECT_GT(sink->live_servers[0].replication_sink->last_applied_ms,
            sink->live_servers[0].replication_sink->started_ms);
}

// Both are each other's peer, both are written to, each in rows of its own, and both stop now and then.
TEST_F(ReplicationTest, RandomBothWays) {
  for (Site* site : {&a_, &b_}) {
    site->Create("t");
  }
  a_.AddPeer(b_);
  b_.AddPeer(a_);
  RandomWrites of_a(7, "rowa");
  RandomWrites of_b(8, "rowb");
  for (int round = 0; round < 400; ++round) {
    const bool first = of_a.Below(2) == 0;
    Site& site = first ? a_ : b_;
    ASSERT_EQ((first ? of_a : of_b).Write(site.OpenTable("t").get()).ToString(), "ok");
    if (of_a.Below(60) == 0) {
      ASSERT_TRUE(site.admin().Flush("t").ok());
    }
    if (of_a.Below(100) == 0) {
      Site& other = of_a.Below(2) == 0 ? a_ : b_;
      other.Stop();
      other.Start();
    }
  }
  ExpectSoonEqual(&a_, &b_, "t");
  // An edit that has returned to its origin is not sent again.
  EXPECT_TRUE(Soon([&] { return a_.SourceOf("1").lag_ms == 0 && b_.SourceOf("1").lag_ms == 0; }));
  const int64_t shipped = a_.SourceOf("1").operations_shipped + b_.SourceOf("1").operations_shipped;
  a_.Put("t", "last");
  EXPECT_TRUE(Soon([&] { return b_.Dump("t").find("last/") != std::string::npos; }));
  EXPECT_TRUE(Soon([&] { return a_.SourceOf("1").lag_ms == 0 && b_.SourceOf("1").lag_ms == 0; }));
  EXPECT_EQ(a_.SourceOf("1").operations_shipped + b_.SourceOf("1").operations_shipped, shipped + 1);
}

// a -> b -> c -> a: each edit goes around once.
TEST_F(ReplicationTest, AroundThree) {
  Site c(temp_.path() + "/c");
  for (Site* site : {&a_, &b_, &c}) {
    site->Create("t");
  }
  a_.AddPeer(b_);
  b_.AddPeer(c);
  c.AddPeer(a_);
  a_.Put("t", "from-a");
  b_.Put("t", "from-b");
  c.Put("t", "from-c");
  for (Site* site : {&a_, &b_, &c}) {
    EXPECT_TRUE(Soon([&] { return std::ranges::count(site->Dump("t"), '\n') == 3; })) << site->Dump("t");
  }
  for (Site* site : {&a_, &b_, &c}) {
    EXPECT_TRUE(Soon([&] { return site->SourceOf("1").lag_ms == 0; }));
    EXPECT_EQ(site->SourceOf("1").operations_shipped, 2);
  }
}

TEST_F(ReplicationTest, PeerIsAwayAndComesBack) {
  for (Site* site : {&a_, &b_}) {
    site->Create("t");
  }
  a_.AddPeer(b_);
  b_.Stop();
  a_.Put("t", "one");
  ASSERT_TRUE(a_.admin().Flush("t").ok());
  a_.Stop();
  a_.Start();
  a_.Put("t", "two");
  EXPECT_TRUE(Soon([&] { return a_.SourceOf("1").lag_ms > 0; }));
  b_.Start();
  ExpectSoonEqual(&a_, &b_, "t");
  EXPECT_EQ(std::ranges::count(b_.Dump("t"), '\n'), 2);
}

// What stops one table also stops all later edits, until the reason is gone.
TEST_F(ReplicationTest, WaitsForTheTable) {
  a_.Create("t");
  a_.Create("gone");
  a_.AddPeer(b_);
  a_.Put("gone", "row");
  a_.Put("t", "row");
  b_.Create("t");
  EXPECT_TRUE(Soon([&] { return a_.SourceOf("1").lag_ms > 500; }));
  EXPECT_EQ(b_.Dump("t"), "");
  ASSERT_TRUE(a_.admin().DisableTable("gone").ok());
  ASSERT_TRUE(a_.admin().DeleteTable("gone").ok());
  ExpectSoonEqual(&a_, &b_, "t");
}

TEST_F(ReplicationTest, DisabledAndNarrowed) {
  for (Site* site : {&a_, &b_}) {
    for (const char* table : {"t", "u"}) {
      site->Create(table);
    }
  }
  a_.AddPeer(b_, {.replicate_all = false, .table_families = {{"t", {"g"}}}});
  a_.Put("u", "row");
  a_.Put("t", "row", "f");
  a_.Put("t", "row", "g");
  EXPECT_TRUE(Soon([&] { return b_.Dump("t").starts_with("row/g:q"); }));
  ASSERT_TRUE(a_.admin().replication().DisableReplicationPeer("1").ok());
  EXPECT_EQ(a_.admin().replication().DisableReplicationPeer("1").message(),
            "Replication peer 1 has already been disabled");
  a_.Put("t", "later", "g");
  Expected<ReplicationPeerConfig> config = a_.admin().replication().GetReplicationPeerConfig("1");
  ASSERT_TRUE(config.ok());
  config->table_families.clear();
  config->namespaces = {"default"};
  ASSERT_EQ(a_.admin().replication().UpdateReplicationPeerConfig("1", *config).ToString(), "ok");
  a_.Put("u", "later");
  EXPECT_EQ(b_.Dump("t").find("later"), std::string::npos);
  ASSERT_TRUE(a_.admin().replication().EnableReplicationPeer("1").ok());
  EXPECT_TRUE(Soon([&] { return b_.Dump("u").find("later") != std::string::npos; }));
  EXPECT_NE(b_.Dump("t").find("later"), std::string::npos);
  EXPECT_EQ(b_.Dump("u").find("row/"), std::string::npos);
  ASSERT_TRUE(a_.admin().replication().RemoveReplicationPeer("1").ok());
  a_.Put("t", "last", "g");
  EXPECT_TRUE(a_.admin().replication().ListReplicationPeers()->empty());
}

// A cell's own TTL goes with it.
TEST_F(ReplicationTest, CellTtl) {
  for (Site* site : {&a_, &b_}) {
    site->Create("t");
  }
  a_.AddPeer(b_);
  klip::Put put{.row = "row", .ttl_ms = 3000};
  put.Add("f", "q", "v");
  ASSERT_TRUE(a_.OpenTable("t")->Put(put).ok());
  EXPECT_TRUE(Soon([&] { return b_.Dump("t") != ""; }));
  EXPECT_TRUE(Soon([&] {
    const Expected<Result> row = b_.OpenTable("t")->Get({.row = "row"});
    return row.ok() && row->empty();
  }));
}

TEST_F(ReplicationTest, WhatIsRefused) {
  const auto add = [this](const std::string& id, const ReplicationPeerConfig& config) {
    return a_.admin().replication().AddReplicationPeer(id, config).message();
  };
  EXPECT_EQ(add("1", {.cluster_key = "whatever"}), "Invalid cluster key: whatever");
  EXPECT_EQ(add("1", {.cluster_key = "2181:/hbase"}), "Invalid cluster key: 2181:/hbase");
  EXPECT_EQ(add("1-2", {.cluster_key = b_.cluster_key()}), "Found invalid peer name: 1-2");
  EXPECT_EQ(add("1", {.cluster_key = a_.cluster_key()}),
            "Invalid cluster key: " + a_.cluster_key() +
                ", should not replicate to itself for HBaseInterClusterReplicationEndpoint");
  EXPECT_TRUE(add("1", {.cluster_key = b_.cluster_key(), .endpoint_class = "some.Endpoint"})
                  .starts_with("Can not instantiate configured replication endpoint class=some.Endpoint"));
  EXPECT_EQ(add("1", {.cluster_key = b_.cluster_key(), .namespaces = {"n"}}),
            "Need clean namespaces or table-cfs config firstly when you want replicate all cluster");
  EXPECT_EQ(add("1", {.cluster_key = b_.cluster_key(),
                      .replicate_all = false,
                      .table_families = {{"n:t", {}}},
                      .namespaces = {"n"}}),
            "Table-cfs n:t is conflict with namespaces n in peer config");
  EXPECT_EQ(add("1", {.cluster_key = b_.cluster_key(), .replicate_all = false, .exclude_namespaces = {"n"}}),
            "Need clean exclude-namespaces or exclude-table-cfs config firstly when replicate_all flag is false");
  EXPECT_TRUE(a_.admin().replication().ListReplicationPeers()->empty());
  a_.AddPeer(b_);
  EXPECT_EQ(add("1", {.cluster_key = b_.cluster_key()}), "Replication peer 1 already exists");
  EXPECT_EQ(a_.admin().replication().UpdateReplicationPeerConfig("1", {.cluster_key = "h:1:/x"}).message(),
            "Changing the cluster key on an existing peer is not allowed. Existing key '" + b_.cluster_key() +
                "' for peer 1 does not match new key 'h:1:/x'");
}

// Calls with wrong arguments.
TEST_F(ReplicationTest, SinkChecks) {
  b_.Create("t");
  RawClient client(b_.rpc_port(), "AdminService");
  hbase::pb::ReplicateWALEntryRequest request;
  hbase::pb::WALEntry* entry = request.add_entry();
  entry->mutable_key()->set_encoded_region_name("r");
  entry->mutable_key()->set_table_name("missing");
  entry->mutable_key()->set_log_sequence_number(1);
  entry->mutable_key()->set_write_time(1);
  entry->set_associated_cell_count(1);
  const auto cells = [](const Cell& cell) {
    rpc::Buffer block;
    rpc::AppendCell(cell, rpc::CellCodec::kKeyValue, &block);
    return std::string(block.view());
  };
  const Cell cell = {.row = "r", .family = "f", .qualifier = "q", .timestamp_ms = 5, .value = "v"};
  EXPECT_EQ(client.Call("ReplicateWALEntry", request, cells(cell)).exception(),
            "org.apache.hadoop.hbase.TableNotFoundException");
  entry->mutable_key()->set_table_name("t");
  EXPECT_EQ(client.Call("ReplicateWALEntry", request).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  Cell bad = cell;
  bad.family = "h";
  EXPECT_EQ(client.Call("ReplicateWALEntry", request, cells(bad)).exception(),
            "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");
  bad = cell;
  bad.family = "METAFAMILY";
  EXPECT_EQ(client.Call("ReplicateWALEntry", request, cells(bad)).exception(),
            "org.apache.hadoop.hbase.DoNotRetryIOException");
  EXPECT_EQ(b_.Dump("t"), "");
  EXPECT_EQ(client.Call("ReplicateWALEntry", request, cells(cell)).exception(), "");
  EXPECT_EQ(b_.Dump("t"), "r/f:q/5/4=v\n");
  EXPECT_EQ(client.Call("Replay", request, cells(cell)).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
}

}  // namespace
}  // namespace klip::server
