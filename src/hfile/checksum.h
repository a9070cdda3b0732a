// CRC-32 (Ethernet's) and CRC-32C (Castagnoli's), as computed by Java.
#pragma once

#include <cstdint>
#include <string_view>

namespace klip::hfile {

uint32_t Crc32(std::string_view bytes);
uint32_t Crc32C(std::string_view bytes);

}  // namespace klip::hfile
