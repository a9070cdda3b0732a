#include "copy/state_file.h"

#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy/files.h"
#include "copy/io_error.h"
#include "klip/bytes.h"

namespace klip::copy {
namespace {

// From where the file stands to its end.
Expected<std::string> ReadAll(int file, const std::string& path) {
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    const ssize_t size = ::read(file, buffer, sizeof(buffer));
    if (size > 0) {
      bytes.append(buffer, static_cast<size_t>(size));
    } else if (size == 0) {
      return bytes;
    } else if (errno != EINTR) {
      return IoError("cannot read the state file", path);
    }
  }
}

}  // namespace

StateFile::StateFile(StateFile&& other) noexcept
    : path_(std::move(other.path_)),
      kind_(std::move(other.kind_)),
      first_line_(std::move(other.first_line_)),
      file_(std::exchange(other.file_, -1)) {}

StateFile::~StateFile() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

Expected<StateFile> StateFile::Open(const std::string& path, std::string_view kind, const std::string& job,
                                    const ReadLine& read) {
  StateFile state;
  if (path.empty()) {
    return state;
  }
  state.path_ = path;
  state.kind_ = kind;
  state.first_line_ = "klip " + state.kind_ + " state 1\t" + ToStringBinary(job) + "\n";
  KLIP_RETURN_IF_ERROR(CreateDirectories(std::filesystem::path(path).parent_path().string()));
  state.file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (state.file_ < 0) {
    return IoError("cannot open the state file", path);
  }
  struct stat info{};
  if (::fstat(state.file_, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Status(Code::kInvalidArgument, "the state file '" + path + "' is not a regular file");
  }
  if (::flock(state.file_, LOCK_EX | LOCK_NB) != 0) {
    return Status(Code::kOperationConflict, "another process uses the state file '" + path + "'");
  }
  KLIP_ASSIGN_OR_RETURN(const std::string text, ReadAll(state.file_, path));
  size_t valid_bytes = 0;
  KLIP_RETURN_IF_ERROR(state.Read(text, read, &valid_bytes));
  if (::ftruncate(state.file_, static_cast<off_t>(valid_bytes)) != 0 || ::lseek(state.file_, 0, SEEK_END) < 0) {
    return IoError("cannot write the state file", path);
  }
  if (valid_bytes == 0) {
    KLIP_RETURN_IF_ERROR(state.Append(state.first_line_));
    KLIP_RETURN_IF_ERROR(SyncDirectoryOf(path));
  }
  return state;
}

Status StateFile::Read(std::string_view text, const ReadLine& read, size_t* valid_bytes) const {
  for (size_t line_number = 1;; ++line_number) {
    const size_t end = text.find('\n', *valid_bytes);
    if (end == std::string_view::npos) {
      return Status::Ok();
    }
    const std::string_view line = text.substr(*valid_bytes, end + 1 - *valid_bytes);
    if (line_number > 1) {
      if (!read(line.substr(0, line.size() - 1))) {
        return {Code::kInvalidArgument, "the state file '" + path_ + "' is damaged in line " +
                                            std::to_string(line_number) + ": remove it to start from the beginning"};
      }
    } else if (line != first_line_) {
      const std::string_view magic = std::string_view(first_line_).substr(0, first_line_.find('\t') + 1);
      return {Code::kInvalidArgument, line.starts_with(magic)
                                          ? "the state file '" + path_ + "' belongs to another job: " +
                                                std::string(line.substr(magic.size(), line.size() - magic.size() - 1))
                                          : "'" + path_ + "' is not a state file for klip " + kind_};
    }
    *valid_bytes = end + 1;
  }
}

Status StateFile::Append(std::string_view lines) {
  if (file_ < 0) {
    return Status::Ok();
  }
  while (!lines.empty()) {
    const ssize_t written = ::write(file_, lines.data(), lines.size());
    if (written < 0) {
      return IoError("cannot write the state file", path_);
    }
    lines.remove_prefix(static_cast<size_t>(written));
  }
  return ::fdatasync(file_) == 0 ? Status::Ok() : IoError("cannot write the state file", path_);
}

Status StateFile::Clear() {
  if (file_ < 0) {
    return Status::Ok();
  }
  if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0) {
    return IoError("cannot write the state file", path_);
  }
  return Append(first_line_);
}

Status StateFile::Remove() {
  if (file_ < 0) {
    return Status::Ok();
  }
  ::close(std::exchange(file_, -1));
  return ::unlink(path_.c_str()) == 0 ? Status::Ok() : IoError("cannot remove the state file", path_);
}

}  // namespace klip::copy
