// Servers, regions and switches through the client, on klip's own server; tests/hbase/native_cluster.cc does it on HBase.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hbase/request_counts.h"
#include "server/raw_client_test.h"

namespace klip::client {
namespace {

class ClusterTest : public server::ServerTest {
 protected:
  ClusterTest() {
    Expected<std::unique_ptr<Connection>> opened =
        Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
    const std::vector<std::string> splits = {"g", "p"};
    EXPECT_TRUE(admin().CreateTable({.name = "t", .families = {{.name = "f"}}}, splits).ok());
  }

  Admin& admin() { return connection_->admin(); }

  std::unique_ptr<Connection> connection_;
};

TEST_F(ClusterTest, MetricsTellOfServersAndRegions) {
  const Expected<ClusterMetrics> metrics = admin().cluster().GetClusterMetrics();
  ASSERT_TRUE(metrics.ok()) << metrics.status().ToString();
  EXPECT_EQ(metrics->version, "2.6.4");
  EXPECT_EQ(metrics->cluster_id.size(), 36U);
  ASSERT_EQ(metrics->live_servers.size(), 1U);
  const ServerMetrics& server = metrics->live_servers[0];
  ASSERT_TRUE(metrics->active_master.has_value());
  EXPECT_EQ(metrics->active_master->port, server.name.port);
  EXPECT_NE(metrics->active_master, server.name) << "who counts servers takes the master off";
  EXPECT_EQ(server.name.port, rpc_port());
  EXPECT_GT(server.used_heap_bytes, 0);
  EXPECT_EQ(metrics->region_count(), 4);  // with hbase:meta
  EXPECT_EQ(metrics->average_load(), 4.0);
  EXPECT_TRUE(metrics->balancer_on);
}

TEST_F(ClusterTest, RegionsByRowAndName) {
  const Expected<std::vector<RegionInfo>> regions = admin().GetRegions("t");
  ASSERT_TRUE(regions.ok());
  ASSERT_EQ(regions->size(), 3U);
  EXPECT_EQ(regions->front().server.port, rpc_port());
  EXPECT_GT(regions->front().server.start_code, 0);
  const Expected<RegionInfo> located = admin().LocateRegion("t", "h");
  ASSERT_TRUE(located.ok()) << located.status().ToString();
  EXPECT_EQ(located->encoded_name, (*regions)[1].encoded_name);
  for (const std::string& name : {(*regions)[2].encoded_name, (*regions)[2].Name()}) {
    const Expected<RegionInfo> found = admin().GetRegion(name);
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    EXPECT_EQ(found->start_key, "p");
  }
  EXPECT_EQ(admin().GetRegion("nope").status().code(), Code::kDoNotRetry);
  EXPECT_EQ(admin().GetRegion("t,,1.nope.").status().code(), Code::kDoNotRetry);
  EXPECT_EQ(admin().LocateRegion("nope", "").status().code(), Code::kTableNotFound);
}

TEST_F(ClusterTest, MetricsOfATablesRegions) {
  Expected<std::unique_ptr<Table>> table = connection_->GetTable("t");
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE((*table)->Put(Put{.row = "a"}.Add("f", "q", std::string(100'000, 'v'))).ok());
  ASSERT_TRUE(admin().Flush("t").ok());
  const Expected<std::vector<RegionInfo>> regions = admin().GetRegions("t");
  const Expected<std::vector<RegionMetrics>> metrics = admin().GetRegionMetrics("t");
  ASSERT_TRUE(metrics.ok()) << metrics.status().ToString();
  ASSERT_EQ(metrics->size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*metrics)[i].name, (*regions)[i].Name());
  }
  EXPECT_EQ((*metrics)[0].store_files, 1);
  EXPECT_EQ((*metrics)[0].file_bytes, 1 << 20);  // in whole megabytes, as HBase tells them
  EXPECT_EQ((*metrics)[1].file_bytes, 0);
  ASSERT_TRUE(admin().DisableTable("t").ok());
  EXPECT_TRUE(admin().GetRegionMetrics("t")->empty());
}

TEST_F(ClusterTest, RegionsCountRequests) {
  ASSERT_TRUE(admin().CreateTable({.name = "counted", .families = {{.name = "f"}}}, {}).ok());
  EXPECT_EQ(CountedRequests(*connection_, "counted"), kCountedRequests);
  const std::vector<RegionMetrics> other = *admin().GetRegionMetrics("t");
  EXPECT_EQ(other[0].requests(), 0);
  const ServerMetrics server = admin().cluster().GetClusterMetrics()->live_servers[0];
  EXPECT_GT(server.requests, 20);
}

TEST_F(ClusterTest, HasNoTransactions) {
  EXPECT_EQ(connection_->Begin().status().ToString(),
            "Unsupported: transactions need an embedded store: a cluster commits rows one by one, and its other "
            "clients would see a "
            "transaction in parts");
}

TEST_F(ClusterTest, RegionsStayWhereTheyAre) {
  const RegionInfo region = admin().GetRegions("t")->front();
  EXPECT_TRUE(admin().MoveRegion(region.encoded_name).ok());
  EXPECT_TRUE(admin().MoveRegion(region.Name(), region.server).ok());
  EXPECT_EQ(admin().MoveRegion(region.encoded_name, ServerName{"elsewhere", 1, 2}).code(), Code::kDoNotRetry);
  EXPECT_EQ(admin().MoveRegion("nope").code(), Code::kDoNotRetry);
  EXPECT_TRUE(admin().AssignRegion(region.encoded_name).ok());
  EXPECT_EQ(admin().UnassignRegion(region.encoded_name).code(), Code::kUnsupported);
  EXPECT_EQ(admin().cluster().DecommissionServers({&region.server, 1}, false).code(), Code::kUnsupported);
  EXPECT_TRUE(admin().cluster().ListDecommissionedServers()->empty());
}

TEST_F(ClusterTest, SplitsOneRegion) {
  const RegionInfo region = admin().GetRegions("t")->front();
  EXPECT_EQ(admin().SplitRegion(region.encoded_name, "z").code(), Code::kDoNotRetry);
  const Status split = admin().SplitRegion(region.encoded_name, "c");
  ASSERT_TRUE(split.ok()) << split.ToString();
  EXPECT_EQ(admin().GetRegions("t")->size(), 4U);
}

TEST_F(ClusterTest, ServersOneByOne) {
  const ServerName self = admin().cluster().GetClusterMetrics()->live_servers[0].name;
  EXPECT_TRUE(admin().cluster().ListProcedures()->empty());
  EXPECT_TRUE(admin().cluster().ListLocks()->empty());
  EXPECT_EQ(*admin().servers().SetCompactions({}, false), (std::map<ServerName, bool>{{self, true}}));
  EXPECT_EQ(*admin().servers().SetCompactions({&self, 1}, true), (std::map<ServerName, bool>{{self, false}}));
  EXPECT_TRUE(admin().servers().GetSlowCalls()->empty());
  EXPECT_EQ(*admin().servers().ClearSlowCalls({}), (std::map<ServerName, bool>{{self, true}}));
  EXPECT_TRUE(admin().cluster().GetBalancerDecisions()->empty());
  EXPECT_TRUE(admin().cluster().GetBalancerRejections(5)->empty());
  EXPECT_TRUE(admin().servers().UpdateConfiguration({}).ok());
  EXPECT_TRUE(admin().quotas().ListQuotas()->empty());
  EXPECT_EQ(admin().quotas().SetQuota({.user = "u", .bypass_globals = true}).code(), Code::kUnsupported);
  EXPECT_TRUE(admin().quotas().GetSpaceQuotaTableSizes()->empty());
  EXPECT_TRUE(admin().quotas().GetSpaceQuotaStates()->empty());
  EXPECT_TRUE(admin().quotas().GetSpaceQuotaStates(self)->empty());
  const Status compacted = admin().servers().CompactServer(self, /*major=*/true);
  EXPECT_TRUE(compacted.ok()) << compacted.ToString();
  const std::vector<std::string> queues = {"long", "short"};
  EXPECT_TRUE(admin().servers().ClearCompactionQueues(self, queues).ok());
}

TEST_F(ClusterTest, WhatOneServerHasNot) {
  const ServerName self = admin().cluster().GetClusterMetrics()->live_servers[0].name;
  EXPECT_TRUE(*admin().cluster().RunHbckChore());
  EXPECT_EQ(*admin().cluster().GetSecurityCapabilities(), std::vector<std::string>{"SIMPLE_AUTHENTICATION"});
  EXPECT_TRUE(admin().quotas().GetSnapshotSizes()->empty());
  EXPECT_FALSE(*admin().quotas().SetExceedThrottleQuota(true));
  EXPECT_FALSE(*admin().quotas().SetExceedThrottleQuota(false));
  EXPECT_TRUE(admin().servers().RollWal(self).ok());
  EXPECT_TRUE(admin().cluster().FlushMasterStore().ok());
  EXPECT_EQ(admin().cluster().StopMaster().code(), Code::kUnsupported) << "this process stops it";
  EXPECT_EQ(admin().servers().StopServer(self).code(), Code::kUnsupported);
}

TEST_F(ClusterTest, TheTrackerOfFilesIsKept) {
  constexpr const char* kTracker = "hbase.store.file-tracker.impl";
  ASSERT_TRUE(admin().ModifyStoreFileTracker("t", "", "FILE").ok());
  EXPECT_EQ(admin().GetDescriptor("t")->attributes[kTracker], "FILE");
  ASSERT_TRUE(admin().ModifyStoreFileTracker("t", "f", "FILE").ok());  // as the table's is
  EXPECT_FALSE(admin().GetDescriptor("t")->Find("f")->configuration.contains(kTracker));
  ASSERT_TRUE(admin().ModifyStoreFileTracker("t", "f", "DEFAULT").ok());
  EXPECT_EQ(admin().GetDescriptor("t")->Find("f")->configuration.at(kTracker), "DEFAULT");
  EXPECT_EQ(admin().ModifyStoreFileTracker("t", "g", "FILE").code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(admin().ModifyStoreFileTracker("nope", "", "FILE").code(), Code::kTableNotFound);
}

// Missing peers, and groups, which klip does not have: the errors of an HBase without them.
TEST_F(ClusterTest, NoPeersAndNoGroups) {
  EXPECT_TRUE(admin().replication().ListReplicationPeers()->empty());
  for (const Status& status :
       {admin().replication().RemoveReplicationPeer("1"), admin().replication().EnableReplicationPeer("1"),
        admin().replication().DisableReplicationPeer("1"), admin().replication().UpdateReplicationPeerConfig("1", {}),
        admin().replication().GetReplicationPeerConfig("1").status()}) {
    EXPECT_EQ(status.code(), Code::kDoNotRetry) << status.ToString();
  }
  EXPECT_TRUE(admin().replication().DrainPeerModifications().ok());
  const std::vector<std::string> one = {"h:1"};
  RSGroupAdmin* const groups = *admin().rs_groups();
  for (const Status& status :
       {groups->ListRSGroups().status(), groups->GetRSGroup("g").status(), groups->GetRSGroupOfServer("h:1").status(),
        groups->GetRSGroupOfTable("t").status(), groups->AddRSGroup("g"), groups->RemoveRSGroup("g"),
        groups->RenameRSGroup("g", "h"), groups->UpdateRSGroupConfig("g", {}), groups->BalanceRSGroup("g").status(),
        groups->MoveToRSGroup("g", one, {}), groups->RemoveServersFromRSGroup(one)}) {
    EXPECT_EQ(status.code(), Code::kUnsupported);
    EXPECT_NE(status.message().find("RSGroupAdminService. Has it been enabled?"), std::string::npos)
        << status.ToString();
  }
}

TEST_F(ClusterTest, NobodyIsGrantedAnything) {
  EXPECT_EQ((*admin().security())->Grant({.user = "u", .actions = "R"}).code(), Code::kUnsupported);
  EXPECT_EQ((*admin().security())->Revoke({.user = "u", .actions = "", .table = "t"}).code(), Code::kUnsupported);
  EXPECT_EQ((*admin().security())->GetUserPermissions().status().code(), Code::kUnsupported);
  EXPECT_EQ((*admin().labels())->AddLabels(std::vector<std::string>{"a"}).code(), Code::kUnsupported);
  EXPECT_EQ((*admin().labels())->ListLabels().status().message(),
            "DISABLED: Visibility labels feature is not available");
  const auto table = *connection_->GetTable("t");
  Put put = {.row = "r"};
  put.Add("f", "q", "v");
  SetCellVisibility("a", &put.attributes);
  EXPECT_EQ(table->Put(put).code(), Code::kUnsupported);
  EXPECT_EQ(table->Put(std::vector<Put>{put}).code(), Code::kUnsupported);
  put.attributes = {{"mine", "x"}};
  EXPECT_TRUE(table->Put(put).ok());
  Delete del = {.row = "r"};
  ASSERT_TRUE(SetCellPermissions({{"u", "R"}}, &del.attributes).ok());
  EXPECT_EQ(table->Delete(del).code(), Code::kUnsupported);
  Get get = {.row = "r"};
  SetAuthorizations(std::vector<std::string>{"a"}, &get.attributes);
  EXPECT_TRUE(table->Get(get)->exists());
}

TEST_F(ClusterTest, TheBlockCacheIsEmptied) {
  const std::unique_ptr<Table> table = *connection_->GetTable("t");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(table->Put(Put{.row = "r" + std::to_string(i)}.Add("f", "q", std::string(1000, 'v'))).ok());
  }
  ASSERT_TRUE(admin().Flush("t").ok());
  ASSERT_TRUE(table->Get(Get{.row = "r50"}).ok());
  const auto evicted = admin().ClearBlockCache("t");
  ASSERT_TRUE(evicted.ok()) << evicted.status().ToString();
  EXPECT_GT(evicted->blocks, 0);
  EXPECT_GT(evicted->bytes, 0);
  EXPECT_GT(evicted->max_cache_bytes, evicted->bytes);
  EXPECT_EQ(admin().ClearBlockCache("t")->blocks, 0);
  EXPECT_EQ(admin().ClearBlockCache("nope").status().code(), Code::kTableNotFound);
}

TEST_F(ClusterTest, Switches) {
  for (const MasterSwitch which :
       {MasterSwitch::kSplit, MasterSwitch::kMerge, MasterSwitch::kBalancer, MasterSwitch::kNormalizer,
        MasterSwitch::kCatalogJanitor, MasterSwitch::kCleanerChore, MasterSwitch::kSnapshotCleanup,
        MasterSwitch::kRpcThrottle, MasterSwitch::kPeerModification}) {
    EXPECT_TRUE(*admin().cluster().IsSwitchOn(which));
    EXPECT_TRUE(*admin().cluster().SetSwitch(which, false));
    EXPECT_FALSE(*admin().cluster().IsSwitchOn(which));
    if (which == MasterSwitch::kBalancer) {
      EXPECT_FALSE(admin().cluster().Balance()->ran);
      EXPECT_FALSE(admin().cluster().GetClusterMetrics()->balancer_on);
    }
    EXPECT_FALSE(*admin().cluster().SetSwitch(which, true));
  }
  EXPECT_TRUE(admin().cluster().Balance()->ran);
  EXPECT_TRUE(*admin().cluster().Normalize());
  EXPECT_EQ(*admin().cluster().RunCatalogJanitor(), 0);
  EXPECT_TRUE(*admin().cluster().RunCleanerChore());
  EXPECT_FALSE(*admin().cluster().IsInMaintenanceMode());
}

// Exact where all rows fit into the samples, within a few per cent where the rate of change does not vary.
TEST_F(ClusterTest, StatisticsBySampling) {
  ASSERT_TRUE(
      admin()
          .CreateTable({.name = "s",
                        .families = {{.name = "f"}},
                        .attributes = {{std::string(RowKeySchema::kTableAttribute), "user:digits(4) day:digits(2)"}}},
                       std::vector<std::string>{"0020"})
          .ok());
  Expected<std::unique_ptr<Table>> table = connection_->GetTable("s");
  ASSERT_TRUE(table.ok());
  const auto fill = [&](int first_user, int users, int days) {
    std::vector<Put> puts;
    for (int i = 0; i < users * days; ++i) {
      std::string user = std::to_string(first_user + i / days);
      std::string day = std::to_string(10 + i % days);
      puts.push_back(Put{.row = std::string(4 - user.size(), '0') + user + day}.Add("f", "q", std::string(400, 'v')));
    }
    ASSERT_TRUE((*table)->Put(puts).ok());
  };
  fill(10, 20, 5);
  Expected<TableStatistics> statistics = (*table)->Statistics();
  ASSERT_TRUE(statistics.ok()) << statistics.status().ToString();
  EXPECT_EQ(statistics->rows, 100);
  EXPECT_EQ(statistics->cells, 100);
  ASSERT_EQ(statistics->fields.size(), 2U);
  EXPECT_EQ(statistics->fields[0].name, "user");
  EXPECT_EQ(statistics->fields[0].distinct_prefixes, 20);
  EXPECT_EQ(statistics->fields[1].distinct_prefixes, 100);

  fill(1000, 4000, 5);
  ASSERT_TRUE(admin().Flush("s").ok());
  statistics = (*table)->Statistics();
  ASSERT_TRUE(statistics.ok()) << statistics.status().ToString();
  EXPECT_NEAR(static_cast<double>(statistics->rows), 20'100, 5'000);
  EXPECT_NEAR(statistics->fields[0].distinct_prefixes / static_cast<double>(statistics->rows), 0.2, 0.02);
  EXPECT_NEAR(statistics->fields[1].distinct_prefixes / static_cast<double>(statistics->rows), 1, 0.02);

  Scan scan;
  scan.where = *(*table)->row_key_schema()->ParseQuery("day=12");
  const Expected<Explain> explain = (*table)->Explain(scan);
  ASSERT_TRUE(explain.ok()) << explain.status().ToString();
  EXPECT_TRUE(explain->has_statistics);
  EXPECT_NEAR(explain->estimated.rows_returned, 4'020, 1'500);
}

// Conditions on columns are tested by the servers: only the rows that match come here, without the columns that only the condition names.
TEST_F(ClusterTest, ConditionsOnColumnsAreSent) {
  ASSERT_TRUE(
      admin()
          .CreateTable({.name = "w",
                        .families = {{.name = "f"}},
                        .attributes = {{std::string(RowKeySchema::kTableAttribute), "user:digits(4) day:digits(2)"}}})
          .ok());
  Expected<std::unique_ptr<Table>> opened = connection_->GetTable("w");
  ASSERT_TRUE(opened.ok());
  Table& table = **opened;
  for (int i = 0; i < 40; ++i) {
    Put put = Put{.row = "00" + std::to_string(10 + i) + std::to_string(10 + i % 4)}.Add("f", "q", "v");
    if (i % 5 != 0) {
      put.Add("f", "n", BigEndian<int32_t>(i - 20));
    }
    ASSERT_TRUE(table.Put(put).ok());
  }
  const auto scanned = [&](const std::string& where) {
    const Scan scan = {.columns = {{"f", "q"}}, .where = *table.ParseQuery(where)};
    auto rows = table.Scan(scan);
    std::string out = rows.ok() ? "" : rows.status().ToString();
    for (Result row; rows.ok() && *(*rows)->Next(&row);) {
      out += std::string(row.row()) + (row.size() == 1 ? " " : "! ");
    }
    return out;
  };
  EXPECT_EQ(scanned("day=12 f:n::i32>=-2 f:n::i32<7"), "002812 003212 003612 ");
  EXPECT_EQ(scanned("user=0012,0013,0015 f:n::i32!=-17"), "001212 ");
  EXPECT_EQ(scanned("user<0020 f:n!=*"), "001010 001511 ");
  EXPECT_EQ(*table.CountRows({.where = *table.ParseQuery("user<0020 f:n!=*")}), 2);
  EXPECT_EQ(*table.CountRows({.where = *table.ParseQuery("day=12 f:q=v")}), 10);
  EXPECT_NE(scanned("day=12 OR f:n::i32=3").find("no server has a filter for that"), std::string::npos);
}

}  // namespace
}  // namespace klip::client
