// Replacements of libc's file functions in this program: each asks the simulated disk (disk.h), and lets other threads
// run (schedule.h).
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "simulate/disk.h"
#include "simulate/raw_call.h"
#include "simulate/schedule.h"

using klip::simulate::Call;
using klip::simulate::Disk;
using klip::simulate::Point;
using klip::simulate::RawAddress;
using klip::simulate::RawCall;
using klip::simulate::Real;

namespace {

long Failed(int error) {
  errno = error;
  return -1;
}

// Of a raw call.
long Outcome(long result) { return result < 0 ? Failed(static_cast<int>(-result)) : result; }

std::string NameOf(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const long size = RawCall(SYS_readlink, RawAddress(link.c_str()), RawAddress(path), sizeof(path));
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : "?";
}

int Open(int directory, const char* path, int flags, mode_t mode) {
  const bool counts = Disk::The().Holds(directory, path);
  const bool is_directory = (flags & O_DIRECTORY) != 0;
  if (counts) {
    Point();
    const bool changes = (flags & (O_CREAT | O_TRUNC)) != 0;
    if (const int error = Disk::The().Before(is_directory ? Call::kList : Call::kOpen, changes, path); error > 0) {
      return static_cast<int>(Failed(error));
    }
  }
  const long fd = Outcome(RawCall(SYS_openat, directory, RawAddress(path), flags, mode));
  if (counts && fd >= 0) {
    Disk::The().Opened(directory, path, static_cast<int>(fd), flags);
  }
  return static_cast<int>(fd);
}

long Read(int fd, void* data, size_t size, long offset, bool at) {
  if (size > 0 && Disk::The().Holds(fd)) {
    Point();
    const int error = Disk::The().Before(Call::kRead, false, NameOf(fd));
    if (error > 0) {
      return Failed(error);
    }
    size = error == Disk::kShort ? (size + 1) / 2 : size;
  }
  return Outcome(at ? RawCall(SYS_pread64, fd, RawAddress(data), static_cast<long>(size), offset)
                    : RawCall(SYS_read, fd, RawAddress(data), static_cast<long>(size)));
}

long Write(int fd, const void* data, size_t size, long offset, bool at) {
  const bool counts = size > 0 && Disk::The().Holds(fd);
  if (counts) {
    Point();
    const int error = Disk::The().Before(Call::kWrite, true, NameOf(fd));
    if (error > 0) {
      return Failed(error);
    }
    size = error == Disk::kShort ? (size + 1) / 2 : size;
    if (!at) {
      const bool appends = (RawCall(SYS_fcntl, fd, F_GETFL) & O_APPEND) != 0;
      offset = RawCall(SYS_lseek, fd, 0, appends ? SEEK_END : SEEK_CUR);
    }
  }
  const long wrote = Outcome(at ? RawCall(SYS_pwrite64, fd, RawAddress(data), static_cast<long>(size), offset)
                                : RawCall(SYS_write, fd, RawAddress(data), static_cast<long>(size)));
  if (counts) {
    Disk::The().Wrote(fd, offset, wrote);
  }
  return wrote;
}

int Sync(int fd, long number) {
  const bool counts = Disk::The().Holds(fd);
  if (counts) {
    Point();
    struct stat file = {};
    RawCall(SYS_fstat, fd, RawAddress(&file));
    const Call call = S_ISDIR(file.st_mode) ? Call::kSyncDirectory : Call::kSync;
    if (const int error = Disk::The().Before(call, true, NameOf(fd)); error > 0) {
      return static_cast<int>(Failed(error));
    }
    Disk::The().Synced(fd);
    return 0;  // the directory is in memory
  }
  return static_cast<int>(Outcome(RawCall(number, fd)));
}

// Fails the call, or 0.
int Ask(Call call, std::string_view what) {
  Point();
  const int error = Disk::The().Before(call, true, what);
  return error > 0 ? error : 0;
}

int Rename(int from_directory, const char* from, int to_directory, const char* to) {
  const bool counts = Disk::The().Holds(to_directory, to);
  if (counts) {
    if (const int error = Ask(Call::kRename, to); error != 0) {
      return static_cast<int>(Failed(error));
    }
    Disk::The().Unlinking(to_directory, to);
  }
  const long result =
      Outcome(RawCall(SYS_renameat2, from_directory, RawAddress(from), to_directory, RawAddress(to), 0));
  if (counts && result == 0) {
    Disk::The().Renamed(from_directory, from, to_directory, to);
  }
  return static_cast<int>(result);
}

int Link(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  const bool counts = Disk::The().Holds(to_directory, to);
  if (counts) {
    if (const int error = Ask(Call::kLink, to); error != 0) {
      return static_cast<int>(Failed(error));
    }
  }
  const long result =
      Outcome(RawCall(SYS_linkat, from_directory, RawAddress(from), to_directory, RawAddress(to), flags));
  if (counts && result == 0) {
    Disk::The().Linked(from_directory, from, to_directory, to);
  }
  return static_cast<int>(result);
}

int Unlink(int directory, const char* path, int flags) {
  const bool counts = Disk::The().Holds(directory, path);
  if (counts) {
    if (const int error = Ask(Call::kUnlink, path); error != 0) {
      return static_cast<int>(Failed(error));
    }
    Disk::The().Unlinking(directory, path);
  }
  const long result = Outcome(RawCall(SYS_unlinkat, directory, RawAddress(path), flags));
  if (counts && result == 0) {
    Disk::The().Unlinked(directory, path);
  }
  return static_cast<int>(result);
}

int MakeDirectory(int directory, const char* path, mode_t mode) {
  const bool counts = Disk::The().Holds(directory, path);
  if (counts) {
    if (const int error = Ask(Call::kMakeDirectory, path); error != 0) {
      return static_cast<int>(Failed(error));
    }
  }
  return static_cast<int>(Outcome(counts ? Disk::The().MakeDirectory(directory, path, mode)
                                         : RawCall(SYS_mkdirat, directory, RawAddress(path), mode)));
}

int Truncate(int fd, long size) {
  const bool counts = Disk::The().Holds(fd);
  if (counts) {
    if (const int error = Ask(Call::kTruncate, NameOf(fd)); error != 0) {
      return static_cast<int>(Failed(error));
    }
  }
  const long result = Outcome(RawCall(SYS_ftruncate, fd, size));
  if (counts && result == 0) {
    Disk::The().Truncated(fd, size);
  }
  return static_cast<int>(result);
}

mode_t ModeFrom(int flags, va_list list) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0; }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeFrom(flags, list);
  va_end(list);
  return Open(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeFrom(flags, list);
  va_end(list);
  return Open(directory, path, flags, mode);
}

