#include "rpc/block_stream.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "klip/bytes.h"

namespace klip::rpc {
namespace {

constexpr size_t kLengthBytes = 4;
// Java decompresses a chunk into a buffer that has 256 KB by default.
constexpr size_t kChunkBytes = 64 << 10;

struct FreeZstd {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

size_t MaxPackedBytes(ChunkCodec codec, size_t bytes) {
  switch (codec) {
    case ChunkCodec::kSnappy:
      return snappy_max_compressed_length(bytes);
    case ChunkCodec::kLz4:
      return static_cast<size_t>(LZ4_compressBound(static_cast<int>(bytes)));
    case ChunkCodec::kZstd:
      return ZSTD_compressBound(bytes);
  }
  return 0;
}

// nullopt: it failed.
std::optional<size_t> PackChunk(ChunkCodec codec, std::string_view bytes, char* out, size_t out_bytes) {
  switch (codec) {
    case ChunkCodec::kSnappy:
      return snappy_compress(bytes.data(), bytes.size(), out, &out_bytes) == SNAPPY_OK ? std::optional(out_bytes)
                                                                                       : std::nullopt;
    case ChunkCodec::kLz4: {
      const int packed =
          LZ4_compress_default(bytes.data(), out, static_cast<int>(bytes.size()), static_cast<int>(out_bytes));
      return packed > 0 ? std::optional(static_cast<size_t>(packed)) : std::nullopt;
    }
    case ChunkCodec::kZstd: {
      const size_t packed = ZSTD_compress(out, out_bytes, bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
      return ZSTD_isError(packed) != 0 ? std::nullopt : std::optional(packed);
    }
  }
  return std::nullopt;
}

// The maximum size of the decompressed chunk: LZ4 does not store it, but compresses to no less than a 255th.
size_t MaxUnpackedBytes(ChunkCodec codec, std::string_view chunk, size_t wanted) {
  if (codec == ChunkCodec::kLz4) {
    constexpr size_t kBestRatio = 255;
    return std::min(wanted, chunk.size() * kBestRatio);
  }
  if (codec == ChunkCodec::kSnappy) {
    size_t bytes = 0;
    constexpr size_t kBestRatio = 64;  // a copy of 64 bytes takes three
    return snappy_uncompressed_length(chunk.data(), chunk.size(), &bytes) == SNAPPY_OK &&
                   bytes <= chunk.size() * kBestRatio
               ? std::min(wanted, bytes)
               : 0;
  }
  return wanted;
}

std::optional<size_t> UnpackChunk(ChunkCodec codec, std::string_view chunk, char* out, size_t out_bytes) {
  if (codec == ChunkCodec::kSnappy) {
    return snappy_uncompress(chunk.data(), chunk.size(), out, &out_bytes) == SNAPPY_OK ? std::optional(out_bytes)
                                                                                       : std::nullopt;
  }
  const int unpacked =
      LZ4_decompress_safe(chunk.data(), out, static_cast<int>(chunk.size()), static_cast<int>(out_bytes));
  return unpacked >= 0 ? std::optional(static_cast<size_t>(unpacked)) : std::nullopt;
}

// Reads the stream from its front.
class BlockReader {
 public:
  BlockReader(ChunkCodec codec, std::string_view bytes, size_t max_bytes, Buffer* out)
      : codec_(codec), bytes_(bytes), rest_(bytes), max_bytes_(max_bytes), before_(out->size()), out_(out) {}

  Status ReadAll() {
    while (!rest_.empty()) {
      size_t block_bytes = 0;
      KLIP_RETURN_IF_ERROR(TakeLength(&block_bytes));
      if (block_bytes > max_bytes_ - (out_->size() - before_)) {
        return Bad("decompresses to more than " + std::to_string(max_bytes_) + " bytes");
      }
      for (const size_t end = out_->size() + block_bytes; out_->size() < end;) {
        KLIP_RETURN_IF_ERROR(ReadChunk(end - out_->size()));
      }
    }
    return Status::Ok();
  }

 private:
  Status ReadChunk(size_t wanted) {
    size_t chunk_bytes = 0;
    KLIP_RETURN_IF_ERROR(TakeLength(&chunk_bytes));
    if (chunk_bytes == 0 || chunk_bytes > rest_.size()) {
      return Bad("a chunk of " + std::to_string(chunk_bytes) + " bytes, but only " + std::to_string(rest_.size()) +
                 " remain");
    }
    const std::string_view chunk = rest_.substr(0, chunk_bytes);
    const size_t start = out_->size();
    if (codec_ == ChunkCodec::kZstd) {
      KLIP_RETURN_IF_ERROR(UnpackZstd(chunk, wanted, out_));
    } else {
      const size_t room = MaxUnpackedBytes(codec_, chunk, wanted);
      const std::optional<size_t> unpacked =
          room == 0 ? std::nullopt : UnpackChunk(codec_, chunk, out_->Grow(room), room);
      if (!unpacked.has_value()) {
        return Bad("a chunk of " + std::to_string(chunk_bytes) + " bytes cannot be decompressed");
      }
      out_->Truncate(start + *unpacked);
    }
    if (out_->size() == start) {
      return Bad("a chunk without content");
    }
    rest_.remove_prefix(chunk_bytes);
    return Status::Ok();
  }

  Status TakeLength(size_t* length) {
    if (rest_.size() < kLengthBytes) {
      return Bad("a length is cut off");
    }
    *length = ReadBigEndian<uint32_t>(rest_.data());
    rest_.remove_prefix(kLengthBytes);
    return Status::Ok();
  }

  Status Bad(const std::string& what) const {
    return {Code::kInvalidArgument,
            "compressed bytes: " + what + ", at offset " + std::to_string(bytes_.size() - rest_.size())};
  }

  const ChunkCodec codec_;
  const std::string_view bytes_;
  std::string_view rest_;
  const size_t max_bytes_;
  const size_t before_;
  Buffer* const out_;
};

}  // namespace

Status PackBlocks(ChunkCodec codec, std::string_view bytes, Buffer* out) {
  PutBigEndian(out->Grow(kLengthBytes), static_cast<uint32_t>(bytes.size()));
  while (!bytes.empty()) {
    const std::string_view chunk = bytes.substr(0, kChunkBytes);
    bytes.remove_prefix(chunk.size());
    const size_t before = out->size();
    const size_t room = MaxPackedBytes(codec, chunk.size());
    char* const at = out->Grow(kLengthBytes + room);
    const std::optional<size_t> packed = PackChunk(codec, chunk, at + kLengthBytes, room);
    if (!packed.has_value()) {
      return {Code::kIoError, "bytes could not be compressed"};
    }
    PutBigEndian(at, static_cast<uint32_t>(*packed));
    out->Truncate(before + kLengthBytes + *packed);
  }
  return Status::Ok();
}

Status UnpackBlocks(ChunkCodec codec, std::string_view bytes, size_t max_bytes, Buffer* out) {
  return BlockReader(codec, bytes, max_bytes, out).ReadAll();
}

Status PackZstd(std::string_view bytes, Buffer* out) {
  const size_t before = out->size();
  const size_t room = ZSTD_compressBound(bytes.size());
  const size_t packed = ZSTD_compress(out->Grow(room), room, bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(packed) != 0) {
    return {Code::kIoError, "bytes could not be compressed"};
  }
  out->Truncate(before + packed);
  return Status::Ok();
}

Status UnpackZstd(std::string_view bytes, size_t max_bytes, Buffer* out) {
  const std::unique_ptr<ZSTD_DStream, FreeZstd> stream(ZSTD_createDStream());
  if (stream == nullptr) {
    return {Code::kIoError, "no memory to decompress"};
  }
  constexpr size_t kStepBytes = 64 << 10;
  const size_t before = out->size();
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  const auto bad = [&in](const std::string& what) {
    return Status(Code::kInvalidArgument, "compressed bytes: " + what + ", at offset " + std::to_string(in.pos));
  };
  size_t state = 0;  // 0: between two frames
  for (bool full = false; in.pos < in.size || full;) {
    const size_t room = std::min(kStepBytes, max_bytes - (out->size() - before) + 1);
    ZSTD_outBuffer to = {out->Grow(room), room, 0};
    state = ZSTD_decompressStream(stream.get(), &to, &in);
    out->Truncate(out->size() - (room - to.pos));
    if (ZSTD_isError(state) != 0) {
      return bad(ZSTD_getErrorName(state));
    }
    if (out->size() - before > max_bytes) {
      return bad("decompresses to more than " + std::to_string(max_bytes) + " bytes");
    }
    full = to.pos == room && state != 0;
  }
  return state == 0 ? Status::Ok() : bad("the stream is cut off");
}

}  // namespace klip::rpc
