#include "engine/rocks/store_directory.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace klip::engine {

Status StoreDirectory::Lock(const std::string& path, bool shared) {
  path_ = path;
  descriptor_ = base::Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor_.get() < 0) {
    return {Code::kIoError, "opening the directory " + path + ": " + base::ErrorText(errno)};
  }
  if (::flock(descriptor_.get(), (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return {Code::kStoreInUse, "the store '" + path + "' is open in another process"};
  }
  return Status::Ok();
}

bool StoreDirectory::InPlace() const {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(descriptor_.get(), &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace klip::engine
