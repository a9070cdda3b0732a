#include "hbase/cluster/zookeeper_dump.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "klip/cluster_metrics.h"
#include "proto/Replication.pb.h"
#include "proto/ZooKeeper.pb.h"
#include "rpc/cluster_messages.h"

namespace klip::client {
namespace {

// The answer of a server of the quorum to a four-letter command.
Expected<std::string> FourLetters(const Address& server, std::string_view letters, Deadline deadline) {
  KLIP_ASSIGN_OR_RETURN(const base::Descriptor socket, Connect(server, deadline));
  if (::send(socket.get(), letters.data(), letters.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(letters.size())) {
    return Status(Code::kIoError, base::ErrorText(errno));
  }
  constexpr size_t kMaxBytes = 1 << 20;
  std::string answer;
  char buffer[4096];
  while (answer.size() < kMaxBytes) {
    if (!WaitFor(socket.get(), POLLIN, deadline)) {
      return Status(Code::kTimedOut, "no answer in time");
    }
    const ssize_t got = ::recv(socket.get(), buffer, sizeof(buffer), 0);
    if (got < 0) {
      return Status(Code::kIoError, base::ErrorText(errno));
    }
    if (got == 0) {
      break;
    }
    answer.append(buffer, static_cast<size_t>(got));
  }
  return answer;
}

class Dumper {
 public:
  Dumper(ZooKeeperSession* session, const std::string& znode, Deadline deadline)
      : session_(session), znode_(znode), deadline_(deadline) {}

  Status AddServers() {
    Add("HBase is rooted at " + znode_);
    hbase::pb::Master master;
    KLIP_RETURN_IF_ERROR(AddServer("Active master address:", "/master", &master, &hbase::pb::Master::master));
    KLIP_RETURN_IF_ERROR(AddChildren("Backup master addresses:", "/backup-masters"));
    hbase::pb::MetaRegionServer meta;
    KLIP_RETURN_IF_ERROR(AddServer("Region server holding hbase:meta:", "/meta-region-server", &meta,
                                   &hbase::pb::MetaRegionServer::server));
    return AddChildren("Region servers:", "/rs");
  }

  // Peers with their cluster keys and states.
  Status AddReplication() {
    const std::string root = znode_ + "/replication";
    KLIP_ASSIGN_OR_RETURN(const auto there, session_->Data(root, deadline_));
    if (!there.has_value()) {
      return Status::Ok();
    }
    Add(root + ": ");
    const std::string peers = root + "/peers";
    Add(peers + ": ");
    KLIP_ASSIGN_OR_RETURN(const auto ids, session_->Children(peers, deadline_));
    for (const std::string& id : ids) {
      const std::string path = peers + "/" + id;
      hbase::pb::ReplicationPeer peer;
      KLIP_RETURN_IF_ERROR(Read(path, &peer));
      Add(path + ": " + peer.clusterkey());
      hbase::pb::ReplicationState state;
      KLIP_RETURN_IF_ERROR(Read(path + "/peer-state", &state));
      const bool enabled = state.state() == hbase::pb::ReplicationState::ENABLED;
      Add(path + "/peer-state: " + (enabled ? "ENABLED" : "DISABLED"));
    }
    return Status::Ok();
  }

  void AddQuorum(const std::vector<Address>& servers) {
    Add("Quorum Server Statistics:");
    for (const Address& server : servers) {
      Add(" " + server.ToString());
      constexpr std::chrono::seconds kWait{1};  // zookeeper.dump.connection.timeout
      const Expected<std::string> answer = FourLetters(server, "stat", std::min(deadline_, Clock::now() + kWait));
      if (!answer.ok()) {
        Add("  ERROR: " + std::string(answer.status().message()));
        continue;
      }
      for (size_t at = 0; at < answer->size();) {
        const size_t end = std::min(answer->find('\n', at), answer->size());
        Add("  " + answer->substr(at, end - at));
        at = end + 1;
      }
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void Add(const std::string& line) {
    text_ += text_.empty() ? "" : "\n";
    text_ += line;
  }

  // A missing node leaves the message empty.
  Status Read(const std::string& path, google::protobuf::MessageLite* message) {
    KLIP_ASSIGN_OR_RETURN(const auto data, session_->Data(path, deadline_));
    return data.has_value() ? ParseNode(*data, message) : Status::Ok();
  }

  template <typename Message>
  Status AddServer(const char* title, const char* path, Message* message,
                   const hbase::pb::ServerName& (Message::*server)() const) {
    KLIP_RETURN_IF_ERROR(Read(znode_ + path, message));
    Add(title);
    const ServerName name = rpc::ToServerName((message->*server)());
    Add(" " + (name.host.empty() ? "null" : name.ToString()));
    return Status::Ok();
  }

  Status AddChildren(const char* title, const char* path) {
    Add(title);
    KLIP_ASSIGN_OR_RETURN(const auto names, session_->Children(znode_ + path, deadline_));
    for (const std::string& name : names) {
      Add(" " + name);
    }
    return Status::Ok();
  }

  ZooKeeperSession* session_;
  const std::string& znode_;
  Deadline deadline_;
  std::string text_;
};

}  // namespace

Expected<std::string> DumpZooKeeper(ZooKeeperSession* session, const std::vector<Address>& servers,
                                    const std::string& znode, Deadline deadline) {
  Dumper dumper(session, znode, deadline);
  KLIP_RETURN_IF_ERROR(dumper.AddServers());
  KLIP_RETURN_IF_ERROR(dumper.AddReplication());
  dumper.AddQuorum(servers);
  return dumper.Take();
}

}  // namespace klip::client
