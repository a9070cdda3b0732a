// Differences between the versions of RocksDB that klip is built with: 7.8 of Debian 12 to 9.10 of Debian 13.
#pragma once

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"
#if __has_include("rocksdb/advanced_cache.h")
#include "rocksdb/advanced_cache.h"  // declares Cache from 8.0 on
#endif

namespace klip::engine {

// Ends one DisableFileDeletions. Before 9.0, the default was to end all of them. A template, as only one of the two
// exists.
template <typename Db>
rocksdb::Status EnableFileDeletions(Db* db) {
  if constexpr (requires { db->EnableFileDeletions(/*force=*/false); }) {
    return db->EnableFileDeletions(/*force=*/false);
  } else {
    return db->EnableFileDeletions();
  }
}

// The number of files that bloom filters have saved reads of. From 8.4 on, savings of seeks are counted by level. A
// template, as not all tickers exist in each version.
template <typename Tickers = rocksdb::Tickers>
uint64_t CountBloomUseful(const rocksdb::Statistics& statistics) {
  uint64_t useful = statistics.getTickerCount(Tickers::BLOOM_FILTER_USEFUL) +
                    statistics.getTickerCount(Tickers::BLOOM_FILTER_PREFIX_USEFUL);
  if constexpr (requires { Tickers::LAST_LEVEL_SEEK_FILTERED; }) {
    useful += statistics.getTickerCount(Tickers::LAST_LEVEL_SEEK_FILTERED) +
              statistics.getTickerCount(Tickers::NON_LAST_LEVEL_SEEK_FILTERED);
  }
  return useful;
}

}  // namespace klip::engine
