#include "rpc/compression.h"

#include <array>
#include <string>
#include <utility>

#include "rpc/block_stream.h"
#include "rpc/zlib_stream.h"

namespace klip::rpc {
namespace {

// Below org.apache.hadoop.
constexpr std::array<std::pair<std::string_view, Compression>, 13> kCodecs = {{
    {"io.compress.GzipCodec", Compression::kGzip},
    {"io.compress.DefaultCodec", Compression::kDeflate},
    {"io.compress.DeflateCodec", Compression::kDeflate},
    {"io.compress.SnappyCodec", Compression::kSnappy},
    {"io.compress.Lz4Codec", Compression::kLz4},
    {"io.compress.ZStandardCodec", Compression::kZstdStream},
    {"hbase.io.compress.ReusableStreamGzipCodec", Compression::kGzip},
    {"hbase.io.compress.xerial.SnappyCodec", Compression::kSnappy},
    {"hbase.io.compress.lz4.Lz4Codec", Compression::kLz4},
    {"hbase.io.compress.zstd.ZstdCodec", Compression::kZstd},
    {"hbase.io.compress.aircompressor.SnappyCodec", Compression::kSnappy},
    {"hbase.io.compress.aircompressor.Lz4Codec", Compression::kLz4},
    {"hbase.io.compress.aircompressor.ZstdCodec", Compression::kZstd},
}};

}  // namespace

std::optional<Compression> CompressionOf(std::string_view java_class) {
  constexpr std::string_view kPackage = "org.apache.hadoop.";
  if (java_class.empty()) {
    return Compression::kNone;
  }
  if (!java_class.starts_with(kPackage)) {
    return std::nullopt;
  }
  java_class.remove_prefix(kPackage.size());
  for (const auto& [name, compression] : kCodecs) {
    if (name == java_class) {
      return compression;
    }
  }
  return std::nullopt;
}

Status Compress(Compression compression, std::string_view bytes, Buffer* out) {
  switch (compression) {
    case Compression::kNone:
      out->Append(bytes);
      return Status::Ok();
    case Compression::kGzip:
      return Deflate(ZlibHeader::kGzip, bytes, out);
    case Compression::kDeflate:
      return Deflate(ZlibHeader::kZlib, bytes, out);
    case Compression::kSnappy:
      return PackBlocks(ChunkCodec::kSnappy, bytes, out);
    case Compression::kLz4:
      return PackBlocks(ChunkCodec::kLz4, bytes, out);
    case Compression::kZstd:
      return PackBlocks(ChunkCodec::kZstd, bytes, out);
    case Compression::kZstdStream:
      return PackZstd(bytes, out);
  }
  return {Code::kUnsupported, "unknown compression"};
}

Status Decompress(Compression compression, std::string_view bytes, size_t max_bytes, Buffer* out) {
  switch (compression) {
    case Compression::kNone:
      if (bytes.size() > max_bytes) {
        return {Code::kInvalidArgument,
                std::to_string(bytes.size()) + " bytes, more than " + std::to_string(max_bytes)};
      }
      out->Append(bytes);
      return Status::Ok();
    case Compression::kGzip:
      return Inflate(ZlibHeader::kGzip, bytes, max_bytes, out);
    case Compression::kDeflate:
      return Inflate(ZlibHeader::kZlib, bytes, max_bytes, out);
    case Compression::kSnappy:
      return UnpackBlocks(ChunkCodec::kSnappy, bytes, max_bytes, out);
    case Compression::kLz4:
      return UnpackBlocks(ChunkCodec::kLz4, bytes, max_bytes, out);
    case Compression::kZstd:
      return UnpackBlocks(ChunkCodec::kZstd, bytes, max_bytes, out);
    case Compression::kZstdStream:
      return UnpackZstd(bytes, max_bytes, out);
  }
  return {Code::kUnsupported, "unknown compression"};
}

}  // namespace klip::rpc
