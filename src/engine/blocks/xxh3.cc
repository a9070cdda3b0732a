#include "engine/blocks/xxh3.h"

#include <array>
#include <cstddef>

#include "engine/layout/little_endian.h"

namespace klip::engine {
namespace {

constexpr uint64_t kPrime32A = 0x9E3779B1;
constexpr uint64_t kPrime32B = 0x85EBCA77;
constexpr uint64_t kPrime32C = 0xC2B2AE3D;
constexpr uint64_t kPrime64A = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime64B = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime64C = 0x165667B19E3779F9;
constexpr uint64_t kPrime64D = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime64E = 0x27D4EB2F165667C5;
constexpr uint64_t kPrimeMixA = 0x165667919E3779F9;
constexpr uint64_t kPrimeMixB = 0x9FB21C651E98DF25;

constexpr size_t kLanes = 8;
constexpr size_t kStripeBytes = 64;
constexpr size_t kSecretBytes = 192;
constexpr size_t kStripesPerRound = (kSecretBytes - kStripeBytes) / 8;
constexpr size_t kRoundBytes = kStripeBytes * kStripesPerRound;

// The default secret.
constexpr unsigned char kSecret[kSecretBytes] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
    0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
    0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
    0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
    0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16,
    0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};

uint64_t Word(const char* at) { return ReadLittleEndian<uint64_t>(at); }
uint64_t Half(const char* at) { return ReadLittleEndian<uint32_t>(at); }
uint64_t SecretWord(size_t at) { return Word(reinterpret_cast<const char*>(kSecret) + at); }
uint64_t SecretHalf(size_t at) { return Half(reinterpret_cast<const char*>(kSecret) + at); }

uint64_t RotateLeft(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

uint64_t MultiplyAndFold(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t Avalanche(uint64_t x) {
  x ^= x >> 37;
  x *= kPrimeMixA;
  return x ^ (x >> 32);
}

uint64_t AvalancheOf64(uint64_t x) {
  x ^= x >> 33;
  x *= kPrime64B;
  x ^= x >> 29;
  x *= kPrime64C;
  return x ^ (x >> 32);
}

uint64_t OfUpTo16(const char* in, size_t size) {
  if (size == 0) {
    return AvalancheOf64(SecretWord(56) ^ SecretWord(64));
  }
  if (size <= 3) {
    const auto byte = [in](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(in[i])); };
    const uint32_t combined =
        byte(size - 1) | (static_cast<uint32_t>(size) << 8) | (byte(0) << 16) | (byte(size >> 1) << 24);
    return AvalancheOf64(SecretHalf(0) ^ SecretHalf(4) ^ combined);
  }
  if (size <= 8) {
    uint64_t value = SecretWord(8) ^ SecretWord(16) ^ (Half(in + size - 4) | (Half(in) << 32));
    value ^= RotateLeft(value, 49) ^ RotateLeft(value, 24);
    value *= kPrimeMixB;
    value ^= (value >> 35) + size;
    value *= kPrimeMixB;
    return value ^ (value >> 28);
  }
  const uint64_t low = SecretWord(24) ^ SecretWord(32) ^ Word(in);
  const uint64_t high = SecretWord(40) ^ SecretWord(48) ^ Word(in + size - 8);
  return Avalanche(size + __builtin_bswap64(low) + high + MultiplyAndFold(low, high));
}

uint64_t Mix(const char* in, size_t secret) {
  return MultiplyAndFold(Word(in) ^ SecretWord(secret), Word(in + 8) ^ SecretWord(secret + 8));
}

uint64_t OfUpTo240(const char* in, size_t size) {
  uint64_t sum = size * kPrime64A;
  if (size <= 128) {
    for (size_t i = (size - 1) / 32 + 1; i-- > 0;) {
      sum += Mix(in + i * 16, i * 32);
      sum += Mix(in + size - i * 16 - 16, i * 32 + 16);
    }
    return Avalanche(sum);
  }
  for (size_t i = 0; i < 8; ++i) {
    sum += Mix(in + i * 16, i * 16);
  }
  sum = Avalanche(sum);
  for (size_t i = 8; i < size / 16; ++i) {
    sum += Mix(in + i * 16, (i - 8) * 16 + 3);
  }
  return Avalanche(sum + Mix(in + size - 16, 119));
}

using Sums = std::array<uint64_t, kLanes>;

void AddStripe(const char* in, size_t secret, Sums* sums) {
  for (size_t i = 0; i < kLanes; ++i) {
    const uint64_t word = Word(in + 8 * i);
    const uint64_t keyed = word ^ SecretWord(secret + 8 * i);
    (*sums)[i ^ 1] += word;
    (*sums)[i] += (keyed & 0xFFFFFFFF) * (keyed >> 32);
  }
}

uint64_t OfMore(const char* in, size_t size) {
  Sums sums = {kPrime32C, kPrime64A, kPrime64B, kPrime64C, kPrime64D, kPrime32B, kPrime64E, kPrime32A};
  const size_t rounds = (size - 1) / kRoundBytes;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t n = 0; n < kStripesPerRound; ++n) {
      AddStripe(in + round * kRoundBytes + n * kStripeBytes, n * 8, &sums);
    }
    for (size_t i = 0; i < kLanes; ++i) {
      sums[i] = (sums[i] ^ (sums[i] >> 47) ^ SecretWord(kSecretBytes - kStripeBytes + 8 * i)) * kPrime32A;
    }
  }
  const char* const rest = in + rounds * kRoundBytes;
  const size_t stripes = (size - rounds * kRoundBytes - 1) / kStripeBytes;
  for (size_t n = 0; n < stripes; ++n) {
    AddStripe(rest + n * kStripeBytes, n * 8, &sums);
  }
  AddStripe(in + size - kStripeBytes, kSecretBytes - 71, &sums);
  uint64_t out = size * kPrime64A;
  for (size_t i = 0; i < kLanes; i += 2) {
    out += MultiplyAndFold(sums[i] ^ SecretWord(11 + 8 * i), sums[i + 1] ^ SecretWord(19 + 8 * i));
  }
  return Avalanche(out);
}

}  // namespace

uint64_t Xxh3(std::string_view bytes) {
  const size_t size = bytes.size();
  if (size <= 16) {
    return OfUpTo16(bytes.data(), size);
  }
  return size <= 240 ? OfUpTo240(bytes.data(), size) : OfMore(bytes.data(), size);
}

}  // namespace klip::engine
