// HBase's ZKConnectionRegistry: nodes of ZooKeeper contain the servers' names. Each request opens a session, since
// requests are rare: at the start, and after the meta region or the master has moved.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <zookeeper/zookeeper.h>

#include "hbase/cluster/registry.h"
#include "hbase/cluster/zookeeper_dump.h"
#include "hbase/cluster/zookeeper_session.h"
#include "hbase/net/socket.h"
#include "proto/ZooKeeper.pb.h"

namespace klip::client {
namespace {

constexpr const char* kMetaNode = "meta-region-server";  // "meta-region-server-1" for replica 1, and so on

class ZooKeeperRegistry final : public Registry {
 public:
  ZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode)
      : servers_(quorum), znode_(std::move(znode)) {
    for (const Address& server : quorum) {
      const bool ipv6 = server.host.find(':') != std::string::npos;
      quorum_ += quorum_.empty() ? "" : ",";
      quorum_ += (ipv6 ? "[" + server.host + "]" : server.host) + ":" + std::to_string(server.port);
    }
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));  // otherwise it writes to standard error
  }

  Expected<std::vector<Address>> MetaServers(bool replicas, Deadline deadline) override {
    std::vector<Address> servers;
    const auto read = [&]() -> Status {
      KLIP_ASSIGN_OR_RETURN(const auto session, OpenSession(deadline));
      const auto read_one = [&](const std::string& name) -> Status {
        KLIP_ASSIGN_OR_RETURN(const std::optional<std::string> data, session->Data(znode_ + "/" + name, deadline));
        hbase::pb::MetaRegionServer node;
        KLIP_RETURN_IF_ERROR(data.has_value() ? ParseNode(*data, &node) : Status(Code::kIoError, zerror(ZNONODE)));
        KLIP_ASSIGN_OR_RETURN(Address server, AddressOf(node.server()));
        servers.push_back(std::move(server));
        return Status::Ok();
      };
      const Status primary = read_one(kMetaNode);
      if (!replicas) {
        return primary;
      }
      servers.resize(1);
      KLIP_ASSIGN_OR_RETURN(const auto names, session->Children(znode_, deadline));
      for (size_t replica = 1; replica <= kMaxReplicas; ++replica) {
        const std::string name = std::string(kMetaNode) + "-" + std::to_string(replica);
        if (!std::ranges::binary_search(names, name)) {
          break;
        }
        // A missing one, or one whose region is being opened, has no server.
        if (!read_one(name).ok()) {
          servers.resize(replica + 1);
        }
      }
      return servers.size() > 1 ? Status::Ok() : primary;
    };
    KLIP_RETURN_IF_ERROR(Told(read(), znode_ + "/" + kMetaNode));
    return servers;
  }

  Expected<Address> ActiveMaster(Deadline deadline) override {
    hbase::pb::Master node;
    KLIP_RETURN_IF_ERROR(Read("master", deadline, &node));
    return AddressOf(node.master());
  }

  Expected<std::string> Dump(Deadline deadline) override {
    auto session = OpenSession(deadline);
    KLIP_RETURN_IF_ERROR(Told(session.status(), znode_));
    Expected<std::string> dump = DumpZooKeeper(session->get(), servers_, znode_, deadline);
    KLIP_RETURN_IF_ERROR(Told(dump.status(), znode_));
    return dump;
  }

 private:
  Expected<Address> AddressOf(const hbase::pb::ServerName& name) const {
    if (name.host_name().empty() || name.port() == 0 || name.port() > 0xFFFF) {
      return Status(Code::kIoError, "ZooKeeper " + quorum_ + " names no server");
    }
    return Address{name.host_name(), static_cast<uint16_t>(name.port())};
  }

  Status Read(std::string_view name, Deadline deadline, google::protobuf::MessageLite* message) const {
    const std::string path = znode_ + "/" + std::string(name);
    const auto read = [&]() -> Status {
      KLIP_ASSIGN_OR_RETURN(const auto session, OpenSession(deadline));
      KLIP_ASSIGN_OR_RETURN(const std::optional<std::string> data, session->Data(path, deadline));
      return data.has_value() ? ParseNode(*data, message) : Status(Code::kIoError, zerror(ZNONODE));
    };
    return Told(read(), path);
  }

  // ZooKeeper's library tries in vain until the deadline. Before the first session, an address is more likely to be wrong than a
  // server to be restarting: if all refuse a connection, that is the error, at once.
  Status CheckAddresses(Deadline deadline) const {
    constexpr std::chrono::milliseconds kPatience{250};  // a server that does not answer is left to the library
    std::string refusals;
    for (const Address& server : servers_) {
      const Expected<base::Descriptor> probe = Connect(server, std::min(deadline, Clock::now() + kPatience));
      if (probe.ok() || probe.status().code() != Code::kIoError) {
        return Status::Ok();
      }
      refusals += (refusals.empty() ? "" : "; ") + probe.status().message();
    }
    return {Code::kIoError,
            refusals + "; is a ZooKeeper there? HBase's servers and klip serve are hbase+rpc://HOST:PORT"};
  }

  Expected<std::unique_ptr<ZooKeeperSession>> OpenSession(Deadline deadline) const {
    if (!reached_) {
      KLIP_RETURN_IF_ERROR(CheckAddresses(deadline));
    }
    auto session = ZooKeeperSession::Open(quorum_, deadline);
    reached_ = reached_ || session.ok();
    return session;
  }

  // Adds the location to the error.
  Status Told(const Status& status, const std::string& path) const {
    return status.ok() ? status : Status(status.code(), "ZooKeeper " + quorum_ + ", " + path + ": " + status.message());
  }

  const std::vector<Address> servers_;
  const std::string znode_;
  std::string quorum_;
  mutable std::atomic<bool> reached_ = false;  // there was a session
};

}  // namespace

std::unique_ptr<Registry> MakeZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode) {
  return std::make_unique<ZooKeeperRegistry>(quorum, std::move(znode));
}

}  // namespace klip::client
