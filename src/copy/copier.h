// The work of a copy: key ranges from a source to a target, by several threads, in chunks. A chunk is what is finished as one and
// noted in the state file. This file knows neither tables nor files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copy/copy_state.h"
#include "copy/key_range.h"
#include "klip/cell.h"
#include "klip/copy.h"
#include "klip/status.h"

namespace klip::copy {

class CellReader {
 public:
  virtual ~CellReader() = default;
  // The next row or piece of one; false at the end.
  virtual Expected<bool> Next(Result* cells) = 0;
};

// Thread-safe; readers are not.
class CopySource {
 public:
  virtual ~CopySource() = default;
  // All there is to copy, in order: where it may be cut to begin with.
  virtual std::vector<KeyRange> Ranges() = 0;
  virtual Expected<std::unique_ptr<CellReader>> Open(const KeyRange& range) = 0;
  // The last row below `stop`, or nullopt: then the range is not cut further.
  virtual std::optional<std::string> LastRow(const KeyRange& range) = 0;
};

// Not thread-safe. A chunk that is dropped before its end may leave some of its cells, all of them, or none.
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  // Counts what it leaves out in *counts.
  virtual Status Add(const Result& cells, CopyCounts* counts) = 0;
  // All of it is on disk, or as the target's durability has it. Returns the file that holds it, if it is one of its own.
  virtual Expected<std::string> Finish() = 0;
};

// Thread-safe.
class CopyTarget {
 public:
  virtual ~CopyTarget() = default;
  virtual Expected<std::unique_ptr<ChunkWriter>> NewChunk() = 0;
};

int64_t BytesOf(const Cell& cell);

// Copies what `state` does not have yet, and notes it there.
Expected<CopyCounts> RunCopy(CopySource* source, CopyTarget* target, const CopyOptions& options, CopyState* state);

}  // namespace klip::copy
