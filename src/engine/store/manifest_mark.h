// How far the MANIFEST has certainly come, in the file MANIFEST_MARK. RocksDB takes a MANIFEST that was cut short for a
// whole one, and deletes the tables that it does not name any more: with the log gone whose rows are in such a table,
// they are lost without a word.
//
// So before a log is deleted, and after families or files were added, the MANIFEST is synced and its end is noted. A
// MANIFEST that is shorter at the next open was cut. E.g. a flush writes 000009.sst and its edit, 2,300 to 2,420 of
// MANIFEST-000005. Before RocksDB deletes 000007.log, the mark says "MANIFEST-000005 2420". If a damaged disk gives
// back 2,300 bytes, the store is not opened, and 000009.sst stays. What was cut behind the mark is still in a log. A
// new MANIFEST begins with all that the old one said, so it is compared by the number of the next file, which only
// grows, until it has a mark of its own.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

inline constexpr const char* kManifestMarkName = "MANIFEST_MARK";

// Marks the MANIFEST of one store. Thread-safe: flushes delete logs while tables are created.
class ManifestMarker {
 public:
  // `env` outlives it.
  ManifestMarker(rocksdb::Env* env, std::string store) : env_(env), store_(std::move(store)) {}

  // Errors: kIoError; kCorruption.
  Status Mark();

 private:
  rocksdb::Env* const env_;
  const std::string store_;
  std::mutex mutex_;  // held while the file is replaced, by way of one temporary file
};

struct CutManifest {
  std::string file;
  uint64_t bytes = 0;   // that can be read
  uint64_t marked = 0;  // that were there; 0: it is of a later MANIFEST, of which nothing is left
};
// Nothing: it is not cut, or there is no mark, or no MANIFEST that can be read: RocksDB says why then. Errors: kIoError; kCorruption: the
// mark cannot be read.
Expected<std::optional<CutManifest>> FindCutManifest(rocksdb::Env* env, const std::string& store);

// "000012.sst": the tables that the current MANIFEST names. Errors: kIoError; kCorruption.
Expected<std::set<std::string>> TablesNamed(rocksdb::Env* env, const std::string& store);

}  // namespace klip::engine
