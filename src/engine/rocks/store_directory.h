// StoreDirectory: the directory of an open store itself, even if its name or the lock files in it change.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::engine {

// Thread-safe once it is locked.
class StoreDirectory {
 public:
  // Locks it until destruction, if its file system supports such locks. `shared`: together with others that share it.
  // Errors: kStoreInUse; kIoError.
  Status Lock(const std::string& path, bool shared = false);
  // False: the name now leads to another directory, or to none. Files created there would not belong to this store.
  bool InPlace() const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  base::Descriptor descriptor_;
};

}  // namespace klip::engine
