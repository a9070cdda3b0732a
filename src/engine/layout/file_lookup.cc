#include "engine/layout/file_lookup.h"

#include <algorithm>
#include <cerrno>

#include "rocksdb/env.h"
#include <unistd.h>

#include "base/descriptor.h"
#include "engine/layout/rocksdb_status.h"

namespace klip::engine {

Expected<bool> FileIsThere(rocksdb::Env* env, const std::string& path) {
  const rocksdb::Status status = env->FileExists(path);
  if (!status.IsNotFound()) {
    KLIP_RETURN_IF_ERROR(FromRocks(status, "looking for " + path));
    return true;
  }
  if (::access(path.c_str(), F_OK) == 0) {
    return true;  // since then
  }
  if (errno != ENOENT && errno != ENOTDIR) {
    return Status(Code::kIoError, "looking for " + path + ": " + base::ErrorText(errno));
  }
  return false;
}

Expected<std::vector<std::string>> NamesIn(rocksdb::Env* env, const std::string& directory) {
  std::vector<std::string> names;
  const rocksdb::Status status = env->GetChildren(directory, &names);
  if (status.IsNotFound()) {
    KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, directory));
    if (there) {
      const bool readable = ::access(directory.c_str(), R_OK) == 0;
      return Status(Code::kIoError,
                    "reading the directory " + directory + ": " + base::ErrorText(readable ? ENOTDIR : errno));
    }
    return names;
  }
  KLIP_RETURN_IF_ERROR(FromRocks(status, "reading the directory " + directory));
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  return names;
}

}  // namespace klip::engine
