// Compressed bytes in the formats of Hadoop's codecs: cell blocks, and the blocks of HFiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::rpc {

enum class Compression : uint8_t {
  kNone,
  kGzip,
  kDeflate,  // a zlib stream
  kSnappy,   // this and the next two use Hadoop's block stream, see block_stream.h
  kLz4,
  kZstd,
  kZstdStream,  // only frames of Zstandard, as in Hadoop's own codec
};

// The compression of a Java codec class, Hadoop's or HBase's; nullopt: klip does not have it.
std::optional<Compression> CompressionOf(std::string_view java_class);

Status Compress(Compression compression, std::string_view bytes, Buffer* out);
// Appends to *out. Errors: kInvalidArgument for bytes that are not such a stream, or that decompress to more than
// `max_bytes`.
Status Decompress(Compression compression, std::string_view bytes, size_t max_bytes, Buffer* out);

}  // namespace klip::rpc
