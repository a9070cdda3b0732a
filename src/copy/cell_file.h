// Files of cells, the parts of an export: one Zstandard frame with its checksum (`zstd -d` decompresses it), with cells
// in the format of HBase's KeyValueCodecWithTags (rpc/cell_block.h), rows ascending.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "klip/cell.h"
#include "klip/status.h"

namespace klip::copy {

class CellFileWriter {
 public:
  static Expected<std::unique_ptr<CellFileWriter>> Create(const std::string& path);
  virtual ~CellFileWriter() = default;

  virtual Status Add(const Result& cells) = 0;
  // On disk when it returns.
  virtual Status Finish() = 0;
};

class CellFileReader {
 public:
  static Expected<std::unique_ptr<CellFileReader>> Open(const std::string& path);
  virtual ~CellFileReader() = default;

  // The cell is valid until the next call; false at the end. Errors: kCorruption naming the file and the position,
  // kIoError.
  virtual Expected<bool> Next(Cell* cell) = 0;
};

}  // namespace klip::copy
