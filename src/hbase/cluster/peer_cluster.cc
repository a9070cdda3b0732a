#include "hbase/cluster/peer_cluster.h"

#include <chrono>
#include <utility>

#include "hbase/cluster/cluster.h"
#include "proto/Master.pb.h"
#include "rpc/cluster_messages.h"

namespace klip::client {
namespace {

// hbase.rpc.timeout: how long the source waits for an answer.
constexpr std::chrono::milliseconds kCallTimeout{60'000};

Status BadKey(std::string_view key, std::string_view why) {
  return {Code::kInvalidArgument, "cluster key '" + std::string(key) + "': " + std::string(why)};
}

}  // namespace

Expected<ClusterUri> ParseClusterKey(std::string_view key) {
  if (key.starts_with("hbase+")) {
    return ParseClusterUri(key);
  }
  const size_t znode_colon = key.rfind(':');
  const size_t port_colon = znode_colon == std::string_view::npos ? znode_colon : key.rfind(':', znode_colon - 1);
  if (znode_colon == 0 || port_colon == std::string_view::npos) {
    return Status(Code::kInvalidArgument, "cluster key: expected quorum:port:/znode, found '" + std::string(key) + "'");
  }
  const std::string_view quorum = key.substr(0, port_colon);
  const std::string_view port_text = key.substr(port_colon + 1, znode_colon - port_colon - 1);
  ClusterUri uri = {.zookeeper = true, .servers = {}, .znode = std::string(key.substr(znode_colon + 1)), .options = {}};
  if (!uri.znode.starts_with('/')) {
    return BadKey(key, "the znode must begin with '/'");
  }
  const Expected<Address> port = ParseAddress("h:" + std::string(port_text), 0);
  if (!port.ok()) {
    return BadKey(key, "the port is not a number up to 65535");
  }
  for (std::string_view rest = quorum;;) {
    const size_t comma = rest.find(',');
    Expected<Address> server = ParseAddress(rest.substr(0, comma), port->port);
    if (!server.ok()) {
      return BadKey(key, server.status().message());
    }
    uri.servers.push_back(*std::move(server));
    if (comma == std::string_view::npos) {
      return uri;
    }
    rest.remove_prefix(comma + 1);
  }
}

PeerCluster::PeerCluster(std::unique_ptr<Cluster> cluster) : cluster_(std::move(cluster)) {}
PeerCluster::~PeerCluster() = default;

Expected<std::unique_ptr<PeerCluster>> PeerCluster::Open(std::string_view cluster_key) {
  KLIP_ASSIGN_OR_RETURN(const ClusterUri uri, ParseClusterKey(cluster_key));
  KLIP_ASSIGN_OR_RETURN(Security security, MakeSecurity(uri.options));
  security.codec = rpc::CellCodec::kKeyValueWithTags;
  const Timeouts timeouts = {.rpc = kCallTimeout, .operation = kCallTimeout, .primary_get = {}, .primary_scan = {}};
  return std::unique_ptr<PeerCluster>(
      new PeerCluster(std::make_unique<Cluster>(uri, std::move(security), timeouts, MetaReplicas::kNone)));
}

Expected<PeerCluster::State> PeerCluster::Ask(int64_t patience_ms) {
  hbase::pb::GetClusterStatusRequest request;
  request.add_options(hbase::pb::CLUSTER_ID);
  request.add_options(hbase::pb::SERVERS_NAME);
  hbase::pb::GetClusterStatusResponse response;
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster("GetClusterStatus", request, &response,
                                            Clock::now() + std::chrono::milliseconds(patience_ms)));
  const hbase::pb::ClusterStatus& status = response.cluster_status();
  State state = {.cluster_id = status.cluster_id().cluster_id(), .servers = {}};
  for (const ServerName& server : rpc::ToServerNames(status.servers_name())) {
    state.servers.push_back({server.host, server.port});
  }
  return state;
}

Failure PeerCluster::Replicate(const Address& server, const hbase::pb::ReplicateWALEntryRequest& request,
                               std::string_view cells) {
  const CallPtr call = cluster_->channels()
                           .Get(server, "AdminService")
                           ->Start({.method = "ReplicateWALEntry",
                                    .request = &request,
                                    .cells = cells,
                                    .deadline = Clock::now() + kCallTimeout});
  return call->Wait().failure;
}

}  // namespace klip::client
