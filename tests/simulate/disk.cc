#include "simulate/disk.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "simulate/raw_call.h"

namespace klip::simulate {
namespace {

constexpr int64_t kPage = 4096;

struct stat StatAt(int directory, const char* path) {
  struct stat out = {};
  if (RawCall(SYS_newfstatat, directory, RawAddress(path), RawAddress(&out), AT_SYMLINK_NOFOLLOW) < 0) {
    out.st_ino = 0;
  }
  return out;
}

struct stat StatOf(int fd) {
  struct stat out = {};
  if (RawCall(SYS_fstat, fd, RawAddress(&out)) < 0) {
    out.st_ino = 0;
  }
  return out;
}

std::string ReadFrom(int fd, int64_t offset, int64_t bytes) {
  std::string out(static_cast<size_t>(bytes), '\0');
  const long got = RawCall(SYS_pread64, fd, RawAddress(out.data()), bytes, offset);
  out.resize(static_cast<size_t>(std::max(got, 0L)));
  return out;
}

std::string ReadAll(int directory, const char* path) {
  const long fd = RawCall(SYS_openat, directory, RawAddress(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return {};
  }
  std::string out = ReadFrom(static_cast<int>(fd), 0, StatOf(static_cast<int>(fd)).st_size);
  RawCall(SYS_close, fd);
  return out;
}

void Put(std::string* bytes, int64_t offset, std::string_view piece) {
  const auto end = static_cast<size_t>(offset) + piece.size();
  bytes->resize(std::max(bytes->size(), end));
  bytes->replace(static_cast<size_t>(offset), piece.size(), piece);
}

std::string_view Piece(const std::string& bytes, int64_t offset, int64_t length) {
  const std::string_view all = bytes;
  return all.substr(std::min(static_cast<size_t>(offset), all.size()), static_cast<size_t>(length));
}

}  // namespace

std::string_view NameOf(Call call) {
  static constexpr std::string_view kNames[] = {"open",      "read",    "write",  "fsync", "fsync of a directory",
                                                "rename",    "link",    "unlink", "mkdir", "ftruncate",
                                                "fallocate", "opendir", "access", "any"};
  return kNames[static_cast<size_t>(call)];
}

void DiskLock::lock() {
  static thread_local char me;
  if (owner_ != &me) {
    while (taken_.exchange(true)) {
      sched_yield();
    }
    owner_ = &me;
  }
  ++depth_;
}

void DiskLock::unlock() {
  if (--depth_ == 0) {
    owner_ = nullptr;
    taken_ = false;
  }
}

Disk& Disk::The() {
  static Disk disk;
  return disk;
}

void Disk::Forget() {
  files_.clear();
  directories_.clear();
  names_.clear();
  directories_[StatAt(AT_FDCWD, root_.c_str()).st_ino] = {};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
    const std::string path = entry.path();
    const Inode inode = StatAt(AT_FDCWD, path.c_str()).st_ino;
    directories_[StatAt(AT_FDCWD, entry.path().parent_path().c_str()).st_ino][entry.path().filename()] = inode;
    if (entry.is_directory()) {
      directories_[inode];
    } else {
      files_[inode].durable = ReadAll(AT_FDCWD, path.c_str());
    }
  }
}

void Disk::Mount(const std::string& root) {
  root_.clear();
  directories_.clear();
  off_ = false;
  std::filesystem::create_directories(root);
  Plan({});
  CutAt(-1);
  root_ = root;
  Forget();
}

void Disk::Plan(std::vector<Fault> faults) {
  const std::lock_guard lock(lock_);
  faults_ = std::move(faults);
  history_.clear();
  std::fill(std::begin(of_call_), std::end(of_call_), 0);
  calls_ = 0;
  failed_ = 0;
}

void Disk::CutAt(int64_t number) {
  const std::lock_guard lock(lock_);
  cut_at_ = number;
  changes_ = 0;
}

// --- Before the calls ---

Disk::Place Disk::PlaceOf(int directory, const char* path) const {
  if (root_.empty() || path == nullptr) {
    return {};
  }
  std::string_view text = path;
  while (text.size() > 1 && text.ends_with('/')) {
    text.remove_suffix(1);
  }
  const size_t slash = text.rfind('/');
  Inode inode = 0;
  if (slash != std::string_view::npos) {
    inode = StatAt(directory, std::string(text.substr(0, std::max<size_t>(slash, 1))).c_str()).st_ino;
    text.remove_prefix(slash + 1);
  } else {
    inode = directory == AT_FDCWD ? 0 : StatOf(directory).st_ino;
  }
  return directories_.contains(inode) ? Place{inode, std::string(text)} : Place{};
}

Disk::Inode Disk::InodeOf(int directory, const char* path) const { return StatAt(directory, path).st_ino; }

bool Disk::Holds(int directory, const char* path) {
  const std::lock_guard lock(lock_);
  return PlaceOf(directory, path).directory != 0 ||
         (!root_.empty() && path != nullptr && directories_.contains(InodeOf(directory, path)));
}

bool Disk::Holds(int fd) {
  const std::lock_guard lock(lock_);
  if (root_.empty()) {
    return false;
  }
  const Inode inode = StatOf(fd).st_ino;
  return files_.contains(inode) || directories_.contains(inode);
}

int Disk::Before(Call call, bool changes, std::string_view what) {
  const std::lock_guard lock(lock_);
  const std::string_view name = what.substr(what.rfind('/') + 1);
  const std::string line = std::string(NameOf(call)) + " " + std::string(name);
  for (const char byte : line) {
    digest_ = (digest_ ^ static_cast<uint8_t>(byte)) * 1099511628211U;
  }
  ++calls_;
  history_.push_back(call);
  const int64_t of_call = ++of_call_[static_cast<size_t>(call)];
  int error = 0;
  if (changes && !off_ && ++changes_ == cut_at_) {
    off_ = true;
  }
  if (off_ && changes) {
    error = EIO;
  }
  for (const Fault& fault : faults_) {
    const int64_t number = fault.call == Call::kAny ? calls_ : of_call;
    // A full disk does not make access() fail.
    const bool fits = (fault.call == Call::kAny || fault.call == call) && (fault.error != ENOSPC || changes);
    if (error == 0 && fits && (number == fault.number || (fault.lasting && number > fault.number))) {
      error = fault.error == 0 ? kShort : fault.error;
      ++failed_;
    }
  }
  trace_.push_back(line + (error == 0 ? "" : off_ ? " (power is off)" : " (fails)"));
  constexpr size_t kMostLines = 100'000;
  if (trace_.size() > kMostLines) {
    trace_.pop_front();
  }
  return error;
}

// --- After the calls ---

void Disk::AddNames(std::vector<NameChange::Item> items) {
  std::erase_if(items, [](const NameChange::Item& item) { return item.directory == 0; });
  if (!items.empty()) {
    names_.push_back({std::move(items)});
  }
}

void Disk::Opened(int directory, const char* path, int fd, int flags) {
  const std::lock_guard lock(lock_);
  const struct stat opened = StatOf(fd);
  if (!S_ISREG(opened.st_mode)) {
    return;
  }
  if (!files_.contains(opened.st_ino)) {
    if ((flags & O_CREAT) == 0) {
      return;  // not a file of the store, e.g. RocksDB's own log
    }
    Place place = PlaceOf(directory, path);
    files_[opened.st_ino];
    AddNames({{place.directory, place.name, opened.st_ino}});
  } else if ((flags & O_TRUNC) != 0) {
    files_[opened.st_ino].changes.push_back({0, -1});
  }
}

void Disk::Wrote(int fd, int64_t offset, int64_t bytes) {
  const std::lock_guard lock(lock_);
  const auto file = files_.find(StatOf(fd).st_ino);
  if (file != files_.end() && bytes > 0) {
    file->second.changes.push_back({offset, bytes});
  }
}

void Disk::Truncated(int fd, int64_t bytes) {
  const std::lock_guard lock(lock_);
  if (const auto file = files_.find(StatOf(fd).st_ino); file != files_.end()) {
    file->second.changes.push_back({bytes, -1});
  }
}

void Disk::Synced(int fd) {
  const std::lock_guard lock(lock_);
  const struct stat synced = StatOf(fd);
  if (directories_.contains(synced.st_ino)) {
    for (NameChange& change : names_) {
      change.durable = change.durable || std::ranges::any_of(change.items, [&](const NameChange::Item& item) {
                         return item.directory == synced.st_ino;
                       });
    }
    while (!names_.empty() && names_.front().durable) {
      Apply(names_.front(), &directories_);
      names_.pop_front();
    }
    return;
  }
  const auto file = files_.find(synced.st_ino);
  if (file == files_.end()) {
    return;
  }
  std::string& durable = file->second.durable;
  // By its name, since a descriptor may be write-only.
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const long readable = RawCall(SYS_openat, AT_FDCWD, RawAddress(path.c_str()), O_RDONLY | O_CLOEXEC);
  for (const Change& change : file->second.changes) {
    if (change.bytes < 0) {
      durable.resize(static_cast<size_t>(change.offset));
    } else {
      Put(&durable, change.offset, ReadFrom(static_cast<int>(readable), change.offset, change.bytes));
    }
  }
  durable.resize(static_cast<size_t>(synced.st_size));
  file->second.changes.clear();
  RawCall(SYS_close, readable);
}

void Disk::SyncedAll() {
  const std::lock_guard lock(lock_);
  while (!names_.empty()) {
    Apply(names_.front(), &directories_);
    names_.pop_front();
  }
  const std::string root = std::exchange(root_, std::string());  // its own calls are not part of it
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path();
    if (const auto file = files_.find(InodeOf(AT_FDCWD, path.c_str())); file != files_.end()) {
      file->second.durable = ReadAll(AT_FDCWD, path.c_str());
      file->second.changes.clear();
    }
  }
  root_ = root;
}

