// HBase's ZKConnectionRegistry: the servers' names stand in two nodes of ZooKeeper. Each question has a session of its own, since
// they are few: at the start, and after the meta region or the master moved.
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include <zookeeper/zookeeper.h>

#include "hbase/registry.h"
#include "klip/bytes.h"
#include "proto/ZooKeeper.pb.h"

namespace klip::client {
namespace {

constexpr int kSessionMs = 30'000;

// What the library's threads tell. Lives until the session is closed: then they have ended.
struct Answer {
  std::mutex mutex;
  std::condition_variable changed;
  bool connected = false;
  bool expired = false;
  bool done = false;
  int code = ZOK;
  std::string data;
};

void OnSession(zhandle_t*, int type, int state, const char*, void* context) {
  auto* answer = static_cast<Answer*>(context);
  const std::lock_guard lock(answer->mutex);
  if (type == ZOO_SESSION_EVENT) {
    answer->connected = state == ZOO_CONNECTED_STATE;
    answer->expired = state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE;
  }
  answer->changed.notify_all();
}

void OnData(int code, const char* value, int bytes, const Stat*, const void* context) {
  auto* answer = static_cast<Answer*>(const_cast<void*>(context));
  const std::lock_guard lock(answer->mutex);
  answer->code = code;
  if (code == ZOK && value != nullptr && bytes > 0) {
    answer->data.assign(value, static_cast<size_t>(bytes));
  }
  answer->done = true;
  answer->changed.notify_all();
}

// FF, the length of an id, the id, "PBUF", the message.
Status ParseNode(std::string_view data, google::protobuf::MessageLite* message) {
  constexpr std::string_view kMagic = "PBUF";
  constexpr size_t kPrefixBytes = 5;
  if (data.starts_with('\xFF') && data.size() >= kPrefixBytes) {
    const size_t id_bytes = ReadBigEndian<uint32_t>(data.data() + 1);
    if (id_bytes > data.size() - kPrefixBytes) {
      return {Code::kIoError, "its id of " + std::to_string(id_bytes) + " bytes goes beyond the end"};
    }
    data.remove_prefix(kPrefixBytes + id_bytes);
  }
  if (!data.starts_with(kMagic)) {
    return {Code::kIoError, "it is not of HBase: there is no PBUF"};
  }
  data.remove_prefix(kMagic.size());
  return message->ParseFromArray(data.data(), static_cast<int>(data.size()))
             ? Status()
             : Status(Code::kIoError, "it is no " + message->GetTypeName());
}

class ZooKeeperRegistry final : public Registry {
 public:
  ZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode) : znode_(std::move(znode)) {
    for (const Address& server : quorum) {
      const bool ipv6 = server.host.find(':') != std::string::npos;
      quorum_ += quorum_.empty() ? "" : ",";
      quorum_ += (ipv6 ? "[" + server.host + "]" : server.host) + ":" + std::to_string(server.port);
    }
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));  // it would write to standard error
  }

  Expected<Address> MetaServer(Deadline deadline) override {
    hbase::pb::MetaRegionServer node;
    KLIP_RETURN_IF_ERROR(Read("meta-region-server", deadline, &node));
    return AddressOf(node.server());
  }

  Expected<Address> ActiveMaster(Deadline deadline) override {
    hbase::pb::Master node;
    KLIP_RETURN_IF_ERROR(Read("master", deadline, &node));
    return AddressOf(node.master());
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
    Answer answer;
    Status status = Ask(path, deadline, &answer);
    if (status.ok()) {
      status = ParseNode(answer.data, message);
    }
    return status.ok() ? status : Status(status.code(), "ZooKeeper " + quorum_ + ", " + path + ": " + status.message());
  }

  Status Ask(const std::string& path, Deadline deadline, Answer* answer) const {
    zhandle_t* session = zookeeper_init(quorum_.c_str(), OnSession, kSessionMs, nullptr, answer, 0);
    if (session == nullptr) {
      return {Code::kIoError, errno == ENOENT ? "no address is known for this name" : base::ErrorText(errno)};
    }
    Status status = Wait(session, path, deadline, answer);
    zookeeper_close(session);
    return status;
  }

  static Status Wait(zhandle_t* session, const std::string& path, Deadline deadline, Answer* answer) {
    std::unique_lock lock(answer->mutex);
    if (!answer->changed.wait_until(lock, deadline, [answer] { return answer->connected || answer->expired; })) {
      return {Code::kTimedOut, "no connection in time"};
    }
    lock.unlock();
    const int sent = zoo_aget(session, path.c_str(), /*watch=*/0, OnData, answer);
    if (sent != ZOK) {
      return {Code::kIoError, zerror(sent)};
    }
    lock.lock();
    if (!answer->changed.wait_until(lock, deadline, [answer] { return answer->done; })) {
      return {Code::kTimedOut, "no answer in time"};
    }
    return answer->code == ZOK ? Status() : Status(Code::kIoError, zerror(answer->code));
  }

  const std::string znode_;
  std::string quorum_;
};

}  // namespace

std::unique_ptr<Registry> MakeZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode) {
  return std::make_unique<ZooKeeperRegistry>(quorum, std::move(znode));
}

}  // namespace klip::client
