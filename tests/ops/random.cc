#include "ops/random.h"

#include <cstdlib>

namespace klip::ops {

int64_t NumberFromEnvironment(const char* name, int64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : strtoll(text, nullptr, 10);
}

uint64_t SeedFromEnvironment(uint64_t otherwise) {
  return static_cast<uint64_t>(NumberFromEnvironment("KLIP_SEED", static_cast<int64_t>(otherwise)));
}

}  // namespace klip::ops
