// A session with ZooKeeper, for a few questions: what a node holds, and which are below it.
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

// By one thread. Errors: kTimedOut, after which it must not be used further, and kIoError.
class ZooKeeperSession {
 public:
  // `quorum`: "host:port,host:port".
  static Expected<std::unique_ptr<ZooKeeperSession>> Open(const std::string& quorum, Deadline deadline);
  ~ZooKeeperSession();

  // Nothing: there is no such node.
  Expected<std::optional<std::string>> Data(const std::string& path, Deadline deadline);
  // Sorted; none also of a node that is not there.
  Expected<std::vector<std::string>> Children(const std::string& path, Deadline deadline);

 private:
  struct State;

  explicit ZooKeeperSession(std::unique_ptr<State> state);
  // Sends by `send`, which has ZooKeeper's code, and waits for the answer. False: there is no such node.
  template <typename Send>
  Expected<bool> Ask(Deadline deadline, Send send);

  std::unique_ptr<State> state_;
};

// A message as HBase writes it into a node: FF, the length of an id, the id (all that may be missing), "PBUF", the message.
// Errors: kIoError.
Status ParseNode(std::string_view data, google::protobuf::MessageLite* message);

}  // namespace klip::client
