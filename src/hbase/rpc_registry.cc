#include <utility>
#include <vector>

#include "hbase/registry.h"
#include "proto/Registry.pb.h"

namespace klip::client {
namespace {

class RpcRegistry final : public Registry {
 public:
  RpcRegistry(std::vector<Address> servers, ChannelPool* channels)
      : servers_(std::move(servers)), channels_(channels) {}

  Expected<Address> MetaServer(Deadline deadline) override {
    hbase::pb::GetMetaRegionLocationsResponse response;
    return Ask("GetMetaRegionLocations", hbase::pb::GetMetaRegionLocationsRequest(), deadline, &response,
               [&response]() -> const hbase::pb::ServerName* {
                 for (const hbase::pb::RegionLocation& location : response.meta_locations()) {
                   if (location.region_info().replica_id() == 0 && location.has_server_name()) {
                     return &location.server_name();
                   }
                 }
                 return nullptr;
               });
  }

  Expected<Address> ActiveMaster(Deadline deadline) override {
    hbase::pb::GetActiveMasterResponse response;
    return Ask("GetActiveMaster", hbase::pb::GetActiveMasterRequest(), deadline, &response,
               [&response] { return response.has_server_name() ? &response.server_name() : nullptr; });
  }

  Expected<std::string> Dump(Deadline) override {
    return Status(Code::kUnsupported, "the connection does not go by ZooKeeper: open it as hbase+zk://");
  }

 private:
  // The first answer that has a server name.
  template <typename Request, typename Response, typename NameIn>
  Expected<Address> Ask(std::string_view method, const Request& request, Deadline deadline, Response* response,
                        NameIn name_in) {
    Status failed;
    auto left = static_cast<int>(servers_.size());
    for (const Address& server : servers_) {
      // One that does not answer leaves time for the others.
      const Deadline share = Clock::now() + (deadline - Clock::now()) / left--;
      const CallPtr call = channels_->Get(server, "ClientMetaService")
                               ->Start({.method = method, .request = &request, .deadline = share});
      Status status = call->WaitFor(response);
      if (status.ok()) {
        const hbase::pb::ServerName* name = name_in();
        if (name != nullptr && name->port() > 0 && name->port() <= 0xFFFF) {
          return Address{name->host_name(), static_cast<uint16_t>(name->port())};
        }
        status = Status(Code::kIoError, server.ToString() + " knows of none yet (" + std::string(method) + ")");
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
