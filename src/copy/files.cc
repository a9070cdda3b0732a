#include "copy/files.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "copy/io_error.h"

namespace klip::copy {
namespace {

namespace fs = std::filesystem;

fs::path ParentOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

}  // namespace

Status SyncDirectoryOf(const std::string& path) {
  const std::string parent = ParentOf(path).string();
  const base::Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.get() >= 0 && ::fsync(directory.get()) == 0 ? Status::Ok() : IoError("cannot sync", parent);
}

Status CreateDirectories(const std::string& path) {
  std::error_code error;
  const fs::path directory = fs::path(path).lexically_normal();
  const fs::path whole = directory.has_filename() ? directory : directory.parent_path();  // without a slash at its end
  if (whole.empty() || fs::is_directory(whole, error)) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(CreateDirectories(ParentOf(whole).string()));
  if (::mkdir(whole.c_str(), 0777) != 0 && errno != EEXIST) {
    return IoError("cannot create the directory", whole.string());
  }
  return SyncDirectoryOf(whole.string());
}

Expected<std::string> TargetOfLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  fs::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(target, error))) {
      return target.string();
    }
    const fs::path next = fs::read_symlink(target, error);
    if (error) {
      return Status(Code::kIoError, "cannot read the link '" + target.string() + "': " + error.message());
    }
    target = next.is_absolute() ? next : ParentOf(target) / next;
  }
  return Status(Code::kIoError, "cannot follow the link '" + path + "': too many links");
}

Expected<int> OpenToRead(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    return IoError("cannot read", path);
  }
  struct stat info{};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(file);
    return Status(Code::kIoError, "cannot read '" + path + "': it is not a regular file");
  }
  return file;
}

}  // namespace klip::copy
