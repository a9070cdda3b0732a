// Buffer: bytes for or from a socket. Unlike std::string, it grows without clearing memory that is overwritten anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace klip::rpc {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  bool empty() const noexcept { return size_ == 0; }
  size_t size() const noexcept { return size_; }
  size_t capacity() const noexcept { return capacity_; }
  const char* data() const noexcept { return data_; }
  char* data() noexcept { return data_; }
  std::string_view view() const noexcept { return {data_, size_}; }

  void Clear() noexcept { size_ = 0; }
  // REQUIRES: size <= size().
  void Truncate(size_t size) noexcept { size_ = size; }

  // Reserves space for `bytes` in total.
  void Reserve(size_t bytes) {
    if (bytes > capacity_) {
      // If memory runs out, the process ends, as for new.
      void* grown = std::realloc(data_, bytes);
      if (grown == nullptr) {
        std::abort();
      }
      data_ = static_cast<char*>(grown);
      capacity_ = bytes;
    }
  }

  // Appends `bytes` uninitialized bytes; the pointer is valid until the next call that changes the buffer.
  char* Grow(size_t bytes) {
    if (capacity_ - size_ < bytes) [[unlikely]] {
      const size_t doubled = capacity_ * 2;
      Reserve(doubled > size_ + bytes ? doubled : size_ + bytes);
    }
    char* out = data_ + size_;
    size_ += bytes;
    return out;
  }

  void Append(std::string_view bytes) {
    if (!bytes.empty()) {
      std::memcpy(Grow(bytes.size()), bytes.data(), bytes.size());
    }
  }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Big-endian numbers in place.
template <typename T>
inline char* PutBigEndian(char* out, T value) {
  if constexpr (sizeof(T) == 8) {
    const uint64_t bytes = __builtin_bswap64(static_cast<uint64_t>(value));
    std::memcpy(out, &bytes, sizeof(bytes));
  } else if constexpr (sizeof(T) == 4) {
    const uint32_t bytes = __builtin_bswap32(static_cast<uint32_t>(value));
    std::memcpy(out, &bytes, sizeof(bytes));
  } else if constexpr (sizeof(T) == 2) {
    const uint16_t bytes = __builtin_bswap16(static_cast<uint16_t>(value));
    std::memcpy(out, &bytes, sizeof(bytes));
  } else {
    static_assert(sizeof(T) == 1);
    *out = static_cast<char>(value);
  }
  return out + sizeof(T);
}

}  // namespace klip::rpc
