#include <algorithm>
#include <utility>
#include <vector>

#include "hbase/cluster/registry.h"
#include "proto/Registry.pb.h"

namespace klip::client {
namespace {

class RpcRegistry final : public Registry {
 public:
  RpcRegistry(std::vector<Address> servers, ChannelPool* channels)
      : servers_(std::move(servers)), channels_(channels) {}

  Expected<std::vector<Address>> MetaServers(bool replicas, Deadline deadline) override {
    hbase::pb::GetMetaRegionLocationsResponse response;
    std::vector<Address> servers;
    KLIP_RETURN_IF_ERROR(
        Ask("GetMetaRegionLocations", hbase::pb::GetMetaRegionLocationsRequest(), deadline, &response, [&]() -> bool {
          servers.assign(1, {});
          for (const hbase::pb::RegionLocation& location : response.meta_locations()) {
            const auto replica = static_cast<size_t>(std::max(location.region_info().replica_id(), 0));
            if (replica <= (replicas ? kMaxReplicas : 0)) {
              servers.resize(std::max(servers.size(), replica + 1));
              servers[replica] = AddressOf(location.server_name());
            }
          }
          return std::ranges::any_of(servers, [](const Address& server) { return !server.host.empty(); });
        }));
    return servers;
  }

  Expected<Address> ActiveMaster(Deadline deadline) override {
    hbase::pb::GetActiveMasterResponse response;
    Address master;
    KLIP_RETURN_IF_ERROR(
        Ask("GetActiveMaster", hbase::pb::GetActiveMasterRequest(), deadline, &response, [&]() -> bool {
          master = AddressOf(response.server_name());
          return !master.host.empty();
        }));
    return master;
  }

  Expected<std::string> Dump(Deadline) override {
    return Status(Code::kUnsupported, "the connection does not use ZooKeeper: open it as hbase+zk://");
  }

 private:
  static Address AddressOf(const hbase::pb::ServerName& name) {
    return name.port() > 0 && name.port() <= 0xFFFF ? Address{name.host_name(), static_cast<uint16_t>(name.port())}
                                                    : Address();
  }

  // Asks one server after the other, until `take` accepts a response.
  template <typename Request, typename Response, typename Take>
  Status Ask(std::string_view method, const Request& request, Deadline deadline, Response* response, Take take) {
    Status failed;
    auto left = static_cast<int>(servers_.size());
    for (const Address& server : servers_) {
      // A server that does not answer leaves time for the others.
      const Deadline share = Clock::now() + (deadline - Clock::now()) / left--;
      const CallPtr call = channels_->Get(server, "ClientMetaService")
                               ->Start({.method = method, .request = &request, .deadline = share});
      Status status = call->WaitFor(response);
      if (status.ok() && take()) {
        return Status::Ok();
      }
      if (status.ok()) {
        status = Status(Code::kIoError, server.ToString() + " does not know any yet (" + std::string(method) + ")");
      }
      if (failed.ok()) {
        failed = std::move(status);
      }
    }
    return failed;
  }

  const std::vector<Address> servers_;
  ChannelPool* channels_;
};

}  // namespace

std::unique_ptr<Registry> MakeRpcRegistry(std::vector<Address> servers, ChannelPool* channels) {
  return std::make_unique<RpcRegistry>(std::move(servers), channels);
}

}  // namespace klip::client
