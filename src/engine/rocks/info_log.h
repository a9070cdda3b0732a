// RocksDB's messages, in the file LOG of the data directory. RocksDB's own logger asserts when the disk is full; this one
// drops the message.
#pragma once

#include <memory>
#include <string>

namespace rocksdb {
class Logger;
}

namespace klip::engine {

// Only warnings and errors, at most 1 MB; the previous log is kept as LOG.old. If no file can be created, or the store is
// opened `read_only`, messages are dropped.
std::shared_ptr<rocksdb::Logger> OpenInfoLog(const std::string& directory, bool read_only);

}  // namespace klip::engine
