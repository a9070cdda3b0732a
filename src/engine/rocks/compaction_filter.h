// Drops what no read can see any more while RocksDB writes table files: expired, masked and surplus cells at every flush and
// compaction, delete markers only in a major compaction (full and asked for), as HBase does. A major compaction must run
// with max_subcompactions = 1: a marker and the cells that it masks have to pass through one filter.
#pragma once

#include <memory>

namespace rocksdb {
class CompactionFilterFactory;
}

namespace klip::engine {

struct FamilyState;

// One per RocksDB column family. Reads the family's policy anew for each file, so an alter takes effect at the next one.
std::shared_ptr<rocksdb::CompactionFilterFactory> NewCompactionFilterFactory(std::shared_ptr<FamilyState> state);

}  // namespace klip::engine
