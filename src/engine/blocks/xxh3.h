// XXH3 with 64 bits and without a seed: the checksum of RocksDB's blocks. By the specification of xxHash.
#pragma once

#include <cstdint>
#include <string_view>

namespace klip::engine {

uint64_t Xxh3(std::string_view bytes);

}  // namespace klip::engine
