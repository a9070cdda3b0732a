// The file MANIFEST_MARK: how many bytes of the MANIFEST are certainly synced. RocksDB takes a MANIFEST that was cut
// short for a complete one, and deletes the tables that it does not name. If the log with their rows is gone, they are
// lost silently.
//
// So klip syncs the MANIFEST and records its size before a log is deleted, and after families or files were added. A
// MANIFEST that is shorter at the next open was cut. For example, a flush writes 000009.sst and its edit, bytes 2,300 to
// 2,420 of MANIFEST-000005. Before RocksDB deletes 000007.log, the mark says "MANIFEST-000005 2420". If a damaged disk
// returns only 2,300 bytes, the store does not open, and 000009.sst stays. The contents of anything cut after the mark
// are still in a log. A new MANIFEST starts with the whole state of the old one. Until it has its own mark, the
// comparison uses the number of the next file, which only grows.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/log/manifest.h"
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

  // Reads only what was added to the MANIFEST since the last call: it grows with each flush, up to 1 GB.
  // Errors: kIoError; kCorruption.
  Status Mark();

 private:
  // The last mark: how far the MANIFEST was read.
  struct Marked {
    std::string name;  // of the MANIFEST
    uint64_t end = 0;
    uint64_t next_file = 0;
  };

  rocksdb::Env* const env_;
  const std::string store_;
  std::mutex mutex_;  // held while the file is replaced, since there is only one temporary file
  Marked marked_;
};

struct CurrentManifest {
  std::string name;  // "MANIFEST-000005"
  ManifestState state;
};
// Errors: kIoError; kCorruption.
Expected<CurrentManifest> ReadCurrentManifest(rocksdb::Env* env, const std::string& store);

struct CutManifest {
  std::string file;
  uint64_t bytes = 0;   // that are readable
  uint64_t marked = 0;  // that existed; 0: the mark belongs to a later MANIFEST, which is lost
};
// nullopt: it is not cut, or the mark is missing, or the MANIFEST is missing or unreadable, which RocksDB then reports.
// Errors: kIoError; kCorruption: the mark cannot be read.
Expected<std::optional<CutManifest>> FindCutManifest(rocksdb::Env* env, const std::string& store);

}  // namespace klip::engine
