#include "engine/blocks/decoded_block.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/blocks/coding.h"

namespace klip::engine {
namespace {

constexpr size_t kTagBytes = 8;
constexpr uint64_t kMostBytes = UINT32_MAX;  // the ends have 32 bits

// RocksDB's kinds of entries.
constexpr uint64_t kDeletion = 0;
constexpr uint64_t kSingleDeletion = 7;

// A thread's memory for decoding, kept from block to block.
struct Scratch {
  std::vector<uint64_t> tags;
  std::vector<uint32_t> ends;
  std::vector<uint32_t> specials;
  std::unique_ptr<char[]> bytes;
  size_t room = 0;

  void Reserve(size_t used, size_t more) {
    if (used + more > room) [[unlikely]] {
      Grow(used, more);
    }
  }
  void Grow(size_t used, size_t more) {
    const size_t wanted = std::max(2 * room, used + more + (64 << 10));
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    std::copy_n(bytes.get(), used, larger.get());
    bytes = std::move(larger);
    room = wanted;
  }
  // Blocks of large cells must not leave their memory behind in each thread.
  void Shrink() {
    constexpr size_t kKept = 1 << 20;
    if (room > kKept || ends.capacity() * sizeof(uint32_t) > kKept) {
      *this = Scratch();
    }
  }
};

}  // namespace

class DecodedBlock::Decoder {
 public:
  Decoder(uint64_t sequence, uint64_t max_bytes, Scratch* scratch)
      : sequence_(sequence), max_bytes_(std::min(max_bytes, kMostBytes)), scratch_(*scratch) {
    scratch_.tags.clear();
    scratch_.ends.clear();
    scratch_.specials.clear();
  }

  rocksdb::Status Run(std::string_view stored) {
    EntryReader entries(stored, /*has_sizes=*/true);
    if (!entries.ok() || entries.AtEnd()) {
      return rocksdb::Status::Corruption("a block without entries");
    }
    while (!entries.AtEnd()) {
      if (!entries.Next(key_bytes_ + kTagBytes)) {
        return rocksdb::Status::Corruption("a damaged entry in a block");
      }
      if (rocksdb::Status status = Add(entries); !status.ok()) {
        return status;
      }
    }
    scratch_.ends.push_back(static_cast<uint32_t>(used_));
    return rocksdb::Status::OK();
  }

  std::unique_ptr<const DecodedBlock> Take() const {
    const size_t count = scratch_.tags.size();
    const bool same = std::all_of(scratch_.tags.begin(), scratch_.tags.end(),
                                  [this](uint64_t tag) { return tag == scratch_.tags.front(); });
    const size_t tag_bytes = same ? 0 : count * sizeof(uint64_t);
    const size_t end_bytes = scratch_.ends.size() * sizeof(uint32_t);
    const size_t special_bytes = scratch_.specials.size() * sizeof(uint32_t);
    const size_t bytes = tag_bytes + end_bytes + special_bytes + used_;
    std::unique_ptr<DecodedBlock> block(new DecodedBlock());
    block->buffer_ = std::make_unique_for_overwrite<char[]>(bytes);
    char* at = block->buffer_.get();
    if (!same) {
      std::memcpy(at, scratch_.tags.data(), tag_bytes);
      block->tags_ = reinterpret_cast<const uint64_t*>(at);
    }
    at += tag_bytes;
    std::memcpy(at, scratch_.ends.data(), end_bytes);
    block->ends_ = reinterpret_cast<const uint32_t*>(at);
    at += end_bytes;
    if (special_bytes > 0) {
      std::memcpy(at, scratch_.specials.data(), special_bytes);
    }
    block->specials_ = reinterpret_cast<const uint32_t*>(at);
    at += special_bytes;
    std::memcpy(at, scratch_.bytes.get(), used_);
    block->bytes_ = at;
    block->size_ = static_cast<uint32_t>(count);
    block->specials_count_ = static_cast<uint32_t>(scratch_.specials.size());
    block->tag_ = scratch_.tags.front();
    block->max_sequence_ = max_sequence_;
    block->memory_ = sizeof(DecodedBlock) + bytes;
    return block;
  }

 private:
  char* Bytes(size_t at) const { return scratch_.bytes.get() + at; }