ssize_t read(int fd, void* data, size_t size) { return Read(fd, data, size, 0, false); }
ssize_t pread(int fd, void* data, size_t size, off_t offset) { return Read(fd, data, size, offset, true); }
ssize_t write(int fd, const void* data, size_t size) { return Write(fd, data, size, 0, false); }
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) { return Write(fd, data, size, offset, true); }

int fsync(int fd) { return Sync(fd, SYS_fsync); }
int fdatasync(int fd) { return Sync(fd, SYS_fdatasync); }
// A hint to write: no promise.
int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned int flags) {
  return Disk::The().Holds(fd) ? 0 : static_cast<int>(Outcome(RawCall(SYS_sync_file_range, fd, offset, bytes, flags)));
}

int syncfs(int fd) noexcept {
  if (!Disk::The().Holds(fd)) {
    return static_cast<int>(Outcome(RawCall(SYS_syncfs, fd)));
  }
  if (const int error = Ask(Call::kSync, NameOf(fd)); error != 0) {
    return static_cast<int>(Failed(error));
  }
  Disk::The().SyncedAll();
  return 0;
}

int rename(const char* from, const char* to) noexcept { return Rename(AT_FDCWD, from, AT_FDCWD, to); }
int link(const char* from, const char* to) noexcept { return Link(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlink(const char* path) noexcept { return Unlink(AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return Unlink(AT_FDCWD, path, AT_REMOVEDIR); }
int unlinkat(int directory, const char* path, int flags) noexcept { return Unlink(directory, path, flags); }
int mkdir(const char* path, mode_t mode) noexcept { return MakeDirectory(AT_FDCWD, path, mode); }
int ftruncate(int fd, off_t size) noexcept { return Truncate(fd, size); }

int fallocate(int fd, int mode, off_t offset, off_t size) {
  if (Disk::The().Holds(fd)) {
    if (const int error = Ask(Call::kAllocate, NameOf(fd)); error != 0) {
      return static_cast<int>(Failed(error));
    }
    return 0;  // memory needs no room ahead
  }
  return static_cast<int>(Outcome(RawCall(SYS_fallocate, fd, mode, offset, size)));
}

DIR* opendir(const char* path) {
  static auto* const real = Real<decltype(opendir)>("opendir");
  if (Disk::The().Holds(AT_FDCWD, path)) {
    Point();
    if (const int error = Disk::The().Before(Call::kList, false, path); error > 0) {
      Failed(error);
      return nullptr;
    }
  }
  return real(path);
}

}  // extern "C"
