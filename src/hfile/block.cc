#include "hfile/block.h"

#include <algorithm>
#include <array>
#include <string>

#include "hfile/checksum.h"
#include "klip/bytes.h"

namespace klip::hfile {
namespace {

constexpr size_t kHeaderBytes = 33;
constexpr size_t kSumBytes = 4;
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

BlockType TypeOf(std::string_view magic) {
  if (magic == "DATABLK*") {
    return BlockType::kData;
  }
  if (magic == "DATABLKE") {
    return BlockType::kEncodedData;
  }
  return magic == "FILEINF2" ? BlockType::kFileInfo : BlockType::kOther;
}

// HBase's own codec writes Zstandard in Hadoop's block stream; Hadoop's codec writes it plain.
rpc::Compression CompressionOf(const Trailer& trailer, std::string_view content) {
  return trailer.compression == rpc::Compression::kZstd && content.starts_with(kZstdMagic)
             ? rpc::Compression::kZstdStream
             : trailer.compression;
}

}  // namespace

Status BlockReader::Read(uint64_t offset, Block* block) {
  const auto bad = [&](std::string_view what) { return source_->Bad(offset, what); };
  if (offset >= trailer_.begins || trailer_.begins - offset < kHeaderBytes) {
    return bad("not the start of a block");
  }
  const uint64_t left = trailer_.begins - offset - kHeaderBytes;
  std::array<char, kHeaderBytes> header{};
  KLIP_RETURN_IF_ERROR(source_->Read(offset, header.size(), header.data()));
  block->type = TypeOf({header.data(), 8});
  const size_t on_disk = ReadBigEndian<uint32_t>(header.data() + 8);
  const size_t unpacked = ReadBigEndian<uint32_t>(header.data() + 12);
  const auto sum_type = static_cast<uint8_t>(header[24]);
  const size_t bytes_per_sum = ReadBigEndian<uint32_t>(header.data() + 25);
  const size_t data_and_header = ReadBigEndian<uint32_t>(header.data() + 29);
  if (on_disk > left || on_disk > kMaxBlockBytes) {
    return bad("a block of " + std::to_string(on_disk) + " bytes, but only " + std::to_string(left) + " remain");
  }
  if (unpacked > kMaxBlockBytes) {
    return bad("a block of " + std::to_string(unpacked) + " bytes when decompressed");
  }
  block->offset = offset;
  block->next = offset + kHeaderBytes + on_disk;
  block->content.Clear();
  if (block->type == BlockType::kOther) {
    return Status::Ok();
  }
  if (bytes_per_sum == 0 || data_and_header < kHeaderBytes || data_and_header > kHeaderBytes + on_disk) {
    return bad("the block's header is invalid");
  }
  const size_t sums = (data_and_header + bytes_per_sum - 1) / bytes_per_sum;
  if (data_and_header + sums * kSumBytes != kHeaderBytes + on_disk) {
    return bad("the block's sizes are inconsistent");
  }
  on_disk_.Clear();
  KLIP_RETURN_IF_ERROR(source_->Read(offset, kHeaderBytes + on_disk, on_disk_.Grow(kHeaderBytes + on_disk)));
  KLIP_RETURN_IF_ERROR(Verify(offset, sum_type, bytes_per_sum, sums));
  const std::string_view content = on_disk_.view().substr(kHeaderBytes, data_and_header - kHeaderBytes);
  const Status status = rpc::Decompress(CompressionOf(trailer_, content), content, unpacked, &block->content);
  if (!status.ok()) {
    return bad(status.message());
  }
  if (block->content.size() != unpacked) {
    return bad("decompressed, the block has " + std::to_string(block->content.size()) + " bytes, its header says " +
               std::to_string(unpacked));
  }
  return Status::Ok();
}

Status BlockReader::Verify(uint64_t offset, uint8_t type, size_t bytes_per_sum, size_t sums) const {
  enum : uint8_t { kNull = 0, kCrc32 = 1, kCrc32C = 2 };
  if (type == kNull) {
    return Status::Ok();
  }
  if (type > kCrc32C) {
    return source_->Bad(offset, "unknown checksum number " + std::to_string(type));
  }
  std::string_view data = on_disk_.view().substr(0, on_disk_.size() - sums * kSumBytes);
  const char* sum = on_disk_.data() + data.size();
  for (; !data.empty(); data.remove_prefix(std::min(bytes_per_sum, data.size())), sum += kSumBytes) {
    const std::string_view piece = data.substr(0, bytes_per_sum);
    if ((type == kCrc32 ? Crc32(piece) : Crc32C(piece)) != ReadBigEndian<uint32_t>(sum)) {
      const auto at = offset + static_cast<uint64_t>(data.data() - on_disk_.data());
      return source_->Bad(at, "checksum mismatch: the bytes were changed");
    }
  }
  return Status::Ok();
}

}  // namespace klip::hfile
