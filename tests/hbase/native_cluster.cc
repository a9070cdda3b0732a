#include "hbase/native_cluster.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "hbase/index_history.h"
#include "hbase/request_counts.h"
#include "klip/connection.h"
#include "klip/index.h"

namespace klip::ops {
namespace {

// Counts and prints the failed checks.
class Steps {
 public:
  void Expect(bool holds, const std::string& what) {
    ++steps_;
    if (!holds) {
      ++failures_;
      printf("cluster: not so: %s\n", what.c_str());
    }
  }
  void ExpectOk(const Status& status, const std::string& what) { Expect(status.ok(), what + ": " + status.ToString()); }

  size_t steps() const { return steps_; }
  size_t failures() const { return failures_; }

 private:
  size_t steps_ = 0;
  size_t failures_ = 0;
};

void CheckMetrics(Admin& admin, Steps* steps) {
  const Expected<ClusterMetrics> metrics = admin.cluster().GetClusterMetrics();
  steps->ExpectOk(metrics.status(), "metrics");
  if (!metrics.ok()) {
    return;
  }
  steps->Expect(metrics->version.starts_with("2.6.4"), "version " + metrics->version);
  steps->Expect(metrics->cluster_id.size() == 36, "cluster id " + metrics->cluster_id);
  steps->Expect(metrics->active_master.has_value(), "there is a master");
  steps->Expect(metrics->live_servers.size() == 1 && metrics->dead_servers.empty(), "one live server");
  steps->Expect(metrics->live_servers[0].max_heap_bytes > 0, "its heap");
  steps->Expect(metrics->live_servers[0].replication_sink.has_value(), "its replication sink");
  steps->Expect(metrics->balancer_on, "the balancer is on");
}

void CheckRegions(Admin& admin, Table& table, Steps* steps) {
  const RegionInfo region = admin.GetRegions("moved")->front();
  steps->Expect(region.server.start_code > 0, "a region's server " + region.server.ToString());
  steps->Expect(admin.GetRegion(region.encoded_name)->Name() == region.Name(), "a region by its encoded name");
  steps->Expect(admin.GetRegion("0123456789abcdef0123456789abcdef").status().code() == Code::kDoNotRetry,
                "none of that name");
  steps->Expect(admin.GetRegionMetrics("moved")->size() == 2, "two regions are served");

  steps->ExpectOk(admin.MoveRegion(region.encoded_name), "move to any server");
  steps->ExpectOk(admin.MoveRegion(region.Name(), region.server), "move to its own server");
  steps->ExpectOk(admin.UnassignRegion(region.Name()), "unassign");
  steps->Expect(admin.GetRegionMetrics("moved")->size() == 1, "one region is served");
  steps->ExpectOk(admin.AssignRegion(region.encoded_name), "assign");
  const Expected<Result> row = table.Get(Get{.row = "a"});
  steps->Expect(row.ok() && !row->empty(), "its rows are there again");
  steps->ExpectOk(admin.MoveRegion("1588230740"), "move hbase:meta");
  steps->Expect(admin.LocateRegion("moved", "z")->start_key == "m", "where a row is");

  steps->ExpectOk(admin.FlushRegion(region.encoded_name), "flush a region");
  steps->ExpectOk(admin.CompactRegion(region.encoded_name, /*major=*/true), "compact a region");
  steps->Expect(admin.GetRegionMetrics("moved")->front().store_files == 1, "one file");
  steps->ExpectOk(admin.SplitRegion(region.encoded_name, "f"), "split a region");
  steps->Expect(admin.GetRegions("moved")->size() == 3, "three regions");
}

// HBase's master also watches ZooKeeper for decommissioned servers (DrainingServerTracker): when it reads the state before the
// end, it lists the server again, for good, and assigns nothing to it. So the end is asked for until it holds.
bool StaysRecommissioned(Admin& admin, const ServerName& server) {
  constexpr auto kHolds = std::chrono::seconds(2);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < deadline) {
    const Expected<std::vector<ServerName>> listed = admin.cluster().ListDecommissionedServers();
    if (listed.ok() && listed->empty()) {
      if (std::chrono::steady_clock::now() - since >= kHolds) {
        return true;
      }
    } else {
      (void)admin.cluster().RecommissionServer(server, {});
      since = std::chrono::steady_clock::now();
    }
  }
  return false;
}

void CheckSwitches(Admin& admin, Steps* steps) {
  steps->Expect(admin.cluster().Balance()->ran, "the balancer runs");
  steps->Expect(*admin.cluster().SetSwitch(MasterSwitch::kBalancer, false), "the balancer was on");
  steps->Expect(!admin.cluster().Balance()->ran, "it does not run while it is off");
  steps->Expect(!*admin.cluster().SetSwitch(MasterSwitch::kBalancer, true), "it was off");
  for (const MasterSwitch which :
       {MasterSwitch::kSplit, MasterSwitch::kMerge, MasterSwitch::kNormalizer, MasterSwitch::kCatalogJanitor,
        MasterSwitch::kCleanerChore, MasterSwitch::kSnapshotCleanup, MasterSwitch::kPeerModification}) {
    const bool before = *admin.cluster().IsSwitchOn(which);
    const std::string name = "switch " + std::to_string(static_cast<int>(which));
    steps->Expect(*admin.cluster().SetSwitch(which, !before) == before, name + " tells what it was");
    steps->Expect(*admin.cluster().IsSwitchOn(which) == !before, name + " changes");
    steps->Expect(*admin.cluster().SetSwitch(which, before) == !before, name + " changes back");
  }
  steps->ExpectOk(admin.cluster().Normalize().status(), "normalize");
  steps->ExpectOk(admin.cluster().RunCatalogJanitor().status(), "catalog janitor");
  steps->ExpectOk(admin.cluster().RunCleanerChore().status(), "cleaner chore");
  steps->Expect(!*admin.cluster().IsInMaintenanceMode(), "no maintenance mode");
  const std::vector<ServerName> server = {admin.cluster().GetClusterMetrics()->live_servers[0].name};
  steps->ExpectOk(admin.cluster().DecommissionServers(server, /*offload=*/false), "decommission");
  steps->Expect(*admin.cluster().ListDecommissionedServers() == server, "the server is decommissioned");
  steps->ExpectOk(admin.cluster().RecommissionServer(server[0], {}), "recommission");
  steps->Expect(StaysRecommissioned(admin, server[0]), "none is decommissioned");
  steps->ExpectOk(admin.cluster().ClearDeadServers({}).status(), "clear dead servers");
}

void CheckServers(Admin& admin, Steps* steps) {
  const ServerName server = admin.cluster().GetClusterMetrics()->live_servers[0].name;
  const auto made_a_table = [](const ProcedureInfo& one) {
    return one.class_name.ends_with("CreateTableProcedure") && one.state == "SUCCESS" && one.submitted_ms > 0 &&
           std::ranges::find(one.state_types, "CreateTableStateData") != one.state_types.end();
  };
  const Expected<std::vector<ProcedureInfo>> procedures = admin.cluster().ListProcedures();
  steps->Expect(procedures.ok() && std::ranges::any_of(*procedures, made_a_table), "a procedure made the table");
  steps->ExpectOk(admin.cluster().ListLocks().status(), "list locks");
  const std::map<ServerName, bool> on = {{server, true}};
  const std::map<ServerName, bool> off = {{server, false}};
  steps->Expect(*admin.servers().SetCompactions({}, false) == on, "compactions were on");
  steps->Expect(*admin.servers().SetCompactions({&server, 1}, true) == off, "they were off");
  const Expected<CacheEviction> evicted = admin.ClearBlockCache("moved");
  steps->Expect(evicted.ok() && evicted->max_cache_bytes > 0, "a block cache is cleared");
  steps->Expect(admin.servers().GetSlowCalls()->empty(), "slow calls are not kept");
  steps->Expect(*admin.servers().ClearSlowCalls({}) == off, "and not cleared");
  steps->Expect(admin.cluster().GetBalancerDecisions(10)->empty(), "nor decisions of the balancer");
  steps->Expect(admin.cluster().GetBalancerRejections()->empty(), "nor rejections");
  steps->ExpectOk(admin.servers().UpdateConfiguration({}), "update the configuration");
  steps->ExpectOk(admin.servers().RollWal(server), "roll the log");
  steps->ExpectOk(admin.cluster().FlushMasterStore(), "flush the master's store");
  steps->Expect(*admin.cluster().RunHbckChore(), "the chore of hbck runs");
  steps->Expect(*admin.cluster().GetSecurityCapabilities() == std::vector<std::string>{"SIMPLE_AUTHENTICATION"},
                "simple");
  steps->Expect(!*admin.quotas().SetExceedThrottleQuota(true), "there are no quotas to exceed");
  steps->Expect(admin.quotas().GetSnapshotSizes()->empty(), "nor sizes of snapshots");
  steps->ExpectOk(admin.ModifyStoreFileTracker("moved", "", "FILE"), "change the tracker of files");
  steps->Expect(admin.GetDescriptor("moved")->attributes["hbase.store.file-tracker.impl"] == "FILE", "it is kept");
  steps->Expect(admin.quotas().ListQuotas()->empty(), "no quotas");
  steps->Expect(!admin.quotas().SetQuota({.user = "u", .bypass_globals = true}).ok(), "quotas are not enabled");
  steps->ExpectOk(admin.servers().CompactServer(server, /*major=*/true), "compact a server");
  steps->ExpectOk(admin.servers().CompactServer(server, /*major=*/false), "compact a server");
  const std::vector<std::string> queues = {"long", "short"};
  steps->ExpectOk(admin.servers().ClearCompactionQueues(server, queues), "clear compaction queues");
  const std::vector<std::string> no_queues = {"wide"};
  steps->Expect(!admin.servers().ClearCompactionQueues(server, no_queues).ok(), "there is no such queue");
}

// What an HBase without peers and groups says. compat/shell has those of one that has them.
void CheckPeersAndGroups(Admin& admin, Steps* steps) {
  const auto refused = [&](const Status& status, Code code, std::string_view text) {
    steps->Expect(status.code() == code && status.message().find(text) != std::string::npos,
                  std::string(text) + " in " + status.ToString());
  };
  steps->Expect(admin.replication().ListReplicationPeers()->empty(), "no peers");
  refused(admin.replication().GetReplicationPeerConfig("1").status(), Code::kDoNotRetry,
          "ReplicationPeerNotFoundException");
  refused(admin.replication().RemoveReplicationPeer("1"), Code::kDoNotRetry, "1");
  refused(admin.replication().EnableReplicationPeer("1"), Code::kDoNotRetry, "1");
  refused(admin.replication().AddReplicationPeer("1-2", {.cluster_key = "h:1:/h"}), Code::kDoNotRetry, "1-2");
  steps->ExpectOk(admin.replication().DrainPeerModifications(), "no changes of peers are under way");
  constexpr std::string_view kNoGroups =
      "No registered Master Coprocessor Endpoint found for RSGroupAdminService. Has it been enabled?";
  refused((*admin.rs_groups())->ListRSGroups().status(), Code::kUnsupported, kNoGroups);
  refused((*admin.rs_groups())->AddRSGroup("g"), Code::kUnsupported, kNoGroups);
}

void CheckZooKeeper(Admin& admin, bool by_zookeeper, Steps* steps) {
  const Expected<std::string> dump = admin.cluster().DumpZooKeeper();
  if (!by_zookeeper) {
    steps->Expect(dump.status().code() == Code::kUnsupported, "no ZooKeeper by the RPC registry");
    return;
  }
  steps->ExpectOk(dump.status(), "dump of ZooKeeper");
  if (!dump.ok()) {
    return;
  }
  const std::string server = admin.cluster().GetClusterMetrics()->live_servers[0].name.ToString();
  steps->Expect(dump->starts_with("HBase is rooted at /hbase\nActive master address:\n " +
                                  admin.cluster().GetClusterMetrics()->active_master->ToString() + "\n"),
                "its master: " + *dump);
  steps->Expect(dump->find("\nRegion server holding hbase:meta:\n " + server + "\nRegion servers:\n " + server +
                           "\n") != std::string::npos,
                "its servers: " + *dump);
  steps->Expect(dump->find("\nQuorum Server Statistics:\n ") != std::string::npos, "its quorum: " + *dump);
}

// An index that clients keep: what it finds after random writes, and that it is whole. Random writes: each answer by the
// index must equal the one without it.
void CheckIndex(Connection& connection, bool pairs, Steps* steps) {
  Admin& admin = connection.admin();
  steps->ExpectOk(admin.CreateTable({.name = "indexed", .families = {{.name = "f"}, {.name = "g"}}}, {}), "create");
  const std::unique_ptr<Table> table = *connection.GetTable("indexed");
  client::IndexHistory history(11, pairs);
  for (int write = 0; write < 100; ++write) {
    steps->ExpectOk(history.Write(table.get()), "a write before");
  }
  IndexAdmin* const indexes = *admin.indexes();
  const char* const declaration = pairs ? "f:a text, g:c text" : "f:a text HISTORY";
  steps->ExpectOk(indexes->CreateIndex("indexed", *IndexDescriptor::Parse("by_a", declaration)), "create index");
  const auto scan_of = [&](const std::string& a, const std::string& c) {
    return Scan{.filter =
                    pairs ? FilterList(ListOperator::kMustPassAll, {client::ValueIs(a), client::ValueIs(c, "g", "c")})
                          : client::ValueIs(a)};
  };
  for (int write = 0; write < 300; ++write) {
    steps->ExpectOk(history.Write(table.get()), "a write");
    if (write % 100 == 50) {
      steps->ExpectOk(admin.Flush("indexed"), "flush");
    }
    const std::string a = history.Value();
    const std::string c = history.Value();
    const std::string rows = client::RowsByScan(table.get(), scan_of(a, c));
    const std::string expected = pairs ? client::RowsWithPair(table.get(), a, c) : client::RowsWith(table.get(), a);
    steps->Expect(rows == expected, "by index " + rows);
    const Scan past = client::RandomPastScan(&history);
    const std::string then = client::RowsByScan(table.get(), past);
    steps->Expect(then == client::RowsByScan(table.get(), client::WithoutIndex(past)), "of older versions " + then);
    steps->Expect(pairs || table->Explain(past)->index == "by_a", "the plan of older versions is the index");
  }
  steps->Expect(table->Explain(scan_of("a", "a"))->index == "by_a", "the plan is the index");
  const Expected<IndexCheck> check = indexes->VerifyIndex("indexed", "by_a", /*repair=*/true);
  steps->ExpectOk(check.status(), "verify");
  steps->Expect(check.ok() && check->missing == 0 && check->rows > 10, "no entry is missing");
  steps->Expect(!table->Increment(Increment{.row = "r"}.Add("f", "a", 1)).ok(), "no increment of an indexed column");
  steps->ExpectOk(admin.DisableTable("indexed"), "disable");
  steps->ExpectOk(admin.DeleteTable("indexed"), "drop");
  steps->Expect(!*admin.TableExists("indexed.klip_index.by_a"), "the index goes with its table");
}

}  // namespace

