// Prefix extractors over cell keys: what a file's bloom filter contains. A seek may use the filter only if the seek key
// contains the extractor's whole prefix, so partial keys and foreign bytes are outside the domain.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "klip/admin.h"

namespace rocksdb {
class SliceTransform;
}

namespace klip::engine {

// "klip.Row", "klip.RowCol", "klip.RowPrefix.N", or "" for BloomKind::kNone. Stored in the files: a name never changes its
// meaning.
std::string BloomPrefixName(BloomKind kind, int prefix_bytes);

// The extractor of that name, or null for "" and unknown names.
std::shared_ptr<const rocksdb::SliceTransform> NewBloomPrefix(std::string_view name);

// Lets RocksDB create the extractors from the names in files and options. Idempotent, thread-safe.
void RegisterBloomPrefixes();

}  // namespace klip::engine
