#include "server/node/cluster_messages.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/process.h"
#include "rpc/cluster_messages.h"
#include "rpc/schema_messages.h"

namespace klip::server {
namespace {

// With HBase's names: Java classes without packages, each once; and WebAssembly modules. HBase's message has no field for
// those that are not loaded, so their tables follow as further names.
std::set<std::string> LoadedCoprocessors(const Node& node) {
  std::set<std::string> names;
  if (node.coprocessors != nullptr) {
    for (const coprocessor::OpenRegionPtr& region : node.coprocessors->OpenRegions()) {
      for (const coprocessor::LoadedClass& loaded : region->loaded) {
        names.insert(loaded.name.substr(loaded.name.find_last_of(".$") + 1));
      }
    }
  }
  if (node.coprocessors != nullptr) {
    for (const coprocessor::Unloaded& table : node.coprocessors->UnloadedTables()) {
      names.insert("NOT LOADED, so table " + table.table + " is closed: " + table.why);
    }
  }
  if (const auto& modules = node.embedded->shared().settings.attached->modules; modules != nullptr) {
    for (std::string& name : modules->Loaded()) {
      names.insert(std::move(name));
    }
    for (const auto& [table, why] : modules->NotLoaded()) {
      names.insert("NOT LOADED, so table " + table + " is closed: " + why);
    }
  }
  return names;
}

void FillServerLoad(Node* node, hbase::pb::ServerLoad* load) {
  FillRegionLoads(node, "", load->mutable_region_loads());
  load->set_number_of_requests(static_cast<uint64_t>(node->metrics.calls_per_second));
  load->set_total_number_of_requests(static_cast<uint64_t>(node->metrics.calls));
  load->set_used_heap_mb(static_cast<uint32_t>(base::ResidentBytes() >> 20));
  load->set_max_heap_mb(static_cast<uint32_t>(node->max_memory_bytes >> 20));
  load->set_info_server_port(0);
  load->set_report_start_time(static_cast<uint64_t>(node->self.start_code));
  load->set_report_end_time(static_cast<uint64_t>(node->NowMs()));
  for (const std::string& name : LoadedCoprocessors(*node)) {
    load->add_coprocessors()->set_name(name);
  }
  for (const replication::Sources::Told& source : node->sources->Tell()) {
    rpc::FillReplicationSource(source.metrics, load->add_replloadsource());
  }
  hbase::pb::ReplicationLoadSink* sink = load->mutable_replloadsink();
  const int64_t last_applied_ms = node->sink.last_applied_ms;
  sink->set_timestampstarted(static_cast<uint64_t>(node->self.start_code));
  sink->set_timestampsoflastappliedop(static_cast<uint64_t>(std::max(node->self.start_code, last_applied_ms)));
  sink->set_ageoflastappliedop(static_cast<uint64_t>(node->sink.age_ms));
  sink->set_totalopsprocessed(static_cast<uint64_t>(node->sink.cells));
}

void FillTableCounts(Node* node, hbase::pb::ClusterStatus* status) {
  for (const std::string& name : node->regions.Tables()) {
    const Expected<TableRegionsPtr> table = node->regions.Of(name);
    if (!table.ok()) {
      continue;
    }
    hbase::pb::TableRegionStatesCount* count = status->add_table_region_states_count();
    FillTableName(name, count->mutable_table_name());
    const auto regions = static_cast<uint32_t>((*table)->regions.size());
    const bool enabled = (*table)->view->enabled;
    hbase::pb::RegionStatesCount* states = count->mutable_region_states_count();
    states->set_open_regions(enabled ? regions : 0);
    states->set_split_regions(0);
    states->set_closed_regions(enabled ? 0 : regions);
    states->set_regions_in_transition(0);
    states->set_total_regions(regions);
  }
}

}  // namespace

void FillRegionLoads(Node* node, const std::string& wanted,
                     google::protobuf::RepeatedPtrField<hbase::pb::RegionLoad>* loads) {
  if (wanted.empty() || wanted == kMetaTable) {
    hbase::pb::RegionLoad* meta = loads->Add();
    meta->mutable_region_specifier()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    meta->mutable_region_specifier()->set_value(std::string(kMetaRegion));
    meta->set_stores(static_cast<uint32_t>(rpc::MetaDescriptor().families.size()));
    meta->set_data_locality(1.0F);
  }
  for (const std::string& table : wanted.empty() ? node->regions.Tables() : std::vector<std::string>{wanted}) {
    Expected<std::vector<RegionMetrics>> regions = node->admin().GetRegionMetrics(table);
    if (!regions.ok()) {
      continue;
    }
    const Expected<TableRegionsPtr> served = node->regions.Of(table);
    for (RegionMetrics& region : *regions) {
      if (const ServedRegion* counted = served.ok() ? (*served)->Named(region.name) : nullptr; counted != nullptr) {
        region.read_requests = counted->requests->reads;
        region.filtered_read_requests = counted->requests->filtered_reads;
        region.write_requests = counted->requests->writes;
      }
      region.compaction = node->compactor.StateOf(table);
      region.last_major_compaction_ms = node->compactor.LastMajorMs(table);
      rpc::FillRegionLoad(region, loads->Add());
    }
  }
}

Status FillClusterStatus(Node* node, const std::set<int>& options, hbase::pb::ClusterStatus* status) {
  const auto wants = [&options](hbase::pb::Option option) { return options.empty() || options.contains(option); };
  if (wants(hbase::pb::HBASE_VERSION)) {
    status->mutable_hbase_version()->set_version(kHBaseVersion);
  }
  if (wants(hbase::pb::CLUSTER_ID)) {
    status->mutable_cluster_id()->set_cluster_id(node->cluster_id);
  }
  if (wants(hbase::pb::LIVE_SERVERS)) {
    hbase::pb::LiveServerInfo* live = status->add_live_servers();
    FillServerName(node->self, live->mutable_server());
    FillServerLoad(node, live->mutable_server_load());
  }
  if (wants(hbase::pb::MASTER)) {
    FillServerName(MasterName(node->self), status->mutable_master());
  }
  if (wants(hbase::pb::BALANCER_ON)) {
    KLIP_ASSIGN_OR_RETURN(const bool on, node->admin().cluster().IsSwitchOn(MasterSwitch::kBalancer));
    status->set_balancer_on(on);
  }
  status->set_master_info_port(0);
  if (wants(hbase::pb::SERVERS_NAME)) {
    FillServerName(node->self, status->add_servers_name());
  }
  if (wants(hbase::pb::TABLE_TO_REGIONS_COUNT)) {
    FillTableCounts(node, status);
  }
  return Status::Ok();
}

}  // namespace klip::server
