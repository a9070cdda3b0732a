// The block cache of an open store, resized or emptied while it runs.
#pragma once

#include <cstdint>

#include "klip/cluster_metrics.h"

namespace klip::engine {

class Store;

// Takes effect at once; blocks in use stay. Thread-safe.
void ResizeBlockCache(const Store& store, int64_t bytes);

// Drops all blocks but those in use. Thread-safe.
CacheEviction ClearBlockCache(const Store& store);

}  // namespace klip::engine
