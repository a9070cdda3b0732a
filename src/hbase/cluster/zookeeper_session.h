// A ZooKeeper session for a few requests: the contents and the children of nodes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message_lite.h>

#include "hbase/net/socket.h"
#include "klip/status.h"

namespace klip::client {

// For one thread. Errors: kIoError; kTimedOut, after which it must not be used any more.
class ZooKeeperSession {
 public:
  // `quorum`: "host:port,host:port".
  static Expected<std::unique_ptr<ZooKeeperSession>> Open(const std::string& quorum, Deadline deadline);
  ~ZooKeeperSession();

  // nullopt: no such node.
  Expected<std::optional<std::string>> Data(const std::string& path, Deadline deadline);
  // Sorted; empty also for a missing node.
  Expected<std::vector<std::string>> Children(const std::string& path, Deadline deadline);

 private:
  struct State;

  explicit ZooKeeperSession(std::unique_ptr<State> state);
  // Sends a request with `send`, which returns ZooKeeper's code, and waits for the answer. False: no such node.
  template <typename Send>
  Expected<bool> Ask(Deadline deadline, Send send);

  std::unique_ptr<State> state_;
};

// A message in HBase's node format: FF, the length of an id, the id (all of which may be missing), "PBUF", the message.
// Errors: kIoError.
Status ParseNode(std::string_view data, google::protobuf::MessageLite* message);

}  // namespace klip::client
