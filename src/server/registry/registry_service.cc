// ClientMetaService: the locations of master and hbase:meta, for clients that do not use ZooKeeper.
#include "proto/Registry.pb.h"
#include "server/node/services.h"

namespace klip::server {

void AddRegistryService(Node* node, MethodTable* methods) {
  using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages
  methods->Add<GetClusterIdRequest, GetClusterIdResponse>(
      "GetClusterId", [node](const GetClusterIdRequest&, GetClusterIdResponse* response, Call*) -> rpc::Error {
        response->set_cluster_id(node->cluster_id);
        return {};
      });
  methods->Add<GetActiveMasterRequest, GetActiveMasterResponse>(
      "GetActiveMaster", [node](const GetActiveMasterRequest&, GetActiveMasterResponse* response, Call*) -> rpc::Error {
        FillServerName(MasterName(node->self), response->mutable_server_name());
        return {};
      });
  methods->Add<GetMastersRequest, GetMastersResponse>(
      "GetMasters", [node](const GetMastersRequest&, GetMastersResponse* response, Call*) -> rpc::Error {
        GetMastersResponseEntry* entry = response->add_master_servers();
        FillServerName(MasterName(node->self), entry->mutable_server_name());
        entry->set_is_active(true);
        return {};
      });
  methods->Add<GetMetaRegionLocationsRequest, GetMetaRegionLocationsResponse>(
      "GetMetaRegionLocations",
      [node](const GetMetaRegionLocationsRequest&, GetMetaRegionLocationsResponse* response, Call*) -> rpc::Error {
        RegionLocation* location = response->add_meta_locations();
        FillMetaRegionInfo(location->mutable_region_info());
        FillServerName(node->self, location->mutable_server_name());
        location->set_seq_num(-1);
        return {};
      });
  methods->Add<GetBootstrapNodesRequest, GetBootstrapNodesResponse>(
      "GetBootstrapNodes",
      [node](const GetBootstrapNodesRequest&, GetBootstrapNodesResponse* response, Call*) -> rpc::Error {
        FillServerName(node->self, response->add_server_name());
        return {};
      });
}

}  // namespace klip::server
