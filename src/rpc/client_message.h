// The frames of HBase's RPC on the client's side; message.h has the server's side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/status.h"
#include "proto/RPC.pb.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"

namespace google::protobuf {
class MessageLite;
}

namespace klip::rpc {

inline constexpr size_t kMaxResponseBytes = 256 << 20;  // a frame from a server; HBase's own limit on requests

enum class Authentication : uint8_t { kSimple = 0x50, kKerberos = 0x51 };

// The first bytes of a connection. The server does not answer them, nor the connection header, which follows at once, or
// after Kerberos' handshake.
Buffer EncodePreamble(Authentication authentication);
// Version 2.6. `user` empty: the authenticated one. `compressor`: the Java class that compresses cell blocks; empty:
// none. `codec` must encode cells.
Buffer EncodeConnectionHeader(std::string_view service, std::string_view user, std::string_view compressor = {},
                              CellCodec codec = CellCodec::kKeyValue);

// A request frame without its cell block.
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
