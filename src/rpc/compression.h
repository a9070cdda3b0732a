// Compressed cell blocks, as Hadoop's codecs write them.
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
  kGzip,     // org.apache.hadoop.io.compress.GzipCodec
  kDeflate,  // org.apache.hadoop.io.compress.DefaultCodec, DeflateCodec: a zlib stream
};

// Of a Hadoop class name; nullopt: klip does not have that one.
std::optional<Compression> CompressionOf(std::string_view java_class);

Status Compress(Compression compression, std::string_view bytes, Buffer* out);
// Errors: kInvalidArgument for bytes that are no such stream or that unpack to more than `max_bytes`.
Status Decompress(Compression compression, std::string_view bytes, size_t max_bytes, Buffer* out);

}  // namespace klip::rpc
