#include "server/cluster_messages.h"

#include <algorithm>
#include <string>

#include "klip/bytes.h"
#include "rpc/schema_messages.h"

namespace klip::server {
namespace {

constexpr int64_t kMegabyte = 1 << 20;
constexpr const char* kHBaseVersion = "2.6.4";  // whose protocol this is

void FillServerLoad(Node* node, hbase::pb::ServerLoad* load) {
  load->set_number_of_requests(0);
  load->set_total_number_of_requests(0);
  load->set_used_heap_mb(0);
  load->set_max_heap_mb(0);
  load->set_info_server_port(0);
  load->set_report_start_time(static_cast<uint64_t>(node->self.start_code));
  load->set_report_end_time(static_cast<uint64_t>(node->NowMs()));
  FillRegionLoads(node, "", load->mutable_region_loads());
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

void FillRegionLoad(const TableRegions& table, const ServedRegion& region, int64_t size_bytes,
                    hbase::pb::RegionLoad* load) {
  load->mutable_region_specifier()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  load->mutable_region_specifier()->set_value(region.name);
  const auto megabytes = static_cast<uint32_t>((size_bytes + kMegabyte - 1) / kMegabyte);
  load->set_stores(static_cast<uint32_t>(table.view->families.size()));
  load->set_storefiles(size_bytes > 0 ? static_cast<uint32_t>(table.view->families.size()) : 0);
  load->set_store_uncompressed_size_mb(megabytes);
  load->set_storefile_size_mb(megabytes);
  load->set_mem_store_size_mb(0);
  load->set_region_size_mb(megabytes);
  load->set_data_locality(1.0F);
  load->set_compaction_state(hbase::pb::RegionLoad::NONE);
}

void FillRegionLoads(Node* node, const std::string& wanted,
                     google::protobuf::RepeatedPtrField<hbase::pb::RegionLoad>* loads) {
  if (wanted.empty() || wanted == kMetaTable) {
    hbase::pb::RegionLoad* meta = loads->Add();
    meta->mutable_region_specifier()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    meta->mutable_region_specifier()->set_value(std::string(kMetaRegion));
    meta->set_stores(static_cast<uint32_t>(rpc::MetaDescriptor().families.size()));
    meta->set_data_locality(1.0F);
  }
  for (const std::string& name : node->regions.Tables()) {
    if (!wanted.empty() && name != wanted) {
      continue;
    }
    const Expected<TableRegionsPtr> table = node->regions.Of(name);
    if (!table.ok() || !(*table)->view->enabled) {
      continue;
    }
    engine::Store& store = *node->embedded->shared().store;
    for (const ServedRegion& region : (*table)->regions) {
      FillRegionLoad(**table, region, store.ApproximateBytes(*(*table)->view, region.start_key, region.end_key),
                     loads->Add());
    }
  }
}

void FillClusterStatus(Node* node, const std::set<int>& options, hbase::pb::ClusterStatus* status) {
  const auto wants = [&options](hbase::pb::Option option) { return options.empty() || options.contains(option); };
  if (wants(hbase::pb::HBASE_VERSION)) {
    status->mutable_hbase_version()->set_version(kHBaseVersion);
  }
  if (wants(hbase::pb::CLUSTER_ID)) {
    status->mutable_cluster_id()->set_cluster_id(node->cluster_id);
  }
  if (wants(hbase::pb::LIVE_SERVERS)) {
    hbase::pb::LiveServerInfo* server = status->add_live_servers();
    FillServerName(node->self, server->mutable_server());
    FillServerLoad(node, server->mutable_server_load());
  }
  if (wants(hbase::pb::MASTER)) {
    FillServerName(node->self, status->mutable_master());
  }
  if (wants(hbase::pb::BALANCER_ON)) {
    status->set_balancer_on(node->switches.balancer);
  }
  status->set_master_info_port(0);
  if (wants(hbase::pb::SERVERS_NAME)) {
    FillServerName(node->self, status->add_servers_name());
  }
  if (wants(hbase::pb::TABLE_TO_REGIONS_COUNT)) {
    FillTableCounts(node, status);
  }
}

}  // namespace klip::server