size_t CheckCluster(const std::string& uri) {
  Steps steps;
  Expected<std::unique_ptr<Connection>> connection = Connection::Open(uri);
  steps.ExpectOk(connection.status(), uri);
  if (!connection.ok()) {
    return steps.failures();
  }
  Admin& admin = (*connection)->admin();
  CheckMetrics(admin, &steps);
  const std::vector<std::string> splits = {"m"};
  steps.ExpectOk(admin.CreateTable({.name = "moved", .families = {{.name = "f"}}}, splits), "create");
  Expected<std::unique_ptr<Table>> table = (*connection)->GetTable("moved");
  steps.ExpectOk(table.status(), "table");
  if (table.ok()) {
    steps.ExpectOk((*table)->Put(Put{.row = "a"}.Add("f", "q", "v")), "put");
    CheckRegions(admin, **table, &steps);
  }
  steps.ExpectOk(admin.CreateTable({.name = "counted", .families = {{.name = "f"}}}, {}), "create");
  const std::string counted = client::CountedRequests(**connection, "counted");
  steps.Expect(counted == client::kCountedRequests, "requests are counted:" + counted);
  CheckSwitches(admin, &steps);
  CheckServers(admin, &steps);
  CheckPeersAndGroups(admin, &steps);
  CheckIndex(**connection, /*pairs=*/false, &steps);
  CheckIndex(**connection, /*pairs=*/true, &steps);
  CheckZooKeeper(admin, uri.starts_with("hbase+zk:"), &steps);
  for (const char* made : {"moved", "counted"}) {
    steps.ExpectOk(admin.DisableTable(made), "disable");
    steps.ExpectOk(admin.DeleteTable(made), "drop");
  }
  printf("servers and regions on %s: %zu of %zu steps as expected\n", uri.c_str(), steps.steps() - steps.failures(),
         steps.steps());
  return steps.failures();
}

}  // namespace klip::ops
