// RocksDB's messages, in the file LOG of the data directory. RocksDB's own logger asserts when the disk is full; this one
// drops the message.
#pragma once

#include <memory>
#include <string>

namespace rocksdb {
class Logger;
}

namespace klip::engine {

// Warnings and errors only, at most 1 MB; the log of the life before is kept as LOG.old. Where no file can be made, messages
// are dropped, as they are for a store that is opened `read_only`.
std::shared_ptr<rocksdb::Logger> OpenInfoLog(const std::string& directory, bool read_only);

}  // namespace klip::engine
