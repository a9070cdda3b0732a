// Overlay: the cells that a transaction has written but not committed, in their stored form. It extends a RocksDB
// iterator, so every reader of stored cells sees both. Versions, markers, filters and jumps need no code for
// transactions.
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

// Writes come in numbered steps; an iterator sees the steps before its creation. Not thread-safe. Later writes and
// rollbacks do not invalidate iterators, and iterators keep the overlay alive.
class Overlay : public std::enable_shared_from_this<Overlay> {
 public:
  // Adds the cells as one step. Errors: kCorruption; never for a set made by WriteSet.
  Status Add(const WriteSet& writes);

  uint64_t step() const { return step_; }
  void RollBackTo(uint64_t step);
  size_t bytes() const { return bytes_; }  // approximate memory use

  // `options`: those that `base` was created with. Their bounds apply to both sides, and must outlive the iterator.
  std::unique_ptr<rocksdb::Iterator> Over(std::unique_ptr<rocksdb::Iterator> base, uint32_t column_family,
                                          const rocksdb::ReadOptions& options) const;

 private:
  friend class OverlaidIterator;
  struct Version {
    uint64_t step = 0;
    bool removed = false;  // the key is deleted
    std::string value;
  };
  using Versions = std::forward_list<Version>;  // the newest first
  using Keys = std::map<std::string, Versions, std::less<>>;

  std::map<uint32_t, Keys> families_;  // by RocksDB's number
  Versions rolled_back_;               // iterators may still stand there
  uint64_t step_ = 0;
  size_t bytes_ = 0;
};

}  // namespace klip::engine
