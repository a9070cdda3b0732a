// Looks for files. RocksDB says NotFound too if it may not look (EACCES, ELOOP, ...): then nobody knows, and nothing may be
// created or removed.
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

// Whether a file or directory of that name exists. Errors: kIoError: unknown. It may exist, so the caller must not create or
// remove it.
Expected<bool> FileIsThere(rocksdb::Env* env, const std::string& path);

// The names in a directory, in no order and without "." and ".."; none if it does not exist. Errors: kIoError: unknown.
Expected<std::vector<std::string>> NamesIn(rocksdb::Env* env, const std::string& directory);

}  // namespace klip::engine
