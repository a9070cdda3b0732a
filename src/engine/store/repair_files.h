// What klip repair puts in the place of klip's own files, and of RocksDB's CURRENT, if they are damaged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/log/manifest.h"
#include "engine/store/catalog.h"
#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

struct ReplacedFile {
  std::string name;                  // in the store's directory: "CATALOG", "snapshots/s"
  std::string damage;                // what is wrong with it
  std::string instead;               // what the copy has in its place, and what is lost
  std::optional<std::string> bytes;  // its contents in the copy; none: the copy has it, as it is, in lost/
};

// `file`: the path of CATALOG. Errors: kCorruption, also if it is missing; kIoError.
Expected<Catalog> ReadCatalog(rocksdb::Env* env, const std::string& file);

// The name of the MANIFEST: as CURRENT says, or, if CURRENT is damaged, the newest one, with a replacement of CURRENT.
// Errors: kCorruption: there is none; kIoError.
Expected<std::string> FindManifestName(rocksdb::Env* env, const std::string& store,
                                       std::vector<ReplacedFile>* replaced);

// Replacements of all others. `manifest` says which families have cells.
Expected<std::vector<ReplacedFile>> ReplaceDamagedFiles(rocksdb::Env* env, const std::string& store,
                                                        const ManifestState& manifest);

}  // namespace klip::engine
