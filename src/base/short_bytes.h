// Inlined operations on short bytes. Names, rows and values are mostly short, and a scan reads each of them, so calls of
// the C library would cost more than the work. Words are read whole, and overlap if the length is not a multiple of their
// size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace klip {

namespace short_bytes {

template <typename Word>
Word Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

template <typename Word>
bool SameEnds(const char* a, const char* b, size_t bytes) {
  const size_t last = bytes - sizeof(Word);
  return Load<Word>(a) == Load<Word>(b) && Load<Word>(a + last) == Load<Word>(b + last);
}

template <typename Word>
void CopyEnds(char* to, const char* from, size_t bytes) {
  const size_t last = bytes - sizeof(Word);
  const Word front = Load<Word>(from);
  const Word back = Load<Word>(from + last);
  std::memcpy(to, &front, sizeof(front));
  std::memcpy(to + last, &back, sizeof(back));
}

}  // namespace short_bytes

// For up to 128 bytes; longer ones need a call.
inline bool SameBytes(std::string_view a, std::string_view b) {
  constexpr size_t kMost = 128;
  const size_t bytes = a.size();
  if (bytes != b.size()) {
    return false;
  }
  if (bytes > kMost) {
    return std::memcmp(a.data(), b.data(), bytes) == 0;
  }
  if (bytes > 2 * sizeof(uint64_t)) {
    const size_t last = bytes - 2 * sizeof(uint64_t);
    for (size_t at = 0; at < last; at += 2 * sizeof(uint64_t)) {
      if (!short_bytes::SameEnds<uint64_t>(a.data() + at, b.data() + at, 2 * sizeof(uint64_t))) {
        return false;
      }
    }
    return short_bytes::SameEnds<uint64_t>(a.data() + last, b.data() + last, 2 * sizeof(uint64_t));
  }
  if (bytes >= sizeof(uint64_t)) {
    return short_bytes::SameEnds<uint64_t>(a.data(), b.data(), bytes);
  }
  if (bytes >= sizeof(uint32_t)) {
    return short_bytes::SameEnds<uint32_t>(a.data(), b.data(), bytes);
  }
  if (bytes >= sizeof(uint16_t)) {
    return short_bytes::SameEnds<uint16_t>(a.data(), b.data(), bytes);
  }
  return bytes == 0 || a[0] == b[0];
}

// For up to 128 bytes; longer ones need a call. The two must not overlap.
inline void CopyBytes(char* to, const char* from, size_t bytes) {
  constexpr size_t kBlock = 16;
  constexpr size_t kMost = 128;
  if (bytes > kMost) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= kBlock) {
    const size_t last = bytes - kBlock;
    for (size_t at = 0; at < last; at += kBlock) {
      std::memcpy(to + at, from + at, kBlock);
    }
    std::memcpy(to + last, from + last, kBlock);
  } else if (bytes >= sizeof(uint64_t)) {
    short_bytes::CopyEnds<uint64_t>(to, from, bytes);
  } else if (bytes >= sizeof(uint32_t)) {
    short_bytes::CopyEnds<uint32_t>(to, from, bytes);
  } else if (bytes >= sizeof(uint16_t)) {
    short_bytes::CopyEnds<uint16_t>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

// The position of the first zero byte; `bytes`: there is none.
inline size_t FindZero(const char* data, size_t bytes) {
  constexpr size_t kMost = 128;  // more than nearly all have; in longer ones a call is faster
  size_t at = 0;
#if defined(__SSE2__)
  const __m128i zeros = _mm_setzero_si128();
  for (; at + sizeof(zeros) <= bytes && at < kMost; at += sizeof(zeros)) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + at));
    if (const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(block, zeros)); found != 0) {
      return at + static_cast<size_t>(std::countr_zero(static_cast<unsigned>(found)));
    }
  }
#endif
  if (at >= kMost) {
    const void* zero = at < bytes ? std::memchr(data + at, 0, bytes - at) : nullptr;
    return zero == nullptr ? bytes : static_cast<size_t>(static_cast<const char*>(zero) - data);
  }
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
      // The lowest bit set is the highest of the first zero byte.
      const auto word = short_bytes::Load<uint64_t>(data + at);
      const uint64_t found = (word - 0x0101010101010101U) & ~word & 0x8080808080808080U;
      if (found != 0) {
        return at + static_cast<size_t>(std::countr_zero(found)) / 8;
      }
    }
  }
  while (at < bytes && data[at] != 0) {
    ++at;
  }
  return at;
}

}  // namespace klip
