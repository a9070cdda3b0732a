// Reader: reads the cells of an HFile, version 3 or 2.3, from first to last. Blocks of cells are in sequence, among those
// of indexes and bloom filters, so this needs no index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hfile/block.h"
#include "hfile/cell_decoder.h"
#include "hfile/source.h"
#include "hfile/trailer.h"
#include "klip/cell.h"
#include "klip/status.h"

namespace klip::hfile {

// The part of the file info that HBase's tools and klip use.
struct FileInfo {
  std::string last_row;  // empty: the file has no cells
  CellTail tail;
};

class Reader {
 public:
  // Errors: kCorruption naming the offset; kUnsupported, see ReadTrailer.
  static Expected<std::unique_ptr<Reader>> Open(std::unique_ptr<Source> source);

  const Source& source() const { return *source_; }
  uint64_t cells() const { return trailer_.cells; }
  const std::string& last_row() const { return info_.last_row; }

  // False: no more. The cell's views are valid until the next call. Errors: kCorruption, also if rows do not ascend or
  // the number of cells differs from the trailer's.
  Expected<bool> Next(Cell* cell);

 private:
  Reader(std::unique_ptr<Source> source, const Trailer& trailer, FileInfo info);

  // False: no more blocks of cells.
  Expected<bool> NextBlock();

  const std::unique_ptr<Source> source_;
  const Trailer trailer_;
  const FileInfo info_;
  BlockReader blocks_;
  CellDecoder decoder_;
  Block block_;
  uint64_t next_block_ = 0;
  bool in_block_ = false;
  uint64_t read_ = 0;
  std::string row_;
};

}  // namespace klip::hfile
