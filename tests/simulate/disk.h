// A simulated disk in a directory, which fails and loses power on request.
//
// An executable that links file_calls.cc has its own open, write, fsync, rename, ..., which ask the disk first. Their
// effects are visible in the directory at once, as in the page cache of a machine. In addition, the disk records what is
// durable:
//
//   a file's bytes     after fsync or fdatasync of the file
//   a name             after fsync of its directory; of names changed since then, a prefix of the changes in their order
//
// So a new file may disappear if its bytes were synced but not its directory. After a rename, the old file may be back
// under that name. LosePower leaves what a machine would find after a power cut.
//
// Example: write("a.new"), fsync(a.new), rename(a.new, a), power cut. Both names changed after the last sync of the directory, so the
// machine finds the old "a" alone, the old "a" and a whole "a.new", or the new "a".
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "ops/random.h"

namespace klip::simulate {

enum class Call {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kSyncDirectory,
  kRename,
  kLink,
  kUnlink,
  kMakeDirectory,
  kTruncate,
  kAllocate,
  kList,
  kLook,  // access and stat; the simulator does not fail them
  kAny
};
inline constexpr size_t kCalls = static_cast<size_t>(Call::kAny);
std::string_view NameOf(Call call);

// The n-th call (from 1) of a kind fails, or all from the n-th on.
struct Fault {
  Call call = Call::kAny;
  int64_t number = 0;
  int error = 0;  // 0: reads and writes do less than they were asked for
  bool lasting = false;
};

// Which of the bytes that were not synced are found.
enum class Loss {
  kNothing,   // as after kill -9
  kUnsynced,  // none of it
  kPrefix,    // of each file a prefix of its writes, the last one cut anywhere
  kPages,  // of each file some pages; the others are as before, or zeros. Logs: as kPrefix, since a hole there counts as damage
};

// A recursive lock for threads that the simulator does not schedule: a call of the disk itself may ask the disk. It is
// not a pthread_mutex_t, since the simulator would let other threads run there.
class DiskLock {
 public:
  void lock();
  void unlock();

 private:
  std::atomic<bool> taken_{false};
  std::atomic<const void*> owner_{nullptr};
  int depth_ = 0;
};

// Thread-safe, except Mount and LosePower.
class Disk {
 public:
  static Disk& The();

  // From here on it is the directory `root`, which is empty or holds what has reached the disk.
  void Mount(const std::string& root);
  // The calls on it are counted from 0 again, and fail by `faults`.
  void Plan(std::vector<Fault> faults);
  // Before the n-th call from now that changes anything the power goes: nothing changes from then on, and each such call fails with EIO.
  void CutAt(int64_t number);
  bool is_off() const { return off_; }
  int64_t failed() const { return failed_; }    // calls, since Plan
  int64_t calls() const { return calls_; }      // since Plan
  int64_t changes() const { return changes_; }  // since CutAt
  // Kinds of the calls since Plan, for sweeps.
  const std::vector<Call>& history() const { return history_; }
  // Of all calls so far: equal for equal runs.
  uint64_t digest() const { return digest_; }
  // The calls so far, oldest first; the last few hundred.
  std::vector<std::string> Trace() const { return {trace_.begin(), trace_.end()}; }

  // Changes the directory into what is found after a power cut, and turns the power on again. REQUIRES: no file of it is open.
  void LosePower(Loss loss, ops::Random* random);

  // --- For file_calls.cc. `directory` is a file descriptor or AT_FDCWD. ---

  // Whether the path lies in a directory of the disk.
  bool Holds(int directory, const char* path);
  bool Holds(int fd);
  // 0: execute the call. Otherwise the errno to fail with, or kShort.
  static constexpr int kShort = -1;
  int Before(Call call, bool changes, std::string_view what);
  void Opened(int directory, const char* path, int fd, int flags);
  void Wrote(int fd, int64_t offset, int64_t bytes);
  void Truncated(int fd, int64_t bytes);
  void Synced(int fd);
  void SyncedAll();
  void Renamed(int from_directory, const char* from, int to_directory, const char* to);
  void Linked(int from_directory, const char* from, int to_directory, const char* to);
  void Unlinking(int directory, const char* path);  // before the call
  void Unlinked(int directory, const char* path);
  // Makes it and records it in one step: another thread that finds it may create files there at once. Returns what the system
  // call returned.
  long MakeDirectory(int directory, const char* path, mode_t mode);

 private:
  using Inode = uint64_t;
  struct Change {
    int64_t offset = 0;
    int64_t bytes = 0;  // -1: cut to `offset` bytes
  };
  struct File {
    std::string durable;
    std::vector<Change> changes;  // since
    std::string last;             // the bytes when its last name went
    bool gone = false;
  };
  struct NameChange {
    struct Item {
      Inode directory = 0;
      std::string name;
      Inode inode = 0;  // 0: the name goes
    };
    std::vector<Item> items;
    bool durable = false;
  };
  struct Place {
    Inode directory = 0;  // 0: not on the disk
    std::string name;
  };

  Place PlaceOf(int directory, const char* path) const;
  Inode InodeOf(int directory, const char* path) const;
  void AddNames(std::vector<NameChange::Item> items);
  static void Apply(const NameChange& change, std::map<Inode, std::map<std::string, Inode>>* names);
  std::map<Inode, std::map<std::string, Inode>> NamesFound(ops::Random* random) const;
  std::string BytesFound(const File& file, const std::string& now, bool is_log, Loss loss, ops::Random* random) const;
  void Write(const std::string& path, Inode directory, const std::map<Inode, std::map<std::string, Inode>>& names,
             const std::map<Inode, std::string>& bytes) const;
  void Forget();

  DiskLock lock_;

  std::string root_;
  std::map<Inode, File> files_;
  std::map<Inode, std::map<std::string, Inode>> directories_;  // with the names that have reached the disk
  std::deque<NameChange> names_;                               // since, oldest first
  std::vector<Fault> faults_;
  std::vector<Call> history_;
  int64_t of_call_[kCalls] = {};
  int64_t calls_ = 0;
  int64_t changes_ = 0;
  int64_t cut_at_ = -1;
  int64_t failed_ = 0;
  bool off_ = false;
  uint64_t digest_ = 14695981039346656037U;
  std::deque<std::string> trace_;
};

}  // namespace klip::simulate
