#include "server/registry/zookeeper_protocol.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "proto/ClusterId.pb.h"
#include "proto/ZooKeeper.pb.h"

namespace klip::server {
namespace {

constexpr size_t kPacketLengthBytes = 4;
constexpr size_t kMaxRequestBytes = 1 << 20;  // jute.maxbuffer
constexpr size_t kMinConnectBytes = 44;       // without the readOnly byte of newer clients
constexpr size_t kPasswordBytes = 16;
constexpr int32_t kMinTimeoutMs = 4000;  // 2 and 20 of ZooKeeper's ticks
constexpr int32_t kMaxTimeoutMs = 40000;

// Types of requests.
enum : int32_t {
  kCreate = 1,
  kDelete = 2,
  kExists = 3,
  kGetData = 4,
  kSetData = 5,
  kGetAcl = 6,
  kGetChildren = 8,
  kSync = 9,
  kPing = 11,
  kGetChildren2 = 12,
  kAuth = 100,
  kSetWatches = 101,
  kSetWatches2 = 105,
  kAddWatch = 106,
  kCloseSession = -11,
};

// Errors.
enum : int32_t { kOk = 0, kUnimplemented = -6, kBadArguments = -8, kNoNode = -101, kNotReadOnly = -119 };

// Reads jute: big-endian numbers, and bytes preceded by their length.
class JuteReader {
 public:
  explicit JuteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  std::optional<T> Number() {
    if (bytes_.size() < sizeof(T)) {
      return std::nullopt;
    }
    const T value = ReadBigEndian<T>(bytes_.data());
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

  std::optional<std::string_view> Bytes() {
    const std::optional<int32_t> length = Number<int32_t>();
    if (!length.has_value() || *length < 0 || static_cast<size_t>(*length) > bytes_.size()) {
      return std::nullopt;
    }
    const std::string_view bytes = bytes_.substr(0, static_cast<size_t>(*length));
    bytes_.remove_prefix(bytes.size());
    return bytes;
  }

 private:
  std::string_view bytes_;
};

void AppendBytes(std::string_view bytes, std::string* out) {
  AppendBigEndian(static_cast<int32_t>(bytes.size()), out);
  *out += bytes;
}

constexpr int64_t kTransaction = 1;  // that created all nodes

void AppendStat(std::string_view data, size_t children, std::string* out) {
  AppendBigEndian(kTransaction, out);                       // czxid
  AppendBigEndian(kTransaction, out);                       // mzxid
  AppendBigEndian(int64_t{0}, out);                         // ctime
  AppendBigEndian(int64_t{0}, out);                         // mtime
  AppendBigEndian(int32_t{0}, out);                         // version
  AppendBigEndian(int32_t{0}, out);                         // cversion
  AppendBigEndian(int32_t{0}, out);                         // aversion
  AppendBigEndian(int64_t{0}, out);                         // ephemeralOwner
  AppendBigEndian(static_cast<int32_t>(data.size()), out);  // dataLength
  AppendBigEndian(static_cast<int32_t>(children), out);     // numChildren
  AppendBigEndian(kTransaction, out);                       // pzxid
}

void SendFrame(const std::string& body, net::Channel* channel) {
  rpc::Buffer frame;
  rpc::PutBigEndian(frame.Grow(kPacketLengthBytes), static_cast<uint32_t>(body.size()));
  frame.Append(body);
  channel->Send(std::move(frame));
}

int64_t NextSession() {
  static std::atomic<int64_t> last{0x1000000000000};  // tidy-allow: ids of sessions, unique in the process
  return ++last;
}

class ZooKeeperProtocol final : public net::Protocol {
 public:
  explicit ZooKeeperProtocol(const ZooKeeperTree* tree) : tree_(tree) {}

