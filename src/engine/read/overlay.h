// Overlay: cells that a transaction has written, as they would be stored, until it commits. An iterator of RocksDB with an overlay
// over it is one more iterator, so whatever reads stored cells sees both: versions, markers, filters and jumps are not its matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "rocksdb/iterator.h"
#include "rocksdb/options.h"

#include "engine/store/write_set.h"
#include "klip/status.h"

namespace klip::engine {

// Written in numbered steps, of which an iterator sees those before it was made. Not thread-safe; iterators stay valid whatever is
// written or rolled back, and keep the overlay alive.
class Overlay : public std::enable_shared_from_this<Overlay> {
 public:
  // Lays the cells over what is there, as one step. Errors: kCorruption never, of a set made by WriteSet.
  Status Add(const WriteSet& writes);

  uint64_t step() const { return step_; }
  void RollBackTo(uint64_t step);
  size_t bytes() const { return bytes_; }  // about as much as it has in memory

  // `options`: those that `base` was made with; their bounds hold for both, and must outlive the iterator.
  std::unique_ptr<rocksdb::Iterator> Over(std::unique_ptr<rocksdb::Iterator> base, uint32_t column_family,
                                          const rocksdb::ReadOptions& options) const;

 private:
  friend class OverlaidIterator;
  struct Version {
    uint64_t step = 0;
    bool removed = false;  // the key is not there
    std::string value;
  };
  using Versions = std::forward_list<Version>;  // the newest first
  using Keys = std::map<std::string, Versions, std::less<>>;

  std::map<uint32_t, Keys> families_;  // by RocksDB's number
  Versions rolled_back_;               // iterators may stand there
  uint64_t step_ = 0;
  size_t bytes_ = 0;
};

}  // namespace klip::engine
