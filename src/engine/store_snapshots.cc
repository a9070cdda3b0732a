// Snapshots: the files of a table under other names (hard links), and tables made from them.
//
//   snapshots/<name>/SNAPSHOT   what it is; written last, so a snapshot without it was never finished
//   snapshots/<name>/<n>/*.sst  files of the n-th family
#include <algorithm>
#include <utility>

#include "engine/descriptor_checks.h"
#include "engine/rocksdb_status.h"
#include "engine/store_rep.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"

namespace klip::engine {
namespace {

constexpr const char* kRecordName = "SNAPSHOT";

// Removes a directory and all it holds. Best effort.
void RemoveTree(rocksdb::Env* env, const std::string& path) {
  std::vector<std::string> children;
  env->GetChildren(path, &children).PermitUncheckedError();
  for (const std::string& child : children) {
    if (child == "." || child == "..") {
      continue;
    }
    const std::string full = path + "/" + child;
    bool is_directory = false;
    if (env->IsDirectory(full, &is_directory).ok() && is_directory) {
      RemoveTree(env, full);
    } else {
      env->DeleteFile(full).PermitUncheckedError();
    }
  }
  env->DeleteDir(path).PermitUncheckedError();
}

}  // namespace

std::string Store::Rep::SnapshotDirectory(std::string_view snapshot) const {
  return options.path + "/snapshots/" + std::string(snapshot);
}

void Store::Rep::CleanUpFiles() {
  RemoveTree(env, options.path + "/load");
  const std::string all = options.path + "/snapshots";
  std::vector<std::string> names;
  env->GetChildren(all, &names).PermitUncheckedError();
  for (const std::string& name : names) {
    if (name != "." && name != ".." && !env->FileExists(SnapshotDirectory(name) + "/" + kRecordName).ok()) {
      RemoveTree(env, SnapshotDirectory(name));
    }
  }
}

}  // namespace klip::engine
