// The end of an HFile, which locates everything else:
//
//   "TRABLK\"$"  length (varint) FileTrailerProto  zeros  minor version (1) major version (3)
//
// 212 bytes in version 2, 4096 in version 3. Source: HBase's FixedFileTrailer.
#pragma once

#include <cstdint>

#include "hfile/source.h"
#include "klip/status.h"
#include "rpc/compression.h"

namespace klip::hfile {

struct Trailer {
  uint64_t begins = 0;  // offset of the trailer; all blocks precede it
  uint64_t file_info = 0;
  uint64_t first_data_block = 0;
  uint64_t last_data_block = 0;
  uint64_t cells = 0;
  rpc::Compression compression = rpc::Compression::kNone;
};

// Errors: kCorruption if it is not an HFile; kUnsupported naming a feature that klip lacks: versions before 2.3 (HBase
// 0.98), encryption, compressions.
Expected<Trailer> ReadTrailer(const Source& source);

}  // namespace klip::hfile
