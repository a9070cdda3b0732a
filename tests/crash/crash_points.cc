#include "crash/crash_points.h"

#include <atomic>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace klip::crash {
namespace {

enum class Call { kWrite, kFdatasync, kFsync, kRename, kUnlink, kFtruncate, kNone };
enum class What { kBefore, kAfter, kEio, kEnospc, kHalf };

struct Point {
  Call call = Call::kNone;
  long number = 0;
  What what = What::kBefore;
};

template <size_t kSize>
size_t IndexOf(const char* const (&names)[kSize], const char* text, size_t length) {
  for (size_t i = 0; i < kSize; ++i) {
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
      return i;
    }
  }
  return kSize;
}

Point PointFromEnvironment() {
  static const char* const kCalls[] = {"write", "fdatasync", "fsync", "rename", "unlink", "ftruncate"};
  static const char* const kWhats[] = {"before", "after", "eio", "enospc", "half"};
  const char* text = getenv("KLIP_CRASH_POINT");
  if (text == nullptr) {
    return {};
  }
  const char* colon = strchr(text, ':');
  const char* last = strrchr(text, ':');
  if (colon == nullptr || last == colon) {
    return {};
  }
  return {static_cast<Call>(IndexOf(kCalls, text, static_cast<size_t>(colon - text))), atol(colon + 1),
          static_cast<What>(IndexOf(kWhats, last + 1, strlen(last + 1)))};
}

const Point& ThePoint() {
  static const Point point = PointFromEnvironment();
  return point;
}

std::atomic<long> reached{0};

void Die() {
  kill(getpid(), SIGKILL);
  pause();
}

// Counts the call; true when it must fail with errno set.
bool Before(Call call, bool* die_after) {
  const Point& point = ThePoint();
  *die_after = false;
  if (point.call != call) {
    return false;
  }
  const long number = reached.fetch_add(1) + 1;
  if (point.what == What::kEio || point.what == What::kEnospc) {
    errno = point.what == What::kEio ? EIO : ENOSPC;
    return number >= point.number;
  }
  if (number == point.number) {
    if (point.what == What::kBefore) {
      Die();
    }
    *die_after = true;
  }
  return false;
}

int SyncLog() {
  static const int fd = [] {
    const char* path = getenv("KLIP_SYNC_LOG");
    return path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }();
  return fd;
}

void NoteSynced(const struct stat& file, int64_t size_bytes) {
  if (SyncLog() >= 0) {
    SyncRecord record{file.st_ino, size_bytes};
    (void)syscall(SYS_write, SyncLog(), &record, sizeof(record));
  }
}

int Sync(Call call, long number, int fd) {
  bool die_after = false;
  if (Before(call, &die_after)) {
    return -1;
  }
  struct stat file = {};
  const bool known = SyncLog() >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
  const int result = static_cast<int>(syscall(number, fd));
  if (result == 0 && known) {
    NoteSynced(file, file.st_size);
  }
  if (die_after) {
    Die();
  }
  return result;
}

}  // namespace
}  // namespace klip::crash

using klip::crash::Call;

extern "C" {

ssize_t write(int fd, const void* data, size_t size) {
  bool die_after = false;
  struct stat file = {};
  // Pipes and terminals are the test's own.
  const bool counts = klip::crash::ThePoint().call == Call::kWrite && fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
  if (counts && klip::crash::Before(Call::kWrite, &die_after)) {
    return -1;
  }
  if (die_after && klip::crash::ThePoint().what == klip::crash::What::kHalf) {
    size /= 2;
  }
  const ssize_t result = syscall(SYS_write, fd, data, size);
  if (die_after) {
    klip::crash::Die();
  }
  return result;
}

int fdatasync(int fd) { return klip::crash::Sync(Call::kFdatasync, SYS_fdatasync, fd); }
int fsync(int fd) { return klip::crash::Sync(Call::kFsync, SYS_fsync, fd); }

int rename(const char* from, const char* to) {
  bool die_after = false;
  if (klip::crash::Before(Call::kRename, &die_after)) {
    return -1;
  }
  const int result = static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
  if (die_after) {
    klip::crash::Die();
  }
  return result;
}

int unlink(const char* path) {
  bool die_after = false;
  if (klip::crash::Before(Call::kUnlink, &die_after)) {
    return -1;
  }
  struct stat file = {};
  // A loaded file keeps its other name, and the bytes of it that are synced.
  const bool known = klip::crash::SyncLog() >= 0 && stat(path, &file) == 0 && file.st_nlink == 1;
  const int result = static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  if (result == 0 && known) {
    klip::crash::NoteSynced(file, 0);
  }
  if (die_after) {
    klip::crash::Die();
  }
  return result;
}

int ftruncate(int fd, off_t size) {
  bool die_after = false;
  if (klip::crash::Before(Call::kFtruncate, &die_after)) {
    return -1;
  }
  const int result = static_cast<int>(syscall(SYS_ftruncate, fd, size));
  if (die_after) {
    klip::crash::Die();
  }
  return result;
}

}  // extern "C"
