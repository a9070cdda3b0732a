// BlockIndex: where the data blocks of a table are, and which keys each can have.
//
// Example: the separators "k", "t" and "z" of three blocks say that the keys up to "k" are in the first one, those after it up to "t" in
// the second one. Separators are user keys: no key is in two blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/status.h"

namespace klip::engine {

// Of a block in a file, without the trailer of kBlockTrailerBytes.
struct BlockHandle {
  uint64_t offset = 0;
  uint64_t bytes = 0;

  // The byte after it; null: damaged.
  const char* Read(const char* at, const char* end);
};
inline constexpr size_t kBlockTrailerBytes = 5;  // the kind of compression, and a checksum

// What decompressing the data blocks of a table needs besides them.
class CompressionDictionary {
 public:
  explicit CompressionDictionary(std::string bytes);
  ~CompressionDictionary();
  CompressionDictionary(const CompressionDictionary&) = delete;
  CompressionDictionary& operator=(const CompressionDictionary&) = delete;

  std::string_view bytes() const { return bytes_; }
  const void* zstd() const { return zstd_; }  // a ZSTD_DDict
  size_t memory() const;

 private:
  const std::string bytes_;
  void* zstd_ = nullptr;
};

// Immutable.
class BlockIndex {
 public:
  struct Format {
    bool whole_keys = false;  // with sequence numbers
    bool delta_handles = false;
    uint64_t blocks = 0;
    uint64_t file_bytes = 0;
  };
  // `dictionary`: null: the table has none. Errors: Corruption.
  static rocksdb::Status Decode(std::string_view stored, const Format& format,
                                std::unique_ptr<const CompressionDictionary> dictionary,
                                std::unique_ptr<const BlockIndex>* out);

  size_t size() const { return handles_.size(); }  // > 0
  const BlockHandle& handle(size_t i) const { return handles_[i]; }
  std::string_view Separator(size_t i) const {
    return std::string_view(keys_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }
  // The first block that may have a key that is not less; size(): none.
  size_t Find(std::string_view key) const;
  const CompressionDictionary* dictionary() const { return dictionary_.get(); }
  size_t memory() const;

 private:
  BlockIndex() = default;

  std::string keys_;             // the separators, one after the other
  std::vector<uint32_t> ends_;   // where each starts; and the end
  size_t prefix_bytes_ = 0;      // that all of them share
  std::vector<uint64_t> heads_;  // of each, after the prefix
  std::vector<BlockHandle> handles_;
  std::unique_ptr<const CompressionDictionary> dictionary_;
};

}  // namespace klip::engine
