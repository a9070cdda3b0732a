// klip status: the servers of a cluster, and what they are doing.
#include "cli/command.h"
#include "cli/printer.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

struct Sums {
  int64_t file_bytes = 0;
  int64_t memstore_bytes = 0;
};
Sums SumsOf(const ServerMetrics& server) {
  Sums sums;
  for (const RegionMetrics& region : server.regions) {
    sums.file_bytes += region.file_bytes;
    sums.memstore_bytes += region.memstore_bytes;
  }
  return sums;
}

void PrintText(const Console& console, const ClusterMetrics& metrics) {
  console.Print("version          {}\n", metrics.version);
  console.Print("cluster id       {}\n", metrics.cluster_id.empty() ? "none: never served" : metrics.cluster_id);
  console.Print("active master    {}\n",
                metrics.active_master.has_value() ? metrics.active_master->ToString() : "none");
  for (const ServerName& server : metrics.backup_masters) {
    console.Print("backup master    {}\n", server.ToString());
  }
  console.Print("balancer         {}\n", metrics.balancer_on ? "on" : "off");
  console.Print("servers          {} live, {} dead\n", metrics.live_servers.size(), metrics.dead_servers.size());
  for (const ServerName& server : metrics.dead_servers) {
    console.Print("dead             {}\n", server.ToString());
  }
  console.Print("regions          {}, {:.2f} a server, {} in transition\n", FormatCount(metrics.region_count()),
                metrics.average_load(), metrics.regions_in_transition.size());
  for (const RegionInTransition& region : metrics.regions_in_transition) {
    console.Print("in transition    {}  {}\n", ToStringBinary(region.region), region.state);
  }
  for (const ServerMetrics& server : metrics.live_servers) {
    const Sums sums = SumsOf(server);
    console.Print("\n{}\n", console.Bold(server.name.ToString()));
    console.Print("  regions        {}\n", FormatCount(static_cast<int64_t>(server.regions.size())));
    console.Print("  requests       {} a second, {} in all\n", FormatCount(server.requests_per_second),
                  FormatCount(server.requests));
    console.Print("  files          {}\n", FormatBytes(sums.file_bytes));
    console.Print("  memstores      {}\n", FormatBytes(sums.memstore_bytes));
    console.Print("  heap           {}{}\n", FormatBytes(server.used_heap_bytes),
                  server.max_heap_bytes > 0 ? " of " + FormatBytes(server.max_heap_bytes) : "");
  }
}

Json NamesOf(const std::vector<ServerName>& servers) {
  Json names = Json::array();
  for (const ServerName& server : servers) {
    names.push_back(server.ToString());
  }
  return names;
}

Json ToJson(const RegionMetrics& region) {
  return {{"name", ToStringBinary(region.name)},     {"stores", region.stores},
          {"store_files", region.store_files},       {"file_bytes", region.file_bytes},
          {"memstore_bytes", region.memstore_bytes}, {"read_requests", region.read_requests},
          {"write_requests", region.write_requests}, {"compaction", CompactionStateName(region.compaction)},
          {"data_locality", region.data_locality}};
}

Json ToJson(const ClusterMetrics& metrics) {
  Json servers = Json::array();
  for (const ServerMetrics& server : metrics.live_servers) {
    Json regions = Json::array();
    for (const RegionMetrics& region : server.regions) {
      regions.push_back(ToJson(region));
    }
    servers.push_back({{"name", server.name.ToString()},
                       {"requests_per_second", server.requests_per_second},
                       {"requests", server.requests},
                       {"used_heap_bytes", server.used_heap_bytes},
                       {"max_heap_bytes", server.max_heap_bytes},
                       {"regions", std::move(regions)}});
  }
  Json transitions = Json::array();
  for (const RegionInTransition& region : metrics.regions_in_transition) {
    transitions.push_back(
        {{"region", ToStringBinary(region.region)}, {"state", region.state}, {"since_ms", region.since_ms}});
  }
  return {{"version", metrics.version},
          {"cluster_id", metrics.cluster_id},
          {"active_master", metrics.active_master.has_value() ? Json(metrics.active_master->ToString()) : Json()},
          {"backup_masters", NamesOf(metrics.backup_masters)},
          {"balancer_on", metrics.balancer_on},
          {"average_load", metrics.average_load()},
          {"live_servers", std::move(servers)},
          {"dead_servers", NamesOf(metrics.dead_servers)},
          {"regions_in_transition", std::move(transitions)}};
}

}  // namespace

Run AddStatusCommand(Arguments* args) {
  struct Options {
    std::string store;
    bool json = false;
  };
  auto status = std::make_shared<Options>();
  args->Add("STORE", &status->store,
            "a directory, klip:DIRECTORY, or a cluster: hbase+rpc://HOST:PORT, hbase+zk://HOST:PORT")
      .Required();
  args->AddFlag("--json", &status->json, "one JSON object, with every region's load");
  return [status](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(status->store));
    KLIP_ASSIGN_OR_RETURN(const ClusterMetrics metrics, connection->admin().GetClusterMetrics());
    if (status->json) {
      console.Write(ToJson(metrics).dump() + "\n");
    } else {
      PrintText(console, metrics);
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
