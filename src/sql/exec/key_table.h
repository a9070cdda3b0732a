// Numbers different keys in the order in which they come: a hash table with open addressing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/exec/vector.h"

namespace klip::sql {

class KeyTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  size_t size() const { return keys_.size(); }
  std::string_view key(size_t number) const { return keys_[number]; }
  // What it holds, once `more` keys have been added, but for their bytes.
  size_t memory_bytes(size_t more = 0) const {
    const size_t slots = std::max(slots_.capacity(), more == 0 ? 0 : std::bit_ceil(2 * (keys_.size() + more)));
    return arena_.bytes() + slots * sizeof(uint32_t) +
           CapacityWith(keys_, more) * (sizeof(std::string_view) + sizeof(size_t));
  }

  // The key's number, and whether it is new.
  std::pair<uint32_t, bool> Insert(std::string_view key) {
    if (keys_.size() * 2 >= slots_.size()) {
      Grow();
    }
    const size_t hash = std::hash<std::string_view>()(key);
    uint32_t& slot = slots_[Slot(key, hash)];
    if (slot != kNone) {
      return {slot, false};
    }
    slot = static_cast<uint32_t>(keys_.size());
    keys_.push_back(arena_.Store(key));
    hashes_.push_back(hash);
    return {slot, true};
  }

  // The key's number, or kNone.
  uint32_t Find(std::string_view key) const {
    return slots_.empty() ? kNone : slots_[Slot(key, std::hash<std::string_view>()(key))];
  }

  void Clear() {
    slots_.clear();
    keys_.clear();
    hashes_.clear();
    arena_.Clear();
  }

 private:
  // Where the key is, or the free slot where it would be.
  size_t Slot(std::string_view key, size_t hash) const {
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != kNone && (hashes_[slots_[at]] != hash || keys_[slots_[at]] != key)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  void Grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (uint32_t number = 0; number < keys_.size(); ++number) {
      size_t at = hashes_[number] & (slots_.size() - 1);
      while (slots_[at] != kNone) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = number;
    }
  }

  std::vector<uint32_t> slots_;  // a power of two, at most half full
  std::vector<std::string_view> keys_;
  std::vector<size_t> hashes_;
  ReservedArena arena_;
};

}  // namespace klip::sql
