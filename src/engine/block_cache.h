// The block cache of an open store, resized while it runs.
#pragma once

#include <cstdint>

namespace klip::engine {

class Store;

// Takes effect at once; blocks in use stay. Thread-safe.
void ResizeBlockCache(const Store& store, int64_t bytes);

}  // namespace klip::engine
