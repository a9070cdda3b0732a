// Security: how a client proves who it is, checks who the server is, and keeps others from listening; and whether cells are packed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/tls.h"
#include "hbase/net/address.h"
#include "hbase/net/sasl.h"
#include "hbase/net/transport.h"
#include "klip/status.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"
#include "rpc/compression.h"

namespace klip::client {

struct Security {
  std::string user;         // who the server is told that we are
  base::TlsContextPtr tls;  // null: plaintext
  bool check_host = true;   // the server's certificate must be for its host
  std::optional<Kerberos> kerberos;
  std::string compressor;  // the Java class by which cell blocks are packed, of requests and answers; empty: none
  rpc::Compression compression = rpc::Compression::kNone;  // what it is
  rpc::CellCodec codec = rpc::CellCodec::kKeyValue;        // of cell blocks
};

// Of options named as those of `klip serve`; docs/clusters.md has the list. Reads the files.
// Errors: kInvalidArgument naming the option.
Expected<Security> MakeSecurity(const UriOptions& options);

// A connection that calls can be sent on.
struct SecuredConnection {
  std::unique_ptr<Transport> transport;
  rpc::Buffer opening;  // to be sent before the first of them
};
// Errors: kDoNotRetry (one side does not accept the other), kIoError, kTimedOut.
Expected<SecuredConnection> Secure(const Security& security, const Address& server, std::string_view service,
                                   int socket, Deadline deadline);

}  // namespace klip::client
