// Stores a memtable's entries in a KeyTree instead of RocksDB's skip list.
#pragma once

#include <memory>

namespace rocksdb {
class MemTableRepFactory;
}  // namespace rocksdb

namespace klip::engine {

// For databases with allow_concurrent_memtable_write off and column families with RocksDB's bytewise comparator.
std::shared_ptr<rocksdb::MemTableRepFactory> NewMemTableRepFactory();

}  // namespace klip::engine
