#include "rpc/zlib_stream.h"

#include <algorithm>
#include <string>

#include <zlib.h>

namespace klip::rpc {
namespace {

constexpr int kZlibWindow = 15;
constexpr int kGzipWindow = 15 + 16;  // zlib: adding 16 selects gzip's header

int WindowOf(ZlibHeader header) { return header == ZlibHeader::kGzip ? kGzipWindow : kZlibWindow; }

Status Bad(std::string_view what, const z_stream& stream) {
  return {Code::kInvalidArgument, "compressed bytes: " + std::string(what) + " at offset " +
                                      std::to_string(stream.total_in) +
                                      (stream.msg == nullptr ? "" : std::string(" (") + stream.msg + ")")};
}

Bytef* Input(std::string_view bytes) {
  // zlib's interface is not const; it does not write there
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

}  // namespace

Status Deflate(ZlibHeader header, std::string_view bytes, Buffer* out) {
  z_stream stream = {};
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WindowOf(header), kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {Code::kIoError, "no memory to compress"};
  }
  const size_t bound = deflateBound(&stream, bytes.size());
  stream.next_in = Input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  const size_t before = out->size();
  stream.next_out = reinterpret_cast<Bytef*>(out->Grow(bound));
  stream.avail_out = static_cast<uInt>(bound);
  const int ended = deflate(&stream, Z_FINISH);
  out->Truncate(before + stream.total_out);
  deflateEnd(&stream);
  return ended == Z_STREAM_END ? Status() : Status(Code::kIoError, "bytes could not be compressed");
}

Status Inflate(ZlibHeader header, std::string_view bytes, size_t max_bytes, Buffer* out) {
  z_stream stream = {};
  if (inflateInit2(&stream, WindowOf(header)) != Z_OK) {
    return {Code::kIoError, "no memory to decompress"};
  }
  stream.next_in = Input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  constexpr size_t kStepBytes = 64 << 10;
  const size_t before = out->size();
  Status status;
  for (int state = Z_OK; state != Z_STREAM_END && status.ok();) {
    const size_t room = std::min(kStepBytes, max_bytes - (out->size() - before) + 1);
    stream.next_out = reinterpret_cast<Bytef*>(out->Grow(room));
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    out->Truncate(out->size() - stream.avail_out);
    if (state != Z_OK && state != Z_STREAM_END) {
      status = Bad(state == Z_BUF_ERROR ? "the stream is cut off" : "not such a stream", stream);
    } else if (out->size() - before > max_bytes) {
      status = Bad("decompresses to more than " + std::to_string(max_bytes) + " bytes", stream);
    }
  }
  inflateEnd(&stream);
  return status;
}

}  // namespace klip::rpc