void Disk::Renamed(int from_directory, const char* from, int to_directory, const char* to) {
  const std::lock_guard lock(lock_);
  const Place source = PlaceOf(from_directory, from);
  const Place target = PlaceOf(to_directory, to);
  const Inode inode = InodeOf(to_directory, to);
  if (files_.contains(inode) || directories_.contains(inode)) {
    AddNames({{source.directory, source.name, 0}, {target.directory, target.name, inode}});
  }
}

void Disk::Linked(int /*from_directory*/, const char* /*from*/, int to_directory, const char* to) {
  const std::lock_guard lock(lock_);
  const Place target = PlaceOf(to_directory, to);
  const Inode inode = InodeOf(to_directory, to);
  if (files_.contains(inode)) {
    AddNames({{target.directory, target.name, inode}});
  }
}

void Disk::Unlinking(int directory, const char* path) {
  const std::lock_guard lock(lock_);
  const struct stat gone = StatAt(directory, path);
  const auto file = files_.find(gone.st_ino);
  if (file != files_.end() && gone.st_nlink == 1) {
    file->second.last = ReadAll(directory, path);
    file->second.gone = true;
  }
}

void Disk::Unlinked(int directory, const char* path) {
  const std::lock_guard lock(lock_);
  Place place = PlaceOf(directory, path);
  AddNames({{place.directory, std::move(place.name), 0}});
}