  std::optional<size_t> OnInput(net::Input* input, const std::shared_ptr<net::Channel>& channel,
                                std::vector<net::TaskPtr>* /*tasks*/) override {
    while (input->view().size() >= kPacketLengthBytes) {
      const size_t bytes = ReadBigEndian<uint32_t>(input->view().data());
      if (bytes > kMaxRequestBytes) {
        return std::nullopt;
      }
      if (input->view().size() - kPacketLengthBytes < bytes) {
        return kPacketLengthBytes + bytes;
      }
      input->Skip(kPacketLengthBytes);
      const std::string_view body = input->view().substr(0, bytes);
      const bool goes_on = connected_ ? Answer(body, channel.get()) : Connect(body, channel.get());
      input->Skip(bytes);
      if (!goes_on) {
        return std::nullopt;
      }
    }
    return kPacketLengthBytes;
  }

  bool opened() const override { return connected_; }

 private:
  bool Connect(std::string_view body, net::Channel* channel) {
    if (body.size() < kMinConnectBytes) {
      return false;
    }
    JuteReader reader(body);
    reader.Number<int32_t>();  // protocol version
    reader.Number<int64_t>();  // last transaction seen
    const int32_t timeout_ms = reader.Number<int32_t>().value_or(kMinTimeoutMs);
    const int64_t session = reader.Number<int64_t>().value_or(0);
    std::string answer;
    AppendBigEndian(int32_t{0}, &answer);
    AppendBigEndian(std::clamp(timeout_ms, kMinTimeoutMs, kMaxTimeoutMs), &answer);
    AppendBigEndian(session != 0 ? session : NextSession(), &answer);
    AppendBytes(std::string(kPasswordBytes, '\1'), &answer);
    if (body.size() > kMinConnectBytes) {
      answer.push_back(0);  // not read-only; clients that do not send this byte do not expect it
    }
    SendFrame(answer, channel);
    connected_ = true;
    return true;
  }

  bool Answer(std::string_view body, net::Channel* channel) {
    JuteReader reader(body);
    const std::optional<int32_t> id = reader.Number<int32_t>();
    const std::optional<int32_t> type = reader.Number<int32_t>();
    if (!id.has_value() || !type.has_value()) {
      return false;
    }
    std::string payload;
    const int32_t error = Handle(*type, &reader, &payload);
    std::string answer;
    AppendBigEndian(*id, &answer);
    AppendBigEndian(kTransaction, &answer);
    AppendBigEndian(error, &answer);
    if (error == kOk) {
      answer += payload;
    }
    SendFrame(answer, channel);
    return *type != kCloseSession;
  }

  // Accepts watches, which never fire: nothing changes while the server runs, except tables' states, which nobody
  // watches.
  int32_t Handle(int32_t type, JuteReader* reader, std::string* payload) const {
    switch (type) {
      case kPing:
      case kCloseSession:
      case kAuth:
      case kSetWatches:
      case kSetWatches2:
      case kAddWatch:
        return kOk;
      case kCreate:
      case kDelete:
      case kSetData:
        return kNotReadOnly;
      case kSync:
      case kExists:
      case kGetData:
      case kGetAcl:
      case kGetChildren:
      case kGetChildren2:
        break;
      default:
        return kUnimplemented;
    }
    const std::optional<std::string_view> path = reader->Bytes();
    if (!path.has_value()) {
      return kBadArguments;
    }
    if (type == kSync) {
      AppendBytes(*path, payload);
      return kOk;
    }
    const std::optional<std::string> data = tree_->Find(*path);
    return data.has_value() ? Read(type, *path, *data, payload) : static_cast<int32_t>(kNoNode);
  }

  int32_t Read(int32_t type, std::string_view path, const std::string& data, std::string* payload) const {
    const std::vector<std::string> children = tree_->Children(path);
    if (type == kGetData) {
      AppendBytes(data, payload);
    } else if (type == kGetAcl) {
      constexpr int32_t kAllRights = 31;
      AppendBigEndian(int32_t{1}, payload);
      AppendBigEndian(kAllRights, payload);
      AppendBytes("world", payload);
      AppendBytes("anyone", payload);
    } else if (type == kGetChildren || type == kGetChildren2) {
      AppendBigEndian(static_cast<int32_t>(children.size()), payload);
      for (const std::string& child : children) {
        AppendBytes(child, payload);
      }
    }
    if (type != kGetChildren) {
      AppendStat(data, children.size(), payload);
    }
    return kOk;
  }

