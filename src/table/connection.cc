// Connection::Open: which backend a URI names.
#include "klip/connection.h"

#include "hbase/remote_connection.h"
#include "table/embedded_connection.h"

namespace klip {

Expected<std::unique_ptr<Connection>> Connection::Open(std::string_view uri, const ConnectionOptions& options) {
  constexpr std::string_view kEmbedded = "klip:";
  constexpr std::string_view kReadOnly = "?read-only";
  if (uri.starts_with(kEmbedded)) {
    ConnectionOptions of_store = options;
    std::string_view directory = uri.substr(kEmbedded.size());
    if (directory.ends_with(kReadOnly)) {
      directory.remove_suffix(kReadOnly.size());
      of_store.read_only = true;
    }
    KLIP_ASSIGN_OR_RETURN(auto embedded, table::OpenEmbedded(directory, of_store));
    return std::unique_ptr<Connection>(std::move(embedded));
  }
  if (uri.starts_with("hbase+")) {
    if (!options.observers.empty() || !options.endpoints.empty()) {
      return Status(Code::kInvalidArgument,
                    "the servers of a cluster run its observers and endpoints, not its clients");
    }
    return client::OpenCluster(uri, options);
  }
  return Status(Code::kInvalidArgument, "not a klip URI: '" + std::string(uri) +
                                            "'; write klip:<directory>, hbase+rpc://host:port or hbase+zk://host:port");
}

}  // namespace klip
