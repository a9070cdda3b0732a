// StoreDirectory: the directory of an open store itself, whatever becomes of its name and of the lock files in it.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::engine {

// Thread-safe once it is locked.
class StoreDirectory {
 public:
  // Until destruction, where its file system has such locks. `shared`: with others that share it. Errors: kStoreInUse; kIoError.
  Status Lock(const std::string& path, bool shared = false);
  // False: the name leads to another directory now, or to none. What is made there would not be this store's.
  bool InPlace() const;

 private:
  std::string path_;
  base::Descriptor descriptor_;
};

}  // namespace klip::engine
