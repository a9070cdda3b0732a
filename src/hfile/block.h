// Blocks, which an HFile is made of:
//
//   type (8) bytes on disk (4) bytes unpacked (4) block before (8) checksum type (1) bytes per checksum (4)
//   bytes on disk with header, without checksums (4) | content | checksums (4 each)
//
// "on disk" counts content and checksums. Numbers are big-endian. Source: HBase's HFileBlock, ChecksumUtil.
#pragma once

#include <cstdint>
#include <string_view>

#include "hfile/source.h"
#include "hfile/trailer.h"
#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::hfile {

enum class BlockType : uint8_t { kData, kEncodedData, kFileInfo, kOther };

// TUNING: HBase's blocks are 64 KB and one cell, whose default limit is 10 MB.
inline constexpr size_t kMaxBlockBytes = 256 << 20;

struct Block {
  BlockType type = BlockType::kOther;
  uint64_t offset = 0;
  uint64_t next = 0;    // where the next one begins
  rpc::Buffer content;  // unpacked; empty of kOther, which klip does not need
};

class BlockReader {
 public:
  // `source` outlives it.
  BlockReader(const Source* source, const Trailer& trailer) : source_(source), trailer_(trailer) {}

  // Fills *block, whose memory is used again. Errors: kCorruption, also for checksums that do not fit, naming the offset.
  Status Read(uint64_t offset, Block* block);

 private:
  Status Verify(uint64_t offset, uint8_t type, size_t bytes_per_sum, size_t sums) const;

  const Source* const source_;
  const Trailer trailer_;
  rpc::Buffer on_disk_;
};

}  // namespace klip::hfile
