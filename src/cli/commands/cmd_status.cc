// klip status: the servers of a cluster, and what they are doing.
#include "cli/command.h"
#include "cli/descriptor_text.h"
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
    console.Print("  requests       {} a second, {} in total\n", FormatCount(server.requests_per_second),
                  FormatCount(server.requests));
    console.Print("  files          {}\n", FormatBytes(sums.file_bytes));
    console.Print("  memstores      {}\n", FormatBytes(sums.memstore_bytes));
    if (!server.coprocessors.empty()) {
      console.Print("  coprocessors   {}\n", fmt::join(server.coprocessors, ", "));
    }
    console.Print("  heap           {}{}\n", FormatBytes(server.used_heap_bytes),
                  server.max_heap_bytes > 0 ? " of " + FormatBytes(server.max_heap_bytes) : "");
  }
}

// Prints nothing if no table has an index.
Expected<int> PrintIndexes(const Console& console, Admin& admin) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> tables, admin.ListTables());
  bool any = false;
  for (const TableDescriptor& table : tables) {
    for (const IndexText& index : IndexesOf(table)) {
      console.Print("{}", any ? "" : "\n" + console.Bold("indexes") + "\n");
      console.Print("  {}  {} {}{}\n", table.name, index.name, index.state(),
                    index.building ? ": klip index create or rebuild resumes it" : "");
      any = true;
    }
  }
  return kExitOk;
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
    KLIP_ASSIGN_OR_RETURN(const ClusterMetrics metrics, connection->admin().cluster().GetClusterMetrics());
    if (status->json) {
      console.Write(ToJson(metrics) + "\n");
    } else {
      PrintText(console, metrics);
      return PrintIndexes(console, connection->admin());
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
