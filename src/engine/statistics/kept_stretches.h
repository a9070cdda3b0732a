// KeptStretches: the stretches of rows (filter/rows/row_stretches.h) of the families that were explained last. Their memory is bounded over
// all families: those that were not used for the longest time go first. An explain of their table reads them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "filter/rows/row_stretches.h"

namespace klip::engine {

// Thread-safe.
class KeptStretches {
 public:
  static constexpr size_t kMostBytes = 16 << 20;  // TUNING: those of some 20 tables
  static constexpr size_t kShareOfCache = 16;     // at most a 16th of the block cache

  explicit KeptStretches(size_t most_bytes) : most_bytes_(most_bytes) {}

  // Replaces those of the family, given by its id. They are not kept if they alone exceed the bound.
  void Put(uint32_t family, std::shared_ptr<const filter::RowStretches> stretches);
  // Null: they are not kept.
  std::shared_ptr<const filter::RowStretches> Find(uint32_t family);
  void Erase(uint32_t family);
  size_t bytes() const;

 private:
  struct Kept {
    uint32_t family = 0;
    size_t bytes = 0;
    std::shared_ptr<const filter::RowStretches> stretches;
  };
  using List = std::list<Kept>;

  List::iterator At(uint32_t family);
  void EraseAt(List::iterator at);

  const size_t most_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  List kept_;                 // those that were used last, first: few, so that they are searched one by one
  size_t bytes_ = 0;
};

}  // namespace klip::engine
