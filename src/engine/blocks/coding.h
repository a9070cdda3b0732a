// Numbers as in RocksDB's tables. All functions check bounds: the bytes come from files.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/layout/little_endian.h"

namespace klip::engine {

// Returns the byte after the number; null: it does not end before `end`, or is too large.
inline const char* ReadVarint64(const char* at, const char* end, uint64_t* value) {
  uint64_t sum = 0;
  for (int shift = 0; shift < 64 && at < end; shift += 7) {
    const auto byte = static_cast<uint8_t>(*at++);
    sum |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      *value = sum;
      return at;
    }
  }
  return nullptr;
}

inline const char* ReadVarint32(const char* at, const char* end, uint32_t* value) {
  uint64_t wide = 0;
  at = ReadVarint64(at, end, &wide);
  *value = static_cast<uint32_t>(wide);
  return wide > UINT32_MAX ? nullptr : at;
}

// Eight bytes of a key from `at` on, padded with zeros, as a number: mostly, comparing two keys means comparing these.
inline uint64_t KeyHead(std::string_view key, size_t at) {
  uint64_t head = 0;
  if (key.size() >= at + sizeof(head)) {
    std::memcpy(&head, key.data() + at, sizeof(head));
  } else if (key.size() > at) {
    std::memcpy(&head, key.data() + at, key.size() - at);
  }
  return __builtin_bswap64(head);
}

// The entries of a block: each shares the first bytes of its key with the key before it. The positions of keys that share
// nothing, which follow the entries, are not needed.
class EntryReader {
 public:
  // `has_sizes`: entries say how long their values are. Index blocks do not.
  EntryReader(std::string_view block, bool has_sizes) : at_(block.data()), has_sizes_(has_sizes) {
    if (block.size() < sizeof(uint32_t)) {
      return;
    }
    const auto restarts = ReadLittleEndian<uint32_t>(block.data() + block.size() - sizeof(uint32_t));
    // The highest bit says that a hash table follows, which klip does not let RocksDB write.
    if (restarts < block.size() / sizeof(uint32_t)) {
      end_ = block.data() + block.size() - sizeof(uint32_t) * (1 + static_cast<size_t>(restarts));
    }
  }

  bool ok() const { return end_ != nullptr; }
  bool AtEnd() const { return at_ == end_; }
  // Reads the head of an entry. `key_bytes`: of the key before it. False: damaged. REQUIRES: ok(), !AtEnd().
  bool Next(size_t key_bytes) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(at_);
    if (has_sizes_ && end_ - at_ > 3 && (bytes[0] | bytes[1] | bytes[2]) < 0x80) [[likely]] {
      shared_ = bytes[0];
      fresh_bytes_ = bytes[1];
      value_bytes_ = bytes[2];
      at_ += 3;
    } else {
      value_bytes_ = 0;
      if ((at_ = ReadVarint32(at_, end_, &shared_)) == nullptr ||
          (at_ = ReadVarint32(at_, end_, &fresh_bytes_)) == nullptr ||
          (has_sizes_ && (at_ = ReadVarint32(at_, end_, &value_bytes_)) == nullptr)) {
        return false;
      }
    }
    fresh_ = at_;
    if (shared_ > key_bytes || uint64_t{fresh_bytes_} + value_bytes_ > static_cast<uint64_t>(end_ - at_)) {
      return false;
    }
    at_ += uint64_t{fresh_bytes_} + value_bytes_;
    return true;
  }
  size_t shared() const { return shared_; }
  std::string_view fresh() const { return {fresh_, fresh_bytes_}; }
  std::string_view value() const { return {fresh_ + fresh_bytes_, value_bytes_}; }
  // Without sizes: the values starts at rest(); MoveTo says where it ended.
  const char* rest() const { return at_; }
  const char* end() const { return end_; }
  void MoveTo(const char* at) { at_ = at; }

 private:
  const char* at_;
  const char* end_ = nullptr;  // null: damaged
  const bool has_sizes_;
  uint32_t shared_ = 0;
  uint32_t fresh_bytes_ = 0;
  uint32_t value_bytes_ = 0;
  const char* fresh_ = nullptr;
};

}  // namespace klip::engine
