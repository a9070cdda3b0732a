#include "engine/blocks/xxh3.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace klip::engine {
namespace {

// Of each way to hash, with the values of xxHash 0.8.1.
TEST(Xxh3Test, AsXxHash) {
  for (const auto& [size, hash] : std::initializer_list<std::pair<size_t, uint64_t>>{{0, 0x2D06800538D394C2},
                                                                                     {1, 0x4C5CCA45D0F4811F},
                                                                                     {3, 0x6E3E2670E61106AC},
                                                                                     {4, 0x5C4C63133443D03F},
                                                                                     {8, 0xF9FD4DD0B04D78F5},
                                                                                     {9, 0x7C20DF9712C26EDF},
                                                                                     {16, 0x86ABF6BACCEA0858},
                                                                                     {17, 0xB58BF5DC5022D071},
                                                                                     {128, 0x10D17F72C0CCBA41},
                                                                                     {129, 0x1648BDC3DB49D1A2},
                                                                                     {240, 0xB6CFAF343FAB81E6},
                                                                                     {241, 0x956CAE592C67279E},
                                                                                     {1024, 0x70BD377D9574F4BB},
                                                                                     {1025, 0x66C4487C41E127A7},
                                                                                     {5000, 0xE4007929540F095C}}) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<char>(i * 131 + 7));
    }
    EXPECT_EQ(Xxh3(bytes), hash) << size;
  }
}

}  // namespace
}  // namespace klip::engine
