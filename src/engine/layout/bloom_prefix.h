// Prefix extractors over cell keys: what a bloom filter of a file holds. A seek may use the filter only when the
// extractor's prefix of the seek key is whole, so parts of keys and foreign bytes are simply outside the domain.
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

// Lets RocksDB make the extractors from the names it finds in files and options. Idempotent, thread-safe.
void RegisterBloomPrefixes();

}  // namespace klip::engine