  const ZooKeeperTree* const tree_;
  bool connected_ = false;
};

// HBase's format of nodes: FF, the writer's name after its length, "PBUF", the message.
template <typename Message>
std::string NodeData(const ServerName& self, const Message& message) {
  std::string data(1, '\xFF');
  AppendBytes("klip:" + std::to_string(self.port), &data);
  data += "PBUF";
  data += message.SerializeAsString();
  return data;
}

constexpr std::string_view kTables = "/table";

// HBase's base, and those of distributions for which clients may still be configured. As in HBase, another name means
// another cluster, so a peer with such a name is not this server.
constexpr std::array<std::string_view, 3> kBases = {"/hbase", "/hbase-unsecure", "/hbase-secure"};

// "/hbase/rs" is "/rs" below its base, and "/hbase" is ""; nullopt: below none.
std::optional<std::string_view> BelowBase(std::string_view path) {
  const size_t slash = std::min(path.find('/', 1), path.size());
  if (std::ranges::find(kBases, path.substr(0, slash)) == kBases.end()) {
    return std::nullopt;
  }
  return path.substr(slash);
}

}  // namespace

ZooKeeperTree::ZooKeeperTree(const ServerName& self, const std::string& cluster_id, RegionDirectory* tables)
    : self_(self), tables_(tables) {
  for (const std::string_view path : {"", "/rs", "/backup-masters", "/draining", "/namespace"}) {
    nodes_[std::string(path)] = "";
  }
  nodes_[std::string(kTables)] = "";
  nodes_["/rs/" + self.ToString()] = "";
  hbase::pb::ClusterId id;
  id.set_cluster_id(cluster_id);
  nodes_["/hbaseid"] = NodeData(self, id);
  hbase::pb::Master master;
  FillServerName(MasterName(self), master.mutable_master());
  master.set_rpc_version(0);
  master.set_info_port(static_cast<uint32_t>(-1));
  nodes_["/master"] = NodeData(self, master);
  hbase::pb::MetaRegionServer meta;
  FillServerName(self, meta.mutable_server());
  meta.set_rpc_version(0);
  meta.set_state(hbase::pb::RegionState::OPEN);
  nodes_["/meta-region-server"] = NodeData(self, meta);
  hbase::pb::ClusterUp up;
  up.set_start_date(std::to_string(self.start_code));
  nodes_["/running"] = NodeData(self, up);
  nodes_["/table/hbase:meta"] = TableState(/*enabled=*/true);
}

std::string ZooKeeperTree::TableState(bool enabled) const {
  hbase::pb::DeprecatedTableState state;
  state.set_state(enabled ? hbase::pb::DeprecatedTableState::ENABLED : hbase::pb::DeprecatedTableState::DISABLED);
  return NodeData(self_, state);
}

std::optional<std::string> ZooKeeperTree::Find(std::string_view path) const {
  if (path == "/") {
    return std::string();
  }
  const std::optional<std::string_view> node = BelowBase(path);
  if (!node.has_value()) {
    return std::nullopt;
  }
  if (const auto at = nodes_.find(*node); at != nodes_.end()) {
    return at->second;
  }
  if (node->starts_with(kTables) && node->size() > kTables.size() && (*node)[kTables.size()] == '/') {
    const Expected<TableRegionsPtr> table = tables_->Of(node->substr(kTables.size() + 1));
    return table.ok() ? std::optional(TableState((*table)->view->enabled)) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> ZooKeeperTree::Children(std::string_view path) const {
  if (path == "/") {
    return {"hbase"};
  }
  const std::string_view node = BelowBase(path).value_or("");
  const std::string prefix = std::string(node) + "/";
  std::vector<std::string> children;
  for (auto at = nodes_.upper_bound(prefix); at != nodes_.end() && at->first.starts_with(prefix); ++at) {
    if (at->first.find('/', prefix.size()) == std::string::npos) {
      children.push_back(at->first.substr(prefix.size()));
    }
  }
  if (node == kTables) {
    std::ranges::move(tables_->Tables(), std::back_inserter(children));
  }
  return children;
}

std::unique_ptr<net::Protocol> NewZooKeeperProtocol(const ZooKeeperTree* tree) {
  return std::make_unique<ZooKeeperProtocol>(tree);
}

}  // namespace klip::server
