// More replacements of libc's file functions in the sweep: streams, whose bytes pass through this program's read and
// write (in simulate/file_calls.cc) instead of libc's; and the functions that check files without opening them.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulate/disk.h"
#include "simulate/raw_call.h"
#include "simulate/schedule.h"

using klip::simulate::Call;
using klip::simulate::Disk;
using klip::simulate::RawAddress;
using klip::simulate::RawCall;
using klip::simulate::Real;

namespace {

// File descriptors of the streams made here, for fileno.
struct Streams {
  std::mutex mutex;
  std::map<std::FILE*, int> descriptors;
};

Streams& TheStreams() {
  static auto* const streams = new Streams;
  return *streams;
}

int DescriptorOf(void* cookie) { return static_cast<int>(reinterpret_cast<intptr_t>(cookie)); }

ssize_t ReadStream(void* cookie, char* data, size_t size) { return read(DescriptorOf(cookie), data, size); }

// Writes all, as libc's streams do.
ssize_t WriteStream(void* cookie, const char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t wrote = write(DescriptorOf(cookie), data + done, size - done);
    if (wrote < 0) {
      break;
    }
    done += static_cast<size_t>(wrote);
  }
  return static_cast<ssize_t>(done);
}

int SeekStream(void* cookie, off64_t* offset, int whence) {
  *offset = lseek(DescriptorOf(cookie), *offset, whence);
  return *offset < 0 ? -1 : 0;
}

int CloseStream(void* cookie) { return close(DescriptorOf(cookie)); }

int FlagsOf(const char* mode) {
  const bool both = std::strchr(mode, '+') != nullptr;
  const int access = both ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  const int make = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  return access | make | (std::strchr(mode, 'e') != nullptr ? O_CLOEXEC : 0) |
         (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0);
}

std::FILE* StreamOf(int fd, const char* mode) {
  std::FILE* const stream = fopencookie(reinterpret_cast<void*>(static_cast<intptr_t>(fd)), mode,
                                        {ReadStream, WriteStream, SeekStream, CloseStream});
  if (stream != nullptr) {
    const std::lock_guard lock(TheStreams().mutex);
    TheStreams().descriptors[stream] = fd;
  }
  return stream;
}

int Outcome(long result) {
  if (result < 0) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return static_cast<int>(result);
}

// Whether to fail, with errno set.
bool Fails(const char* path) {
  if (!Disk::The().Holds(AT_FDCWD, path)) {
    return false;
  }
  const int error = Disk::The().Before(Call::kLook, false, path);
  errno = error > 0 ? error : errno;
  return error > 0;
}

std::FILE* Open(const char* path, const char* mode) {
  static auto* const real = Real<decltype(fopen)>("fopen");
  if (!Disk::The().Holds(AT_FDCWD, path)) {
    return real(path, mode);
  }
  const int fd = open(path, FlagsOf(mode), 0666);
  return fd < 0 ? nullptr : StreamOf(fd, mode);
}

int Stat(const char* path, struct stat* out) {
  return Fails(path) ? -1 : Outcome(RawCall(SYS_newfstatat, AT_FDCWD, RawAddress(path), RawAddress(out), 0));
}

}  // namespace

namespace klip::simulate {

void Point() {}  // threads run as they like

}  // namespace klip::simulate

extern "C" {

std::FILE* fopen(const char* path, const char* mode) { return Open(path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return Open(path, mode); }

std::FILE* fdopen(int fd, const char* mode) noexcept {
  static auto* const real = Real<decltype(fdopen)>("fdopen");
  return Disk::The().Holds(fd) ? StreamOf(fd, mode) : real(fd, mode);
}

int fileno(std::FILE* stream) noexcept {
  static auto* const real = Real<decltype(fileno)>("fileno");
  const std::lock_guard lock(TheStreams().mutex);
  const auto found = TheStreams().descriptors.find(stream);
  return found != TheStreams().descriptors.end() ? found->second : real(stream);
}

int fclose(std::FILE* stream) {
  static auto* const real = Real<decltype(fclose)>("fclose");
  {
    const std::lock_guard lock(TheStreams().mutex);
    TheStreams().descriptors.erase(stream);
  }
  return real(stream);
}

int access(const char* path, int mode) noexcept {
  return Fails(path) ? -1 : Outcome(RawCall(SYS_faccessat, AT_FDCWD, RawAddress(path), mode));
}

int stat(const char* path, struct stat* out) noexcept { return Stat(path, out); }

int lstat(const char* path, struct stat* out) noexcept {
  return Fails(path)
             ? -1
             : Outcome(RawCall(SYS_newfstatat, AT_FDCWD, RawAddress(path), RawAddress(out), AT_SYMLINK_NOFOLLOW));
}

}  // extern "C"
