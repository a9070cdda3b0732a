// Hadoop's stream of compressed blocks (its BlockCompressorStream):
//
//   block*   block = decompressed length (4, big-endian) chunk*   chunk = compressed length (4) compressed bytes
//
// A block has as many chunks as its length needs. Wraps Snappy, LZ4 and Zstandard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::rpc {

enum class ChunkCodec : uint8_t { kSnappy, kLz4, kZstd };

Status PackBlocks(ChunkCodec codec, std::string_view bytes, Buffer* out);
// Errors: kInvalidArgument naming the offset.
Status UnpackBlocks(ChunkCodec codec, std::string_view bytes, size_t max_bytes, Buffer* out);

// Pack writes one frame of Zstandard; unpack reads any number of them.
Status PackZstd(std::string_view bytes, Buffer* out);
Status UnpackZstd(std::string_view bytes, size_t max_bytes, Buffer* out);

}  // namespace klip::rpc