long Disk::MakeDirectory(int directory, const char* path, mode_t mode) {
  const std::lock_guard lock(lock_);
  if (const long error = RawCall(SYS_mkdirat, directory, RawAddress(path), mode); error < 0) {
    return error;
  }
  const Inode inode = InodeOf(directory, path);
  Place place = PlaceOf(directory, path);
  directories_[inode];
  AddNames({{place.directory, std::move(place.name), inode}});
  return 0;
}

// --- A power cut ---

void Disk::Apply(const NameChange& change, std::map<Inode, std::map<std::string, Inode>>* names) {
  for (const NameChange::Item& item : change.items) {
    if (item.inode == 0) {
      (*names)[item.directory].erase(item.name);
    } else {
      (*names)[item.directory][item.name] = item.inode;
    }
  }
}

std::map<Disk::Inode, std::map<std::string, Disk::Inode>> Disk::NamesFound(ops::Random* random) const {
  auto names = directories_;
  const size_t first = random->OneIn(3) ? 0 : random->Below(names_.size() + 1);
  for (size_t i = 0; i < names_.size(); ++i) {
    if (i < first || names_[i].durable) {
      Apply(names_[i], &names);
    }
  }
  return names;
}

std::string Disk::BytesFound(const File& file, const std::string& now, bool is_log, Loss loss,
                             ops::Random* random) const {
  std::string bytes = file.durable;
  if (file.changes.empty() || loss == Loss::kUnsynced) {
    return bytes;
  }
  if (loss == Loss::kPages && !is_log) {
    const std::string before = bytes;
    bytes.resize(now.size());
    for (const Change& change : file.changes) {
      for (int64_t page = change.offset / kPage; change.bytes > 0 && page * kPage < change.offset + change.bytes;
           ++page) {
        if (random->OneIn(2)) {
          Put(&bytes, page * kPage, Piece(now, page * kPage, kPage));
        }
      }
    }
    bytes.resize(now.size());
    return bytes;
  }
  const size_t whole = random->Below(file.changes.size() + 1);
  for (size_t i = 0; i <= whole && i < file.changes.size(); ++i) {
    const Change& change = file.changes[i];
    if (change.bytes < 0) {
      bytes.resize(static_cast<size_t>(change.offset));
    } else {
      const int64_t length = i < whole ? change.bytes : random->Between(0, change.bytes);
      Put(&bytes, change.offset, Piece(now, change.offset, length));
    }
  }
  return bytes;
}