  // Writes the key after the previous value. The tag, its last eight bytes, is then overwritten by the value.
  rocksdb::Status Add(const EntryReader& entry) {
    const std::string_view fresh = entry.fresh();
    const size_t whole = entry.shared() + fresh.size();
    if (whole < kTagBytes || used_ + whole + entry.value().size() > max_bytes_ + kTagBytes) {
      return rocksdb::Status::Corruption("a key in a block has " + std::to_string(whole) + " bytes, a value " +
                                         std::to_string(entry.value().size()));
    }
    scratch_.Reserve(used_, whole + entry.value().size());
    char* const key = Bytes(used_);
    const size_t of_key = std::min(entry.shared(), key_bytes_);
    std::memcpy(key, Bytes(key_at_), of_key);
    if (entry.shared() > of_key) {
      std::memcpy(key + of_key, reinterpret_cast<const char*>(&tag_), entry.shared() - of_key);
    }
    std::memcpy(key + entry.shared(), fresh.data(), fresh.size());
    const size_t key_bytes = whole - kTagBytes;
    const auto tag = ReadLittleEndian<uint64_t>(key + key_bytes);
    rocksdb::Status status = CheckOrder({key, key_bytes}, entry.shared(), tag);
    if (!status.ok()) {
      return status;
    }
    std::memcpy(key + key_bytes, entry.value().data(), entry.value().size());
    scratch_.ends.push_back(static_cast<uint32_t>(used_));
    scratch_.ends.push_back(static_cast<uint32_t>(used_ + key_bytes));
    key_at_ = used_;
    key_bytes_ = key_bytes;
    tag_ = tag;
    used_ += key_bytes + entry.value().size();
    return status;
  }

  // Notes the entry's tag, and whether it is special.
  rocksdb::Status CheckOrder(std::string_view key, size_t shared, uint64_t tag) {
    const uint64_t type = tag & kTypeMask;
    if (type != kValue && type != kDeletion && type != kSingleDeletion) {
      return rocksdb::Status::NotSupported("an entry of kind " + std::to_string(type) + " in a block");
    }
    const auto i = static_cast<uint32_t>(scratch_.tags.size());
    bool twice = false;
    if (i > 0) {
      const std::string_view before{Bytes(key_at_), key_bytes_};
      const size_t common = std::min({shared, key.size(), before.size()});
      const int order = before.substr(common).compare(key.substr(common));
      twice = order == 0;
      if (order > 0 || (twice && tag >= tag_)) {
        return rocksdb::Status::Corruption("keys of a block are not in order");
      }
    }
    if (twice && (scratch_.specials.empty() || scratch_.specials.back() != i - 1)) {
      scratch_.specials.push_back(i - 1);
    }
    if (twice || type != kValue) {
      scratch_.specials.push_back(i);
    }
    const uint64_t sequence = sequence_ == kOwnSequences ? tag >> kTypeBits : sequence_;
    max_sequence_ = std::max(max_sequence_, sequence);
    scratch_.tags.push_back(sequence << kTypeBits | type);
    return rocksdb::Status::OK();
  }

  const uint64_t sequence_;
  const uint64_t max_bytes_;
  Scratch& scratch_;
  size_t used_ = 0;
  // The previous entry:
  size_t key_at_ = 0;
  size_t key_bytes_ = 0;
  uint64_t tag_ = 0;  // as stored
  uint64_t max_sequence_ = 0;
};

rocksdb::Status DecodedBlock::Decode(std::string_view stored, uint64_t sequence, uint64_t max_bytes,
                                     std::unique_ptr<const DecodedBlock>* out) {
  thread_local Scratch scratch;
  Decoder decoder(sequence, max_bytes, &scratch);
  rocksdb::Status status = decoder.Run(stored);
  if (status.ok()) {
    *out = decoder.Take();
  }
  scratch.Shrink();
  return status;
}

uint32_t DecodedBlock::SpecialFrom(uint32_t from) const {
  const uint32_t* const end = specials_ + specials_count_;
  const uint32_t* const found = std::lower_bound(specials_, end, from);
  return found == end ? size_ : *found;
}

uint32_t DecodedBlock::EndOfSpecialBefore(uint32_t end) const {
  const uint32_t* const found = std::lower_bound(specials_, specials_ + specials_count_, end);
  return found == specials_ ? 0 : *(found - 1) + 1;
}

uint32_t DecodedBlock::LowerBound(std::string_view key, uint32_t low, uint32_t high) const {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (Key(middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint32_t DecodedBlock::Gallop(std::string_view key, uint32_t from) const {
  uint32_t low = from;
  uint32_t step = 1;
  while (step < size_ - low && Key(low + step) < key) {
    low += step;
    step *= 2;
  }
  return LowerBound(key, low, low + std::min(step, size_ - low));
}

}  // namespace klip::engine
