// BlockCache: decoded blocks and indexes of tables as entries of RocksDB's block cache, so that one budget bounds both.
//
// Blocks have the cache's low priority, as RocksDB's have: those that were found again, and indexes, outlast those that a scan reads once.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/rocks/rocksdb_versions.h"

namespace klip::engine {

// An object of the cache, which stays while this exists; or one that was never put there.
template <typename T>
class Pinned {
 public:
  Pinned() = default;
  Pinned(rocksdb::Cache* cache, rocksdb::Cache::Handle* handle)
      : cache_(cache), handle_(handle), value_(static_cast<const T*>(cache->Value(handle))) {}
  explicit Pinned(std::unique_ptr<const T> own) : value_(own.release()) {}
  Pinned(Pinned&& other) noexcept { *this = std::move(other); }
  Pinned& operator=(Pinned&& other) noexcept {
    std::swap(cache_, other.cache_);
    std::swap(handle_, other.handle_);
    std::swap(value_, other.value_);
    return *this;
  }
  ~Pinned() { Reset(); }

  void Reset() {
    if (handle_ != nullptr) {
      cache_->Release(handle_);
    } else {
      delete value_;
    }
    handle_ = nullptr;
    value_ = nullptr;
  }
  const T* get() const { return value_; }
  const T* operator->() const { return value_; }
  const T& operator*() const { return *value_; }
  explicit operator bool() const { return value_ != nullptr; }

 private:
  rocksdb::Cache* cache_ = nullptr;
  rocksdb::Cache::Handle* handle_ = nullptr;  // null: not in the cache
  const T* value_ = nullptr;
};

// Sixteen bytes, as RocksDB's.
struct BlockKey {
  uint64_t table = 0;   // TableFile::id()
  uint64_t number = 0;  // of a block; kIndex: the index
  static constexpr uint64_t kIndex = UINT64_MAX;

  rocksdb::Slice Bytes() const { return {reinterpret_cast<const char*>(this), sizeof(*this)}; }
};
static_assert(sizeof(BlockKey) == 16);

// Thread-safe.
class BlockCache {
 public:
  explicit BlockCache(std::shared_ptr<rocksdb::Cache> cache) : cache_(std::move(cache)) {}

  template <typename T>
  Pinned<T> Find(const BlockKey& key) const {
    rocksdb::Cache::Handle* const handle = cache_->Lookup(key.Bytes());
    return handle == nullptr ? Pinned<T>() : Pinned<T>(cache_.get(), handle);
  }

  // The object stays usable if the cache does not take it.
  template <typename T>
  Pinned<T> Add(const BlockKey& key, std::unique_ptr<const T> object, rocksdb::Cache::Priority priority) const {
    rocksdb::Cache::Handle* handle = nullptr;
    T* const bare = const_cast<T*>(object.get());
    if (!Insert(cache_.get(), key, bare, object->memory(), &handle, priority).ok()) {
      return Pinned<T>(std::move(object));
    }
    (void)object.release();
    return Pinned<T>(cache_.get(), handle);
  }

 private:
  // From 8.0 on, RocksDB takes the function that deletes an object from a description of its kind. A template, as only one of the two
  // interfaces exists.
  template <typename T, typename Cache>
  static rocksdb::Status Insert(Cache* cache, const BlockKey& key, T* object, size_t bytes,
                                typename Cache::Handle** handle, typename Cache::Priority priority) {
    if constexpr (std::is_invocable_v<typename Cache::DeleterFn, const rocksdb::Slice&, void*>) {
      return cache->Insert(
          key.Bytes(), static_cast<void*>(object), bytes,
          [](const rocksdb::Slice&, void* value) { delete static_cast<T*>(value); }, handle, priority);
    } else {
      return InsertDescribed(cache, key, object, bytes, handle, priority);
    }
  }
  template <typename T, typename Cache>
  static rocksdb::Status InsertDescribed(Cache* cache, const BlockKey& key, T* object, size_t bytes,
                                         typename Cache::Handle** handle, typename Cache::Priority priority) {
    using Helper = typename Cache::CacheItemHelper;
    static const Helper kHelper(rocksdb::CacheEntryRole::kDataBlock,
                                [](void* value, rocksdb::MemoryAllocator*) { delete static_cast<T*>(value); });
    return cache->Insert(key.Bytes(), static_cast<void*>(object), &kHelper, bytes, handle, priority);
  }

  const std::shared_ptr<rocksdb::Cache> cache_;
};

}  // namespace klip::engine