void Disk::Write(const std::string& path, Inode directory, const std::map<Inode, std::map<std::string, Inode>>& names,
                 const std::map<Inode, std::string>& bytes) const {
  std::filesystem::create_directories(path);
  const auto found = names.find(directory);
  if (found == names.end()) {
    return;
  }
  for (const auto& [name, inode] : found->second) {
    const std::string entry = path + "/" + name;
    if (directories_.contains(inode)) {
      Write(entry, inode, names, bytes);
    } else if (const auto file = bytes.find(inode); file != bytes.end()) {
      std::ofstream(entry, std::ios::binary) << file->second;
    }
  }
}

void Disk::LosePower(Loss loss, ops::Random* random) {
  const std::string root = std::exchange(root_, std::string());  // its own calls are not part of it
  const Inode top = StatAt(AT_FDCWD, root.c_str()).st_ino;
  off_ = false;
  if (loss != Loss::kNothing) {
    std::map<Inode, std::string> now;
    std::map<Inode, bool> is_log;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) {
        const std::string path = entry.path();
        const Inode inode = InodeOf(AT_FDCWD, path.c_str());
        now[inode] = ReadAll(AT_FDCWD, path.c_str());
        is_log[inode] = is_log[inode] || path.ends_with(".log");
      }
    }
    const auto names = NamesFound(random);
    std::map<Inode, std::string> bytes;
    for (const auto& [inode, file] : files_) {
      bytes[inode] = BytesFound(file, file.gone ? file.last : now[inode], is_log[inode], loss, random);
    }
    const std::string found = root + ".found";
    Write(found, top, names, bytes);
    std::filesystem::remove_all(root);
    std::filesystem::rename(found, root);
  }
  Plan({});
  CutAt(-1);
  root_ = root;
  Forget();
}

}  // namespace klip::simulate
