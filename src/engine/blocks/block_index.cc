#include "engine/blocks/block_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <zstd.h>

#include "engine/blocks/coding.h"

namespace klip::engine {

const char* BlockHandle::Read(const char* at, const char* end) {
  at = ReadVarint64(at, end, &offset);
  return at == nullptr ? nullptr : ReadVarint64(at, end, &bytes);
}

CompressionDictionary::CompressionDictionary(std::string bytes)
    : bytes_(std::move(bytes)), zstd_(ZSTD_createDDict(bytes_.data(), bytes_.size())) {}

CompressionDictionary::~CompressionDictionary() { ZSTD_freeDDict(static_cast<ZSTD_DDict*>(zstd_)); }

size_t CompressionDictionary::memory() const {
  return sizeof(*this) + bytes_.size() + (zstd_ == nullptr ? 0 : ZSTD_sizeof_DDict(static_cast<ZSTD_DDict*>(zstd_)));
}

namespace {

constexpr size_t kTagBytes = 8;

rocksdb::Status Damaged(std::string_view what) {
  return rocksdb::Status::Corruption(std::string(what) + " in the index");
}

}  // namespace

rocksdb::Status BlockIndex::Decode(std::string_view stored, const Format& format,
                                   std::unique_ptr<const CompressionDictionary> dictionary,
                                   std::unique_ptr<const BlockIndex>* out) {
  std::unique_ptr<BlockIndex> index(new BlockIndex());
  EntryReader entries(stored, /*has_sizes=*/!format.delta_handles);
  if (!entries.ok()) {
    return Damaged("a damaged end");
  }
  std::string key;
  BlockHandle before;
  while (!entries.AtEnd()) {
    if (!entries.Next(key.size())) {
      return Damaged("a damaged entry");
    }
    const bool whole_handle = !format.delta_handles || entries.shared() == 0;
    const char* const value = format.delta_handles ? entries.rest() : entries.value().data();
    const char* const value_end = format.delta_handles ? entries.end() : entries.rest();
    BlockHandle handle;
    const char* after = nullptr;
    if (whole_handle) {
      after = handle.Read(value, value_end);
    } else {
      // The block follows the one before it. The difference of their sizes is stored, the sign in the last bit.
      uint64_t zigzag = 0;
      after = ReadVarint64(value, value_end, &zigzag);
      handle.offset = before.offset + before.bytes + kBlockTrailerBytes;
      handle.bytes = before.bytes + ((zigzag >> 1) ^ (0 - (zigzag & 1)));
    }
    if (after == nullptr || handle.offset > format.file_bytes || handle.bytes > format.file_bytes ||
        handle.offset + handle.bytes + kBlockTrailerBytes > format.file_bytes) {
      return Damaged("a block outside of the file");
    }
    if (format.delta_handles) {
      entries.MoveTo(after);
    }
    before = handle;
    key.resize(entries.shared());
    key.append(entries.fresh());
    const size_t cut = format.whole_keys ? kTagBytes : 0;
    if (key.size() < cut || index->keys_.size() + key.size() > UINT32_MAX) {
      return Damaged("a damaged key");
    }
    const std::string_view separator(key.data(), key.size() - cut);
    index->ends_.push_back(static_cast<uint32_t>(index->keys_.size()));
    index->keys_.append(separator);
    if (const size_t i = index->handles_.size(); i > 0) {
      const auto last =
          std::string_view(index->keys_).substr(index->ends_[i - 1], index->ends_[i] - index->ends_[i - 1]);
      if (last >= separator) {
        return Damaged("keys that are not in order");
      }
    }
    index->handles_.push_back(handle);
  }
  index->ends_.push_back(static_cast<uint32_t>(index->keys_.size()));
  if (index->handles_.empty() || index->handles_.size() != format.blocks) {
    return Damaged(std::to_string(index->handles_.size()) + " of " + std::to_string(format.blocks) + " blocks");
  }
  // They ascend, so the first and the last share what all share.
  const std::string_view first = index->Separator(0);
  const std::string_view last = index->Separator(index->size() - 1);
  index->prefix_bytes_ = static_cast<size_t>(std::ranges::mismatch(first, last).in1 - first.begin());
  for (size_t i = 0; i < index->size(); ++i) {
    index->heads_.push_back(KeyHead(index->Separator(i), index->prefix_bytes_));
  }
  index->dictionary_ = std::move(dictionary);
  *out = std::move(index);
  return rocksdb::Status::OK();
}

size_t BlockIndex::Find(std::string_view key) const {
  const int order = key.substr(0, prefix_bytes_).compare(std::string_view(keys_).substr(0, prefix_bytes_));
  if (order != 0) {
    return order < 0 ? 0 : size();
  }
  const uint64_t head = KeyHead(key, prefix_bytes_);
  size_t low = 0;
  size_t high = size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const bool below = heads_[middle] != head ? heads_[middle] < head : Separator(middle) < key;
    low = below ? middle + 1 : low;
    high = below ? high : middle;
  }
  return low;
}

size_t BlockIndex::memory() const {
  return sizeof(*this) + keys_.capacity() + ends_.capacity() * sizeof(uint32_t) + heads_.capacity() * sizeof(uint64_t) +
         handles_.capacity() * sizeof(BlockHandle) + (dictionary_ == nullptr ? 0 : dictionary_->memory());
}

}  // namespace klip::engine
