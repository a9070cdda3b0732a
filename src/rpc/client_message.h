// The frames of HBase's RPC as a client sees them; message.h has the server's side.
#pragma once

#include <cstddef>
#include <string_view>

#include "klip/status.h"
#include "proto/RPC.pb.h"
#include "rpc/buffer.h"

namespace google::protobuf {
class MessageLite;
}

namespace klip::rpc {

inline constexpr size_t kMaxResponseBytes = 256 << 20;  // a frame from a server; HBase's own limit on requests

// What a client opens a connection with: simple authentication, KeyValueCodec, version 2.6. There is no answer to it.
Buffer EncodeOpening(std::string_view service, std::string_view user);

// A request frame up to its cell block.
Buffer EncodeRequest(const hbase::pb::RequestHeader& header, const google::protobuf::MessageLite& param,
                     size_t cells_bytes);

// An answered call. Views into the frame. With header.exception() there is no result.
struct Response {
  hbase::pb::ResponseHeader header;
  std::string_view result;
  std::string_view cells;
};
// Errors: kInvalidArgument naming the offset.
Status ParseResponse(std::string_view frame, Response* response);

}  // namespace klip::rpc
