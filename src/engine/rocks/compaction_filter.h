// Drops cells that no read can see any more while RocksDB writes table files. Every flush and compaction drops expired,
// masked and surplus cells; only a major compaction (full and on request) drops delete markers, as in HBase. A major
// compaction must run with max_subcompactions = 1: a marker and the cells that it masks have to pass through the same
// filter.
#pragma once

#include <memory>

namespace rocksdb {
class CompactionFilterFactory;
}

namespace klip::engine {

struct FamilyState;

// One per RocksDB column family. Reads the family's policy for each file, so an alter takes effect at the next one.
std::shared_ptr<rocksdb::CompactionFilterFactory> NewCompactionFilterFactory(std::shared_ptr<FamilyState> state);

}  // namespace klip::engine
