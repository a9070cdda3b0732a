// Hadoop's stream of compressed blocks (its BlockCompressorStream):
//
//   block*   block = length unpacked (4, big-endian) chunk*   chunk = length packed (4) packed bytes
//
// with as many chunks as give the block's length. Behind this header: Snappy, LZ4 and Zstandard.
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

// One frame of Zstandard; any number of them.
Status PackZstd(std::string_view bytes, Buffer* out);
Status UnpackZstd(std::string_view bytes, size_t max_bytes, Buffer* out);

}  // namespace klip::rpc
