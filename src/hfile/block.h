// The blocks of an HFile:
//
//   type (8) bytes on disk (4) decompressed bytes (4) previous block (8) checksum type (1) bytes per checksum (4)
//   bytes on disk with header, without checksums (4) | content | checksums (4 each)
//
// "on disk" includes content and checksums. Numbers are big-endian. Source: HBase's HFileBlock, ChecksumUtil.
#pragma once

#include <cstdint>
#include <string_view>

#include "hfile/source.h"
#include "hfile/trailer.h"
#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::hfile {

enum class BlockType : uint8_t { kData, kEncodedData, kFileInfo, kOther };

// TUNING: HBase's blocks have 64 KB plus one cell, which by default has at most 10 MB.
inline constexpr size_t kMaxBlockBytes = 256 << 20;

struct Block {
  BlockType type = BlockType::kOther;
  uint64_t offset = 0;
  uint64_t next = 0;    // offset of the next block
  rpc::Buffer content;  // decompressed; empty for kOther, which klip does not need
};

class BlockReader {
 public:
  // `source` outlives it.
  BlockReader(const Source* source, const Trailer& trailer) : source_(source), trailer_(trailer) {}

  // Fills *block, reusing its memory. Errors: kCorruption, also for wrong checksums, naming the offset.
  Status Read(uint64_t offset, Block* block);

 private:
  Status Verify(uint64_t offset, uint8_t type, size_t bytes_per_sum, size_t sums) const;

  const Source* const source_;
  const Trailer trailer_;
  rpc::Buffer on_disk_;
};

}  // namespace klip::hfile
