// DecodedBlock: the entries of a data block with whole keys, made once when the block is read.
//
// RocksDB's iterator puts a key together from pieces at each step, and again for each seek. Here a step is an addition, and
// a search compares keys in place.
//
// Example: three entries "row1" -> "a", "row2" -> "b", "row2" -> deleted at an earlier time. Bytes are "row1arow2brow2", the ends of keys
// and values 0 4 5 9 10 14 14. Entries 1 and 2 are special: a reader has to choose between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "rocksdb/status.h"

namespace klip::engine {

// Immutable. Keys ascend; of entries with the same key, the newer one comes first.
class DecodedBlock {
 public:
  static constexpr uint64_t kOwnSequences = UINT64_MAX;

  // `sequence`: of all entries, for files that were written outside of the database; kOwnSequences: each has its own.
  // `max_bytes`: of all keys and values. Errors: Corruption; NotSupported: an entry is of a kind that klip does not write.
  static rocksdb::Status Decode(std::string_view stored, uint64_t sequence, uint64_t max_bytes,
                                std::unique_ptr<const DecodedBlock>* out);

  uint32_t size() const { return size_; }  // > 0
  std::string_view Key(uint32_t i) const { return {bytes_ + ends_[2 * i], ends_[2 * i + 1] - ends_[2 * i]}; }
  std::string_view Value(uint32_t i) const { return {bytes_ + ends_[2 * i + 1], ends_[2 * i + 2] - ends_[2 * i + 1]}; }
  uint64_t Sequence(uint32_t i) const { return Tag(i) >> kTypeBits; }
  bool Deleted(uint32_t i) const { return (Tag(i) & kTypeMask) != kValue; }
  uint64_t max_sequence() const { return max_sequence_; }

  // The first entry at `from` or later that is deleted, or has the key of a neighbour; size(): none.
  uint32_t SpecialFrom(uint32_t from) const;
  // The last one before `end`, plus one; 0: none.
  uint32_t EndOfSpecialBefore(uint32_t end) const;
  bool has_specials() const { return specials_count_ > 0; }

  // The first entry in [low, high) whose key is not less; high: none.
  uint32_t LowerBound(std::string_view key, uint32_t low, uint32_t high) const;
  // The same from `from` on, in steps that the distance doubles.
  uint32_t Gallop(std::string_view key, uint32_t from) const;

  size_t memory() const { return memory_; }

 private:
  static constexpr int kTypeBits = 8;
  static constexpr uint64_t kTypeMask = 0xFF;
  static constexpr uint64_t kValue = 1;

  class Decoder;
  DecodedBlock() = default;

  uint64_t Tag(uint32_t i) const { return tags_ == nullptr ? tag_ : tags_[i]; }

  uint32_t size_ = 0;
  uint32_t specials_count_ = 0;
  uint64_t max_sequence_ = 0;
  uint64_t tag_ = 0;  // of all entries, if tags_ is null: sequence << 8 | type
  const uint64_t* tags_ = nullptr;
  const uint32_t* ends_ = nullptr;
  const uint32_t* specials_ = nullptr;
  const char* bytes_ = nullptr;
  size_t memory_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace klip::engine
