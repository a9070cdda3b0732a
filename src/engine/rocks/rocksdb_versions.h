// What differs between the versions of RocksDB that klip is built with: 7.8 of Debian 12 to 9.10 of Debian 13.
#pragma once

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#if __has_include("rocksdb/advanced_cache.h")
#include "rocksdb/advanced_cache.h"  // declares Cache from 8.0 on
#endif

namespace klip::engine {

// Ends one DisableFileDeletions. Before 9.0 to say nothing meant to end all of them. A template, as only one of the two exists.
template <typename Db>
rocksdb::Status EnableFileDeletions(Db* db) {
  if constexpr (requires { db->EnableFileDeletions(/*force=*/false); }) {
    return db->EnableFileDeletions(/*force=*/false);
  } else {
    return db->EnableFileDeletions();
  }
}

}  // namespace klip::engine
