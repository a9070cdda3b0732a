// Copies key ranges from a source to a target, with several threads, in chunks. A chunk is completed as a unit and
// recorded in the state file. This file knows neither tables nor files.
//
// Example: the range [a, z) and two threads. Thread 1 takes [a, z); thread 2 finds no range. Thread 1, at row "c", sees
// that and gives away the upper half, say [n, z). Finished chunks [a, f), [n, q), ... go to the state file. If the
// process is killed after these two, the next run copies what is left: [f, n) and [q, z).
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
  // The next row or piece of a row; false at the end.
  virtual Expected<bool> Next(Result* cells) = 0;
};

// Thread-safe; readers are not.
class CopySource {
 public:
  virtual ~CopySource() = default;
  // Everything to copy, in order: where it may be cut initially.
  virtual std::vector<KeyRange> Ranges() = 0;
  virtual Expected<std::unique_ptr<CellReader>> Open(const KeyRange& range) = 0;
  // The last row below `stop`; nullopt: the range cannot be cut.
  virtual std::optional<std::string> LastRow(const KeyRange& range) = 0;
};

// Not thread-safe. If a chunk is abandoned, some of its cells may have been written, or all, or none.
class ChunkWriter {
 public:
  virtual ~ChunkWriter() = default;
  // Counts what it omits in *counts.
  virtual Status Add(const Result& cells, CopyCounts* counts) = 0;
  // When it returns, the chunk is on disk, or as durable as the target's durability says. Returns the chunk's own file,
  // if it has one.
  virtual Expected<std::string> Finish() = 0;
};

// Thread-safe.
class CopyTarget {
 public:
  virtual ~CopyTarget() = default;
  virtual Expected<std::unique_ptr<ChunkWriter>> NewChunk() = 0;
};

int64_t BytesOf(const Cell& cell);

// Copies what `state` does not contain yet, and records it there.
Expected<CopyCounts> RunCopy(CopySource* source, CopyTarget* target, const CopyOptions& options, CopyState* state);

}  // namespace klip::copy
