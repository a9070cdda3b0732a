#include "hfile/checksum.h"

#include <array>
#include <cstddef>

namespace klip::hfile {
namespace {

// Table k: the contribution to the sum of a byte that lies k bytes before the end of eight.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables(uint32_t reflected_polynomial) {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1) ^ ((sum & 1) != 0 ? reflected_polynomial : 0);
    }
    tables[0][byte] = sum;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kCrc32 = MakeTables(0xEDB88320);
constexpr Tables kCrc32C = MakeTables(0x82F63B78);

uint32_t Crc(const Tables& tables, std::string_view bytes) {
  uint32_t sum = 0xFFFFFFFF;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    sum = tables[7][byte(0) ^ (sum & 0xFF)] ^ tables[6][byte(1) ^ ((sum >> 8) & 0xFF)] ^
          tables[5][byte(2) ^ ((sum >> 16) & 0xFF)] ^ tables[4][byte(3) ^ (sum >> 24)] ^ tables[3][byte(4)] ^
          tables[2][byte(5)] ^ tables[1][byte(6)] ^ tables[0][byte(7)];
  }
  for (const char byte : bytes) {
    sum = (sum >> 8) ^ tables[0][(sum ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~sum;
}

}  // namespace

uint32_t Crc32(std::string_view bytes) { return Crc(kCrc32, bytes); }
uint32_t Crc32C(std::string_view bytes) { return Crc(kCrc32C, bytes); }

}  // namespace klip::hfile
