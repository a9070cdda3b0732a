// The frames of HBase's RPC: the opening of a connection, requests and responses. Bytes in, structs out; no sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "klip/status.h"
#include "proto/RPC.pb.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"
#include "rpc/compression.h"
#include "rpc/error.h"

namespace google::protobuf {
class MessageLite;
}

namespace klip::rpc {

inline constexpr size_t kOpeningBytes = 6;
inline constexpr size_t kMaxConnectionHeaderBytes = 1 << 20;  // TUNING: Java's has 358 bytes; attributes may add to it
inline constexpr size_t kMaxRequestBytes = 256 << 20;         // hbase.ipc.max.request.size
inline constexpr size_t kMaxUnpackedBytes = 256 << 20;        // of a compressed cell block
inline constexpr uint32_t kNoCall = 0xFFFFFFFF;               // call id of answers that belong to no call

// The first six bytes of a connection.
enum class Opening : uint8_t {
  kCalls,      // "HBas", version 0, simple authentication: a connection header follows
  kSasl,       // the same with Kerberos or a token: the answer is "simple instead"
  kRegistry,   // "Regist": requests only the cluster id
  kPrincipal,  // "Securi": requests the server's Kerberos principal
  kBadMagic,
  kBadVersion,
  kBadAuthentication,
};
// REQUIRES: kOpeningBytes bytes.
Opening ParseOpening(std::string_view bytes);

// What a client says about itself once.
struct ConnectionParameters {
  std::string service;
  std::string user;
  std::string version;            // of the client; empty: unknown
  bool knows_new_errors = false;  // version 1.4 or later: ScannerResetException
  bool takes_get_cells = false;   // version 1.3 or later: the cells of a Get may come in a block
  CellCodec codec = CellCodec::kNone;
  Compression compression = Compression::kNone;
};
Error ParseConnectionHeader(std::string_view bytes, ConnectionParameters* parameters);

// A call. Views into the frame.
struct Request {
  hbase::pb::RequestHeader header;
  std::string_view param;
  std::string_view cells;
};
// Fills *request, which can be reused for the next frame. Errors: kInvalidArgument naming the offset. If the header was
// readable, its call id is set, else has_call_id() is false.
Status ParseRequest(std::string_view frame, Request* request);

// A response frame without its cell block, which follows it on the wire. If `error` is set, it replaces `result`.
Buffer EncodeResponse(uint32_t call_id, const Error& error, const google::protobuf::MessageLite* result,
                      size_t cells_bytes);

// The answer to Opening::kRegistry.
Buffer EncodeRegistryResponse(std::string_view cluster_id);

}  // namespace klip::rpc
