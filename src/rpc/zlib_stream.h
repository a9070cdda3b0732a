// Streams of zlib, with gzip's header or its own. Wraps zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::rpc {

enum class ZlibHeader : uint8_t { kZlib, kGzip };

Status Deflate(ZlibHeader header, std::string_view bytes, Buffer* out);
// Errors: kInvalidArgument naming the offset.
Status Inflate(ZlibHeader header, std::string_view bytes, size_t max_bytes, Buffer* out);

}  // namespace klip::rpc
