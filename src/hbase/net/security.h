// Security: authentication of client and server, encryption, and compression of cells.
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
  std::string user;         // the user name sent to the server
  base::TlsContextPtr tls;  // null: plaintext
  bool check_host = true;   // the server's certificate must be for its host
  std::optional<Kerberos> kerberos;
  std::string compressor;  // the Java class that compresses cell blocks of requests and answers; empty: none
  rpc::Compression compression = rpc::Compression::kNone;  // the same as an enum
  rpc::CellCodec codec = rpc::CellCodec::kKeyValue;        // of cell blocks
};

// From options with the names of those of `klip serve`; docs/clusters.md has the list. Reads the files. Errors:
// kInvalidArgument naming the option.
Expected<Security> MakeSecurity(const UriOptions& options);

// A connection that is ready for calls.
struct SecuredConnection {
  std::unique_ptr<Transport> transport;
  rpc::Buffer opening;  // to be sent before the first call
};
// Errors: kDoNotRetry (one side rejects the other), kIoError, kTimedOut.
Expected<SecuredConnection> Secure(const Security& security, const Address& server, std::string_view service,
                                   int socket, Deadline deadline);

}  // namespace klip::client
