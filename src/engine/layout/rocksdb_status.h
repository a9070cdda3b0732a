// Converts rocksdb::Status to klip::Status, here only.
#pragma once

#include <string_view>

#include "klip/status.h"

namespace rocksdb {
class Status;
}

namespace klip::engine {

// `doing` starts the text: "flushing table 't'". Ok stays ok.
Status FromRocks(const rocksdb::Status& status, std::string_view doing);

// True for errors that go away when space is freed.
bool IsDiskFull(const rocksdb::Status& status);
// A log that a full disk cut short was abandoned: RocksDB could not write its buffer.
bool IsAbandonedLog(const rocksdb::Status& status);

}  // namespace klip::engine
