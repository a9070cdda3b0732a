#include "hfile/trailer.h"

#include <array>
#include <optional>
#include <string>

#include "klip/bytes.h"
#include "proto/HFile.pb.h"
#include "rpc/frame.h"

namespace klip::hfile {
namespace {

using rpc::Compression;

constexpr std::string_view kMagic = "TRABLK\"$";
constexpr size_t kVersionBytes = 4;
constexpr uint32_t kMinMinorOfVersion2 = 3;  // the first whose file info is a message

// By HBase's numbers: Compression.Algorithm.
struct Codec {
  std::string_view name;
  std::optional<Compression> compression;
};
constexpr std::array<Codec, 9> kCodecs = {{{"LZO", std::nullopt},
                                           {"GZ", Compression::kGzip},
                                           {"NONE", Compression::kNone},
                                           {"SNAPPY", Compression::kSnappy},
                                           {"LZ4", Compression::kLz4},
                                           {"BZIP2", std::nullopt},
                                           {"ZSTD", Compression::kZstd},
                                           {"LZMA", std::nullopt},
                                           {"BROTLI", std::nullopt}}};
constexpr uint32_t kNoneCodec = 2;

Status Unsupported(const Source& source, const std::string& what) {
  return {Code::kUnsupported, source.name() + ": klip does not read HFiles " + what};
}

Expected<size_t> TrailerBytes(const Source& source, uint32_t version) {
  const uint32_t major = version & 0xFFFFFF;
  const uint32_t minor = version >> 24;
  if (major == 3) {
    return size_t{4096};
  }
  if (major == 2 && minor >= kMinMinorOfVersion2) {
    return size_t{212};
  }
  if (major == 1 || major == 2) {
    return Unsupported(source, "of version " + std::to_string(major) + "." + std::to_string(minor));
  }
  return source.Bad(source.size() - kVersionBytes, "not the end of an HFile");
}

}  // namespace

Expected<Trailer> ReadTrailer(const Source& source) {
  std::array<char, kVersionBytes> version{};
  if (source.size() < version.size()) {
    return source.Bad(0, "a file of " + std::to_string(source.size()) + " bytes is not an HFile");
  }
  KLIP_RETURN_IF_ERROR(source.Read(source.size() - version.size(), version.size(), version.data()));
  KLIP_ASSIGN_OR_RETURN(const size_t bytes, TrailerBytes(source, ReadBigEndian<uint32_t>(version.data())));
  if (source.size() < bytes) {
    return source.Bad(0, "a file of " + std::to_string(source.size()) + " bytes is not an HFile");
  }
  Trailer trailer;
  trailer.begins = source.size() - bytes;
  std::string text(bytes, '\0');
  KLIP_RETURN_IF_ERROR(source.Read(trailer.begins, bytes, text.data()));
  std::string_view rest = text;
  std::string_view message;
  hbase::pb::FileTrailerProto proto;
  if (!rest.starts_with(kMagic)) {
    return source.Bad(trailer.begins, "the trailer has a wrong start");
  }
  rest.remove_prefix(kMagic.size());
  if (!rpc::TakeDelimited(&rest, &message) || !proto.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return source.Bad(trailer.begins, "the trailer is unreadable");
  }
  if (proto.has_encryption_key()) {
    return Unsupported(source, "that are encrypted");
  }
  const uint32_t codec = proto.has_compression_codec() ? proto.compression_codec() : kNoneCodec;
  if (codec >= kCodecs.size()) {
    return source.Bad(trailer.begins, "unknown compression number " + std::to_string(codec));
  }
  if (!kCodecs[codec].compression.has_value()) {
    return Unsupported(source, "compressed by " + std::string(kCodecs[codec].name));
  }
  trailer.compression = *kCodecs[codec].compression;
  trailer.file_info = proto.file_info_offset();
  trailer.first_data_block = proto.first_data_block_offset();
  trailer.last_data_block = proto.last_data_block_offset();
  trailer.cells = proto.entry_count();
  return trailer;
}

}  // namespace klip::hfile
