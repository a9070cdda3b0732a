#include "engine/log/kept_logs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_reader.h"

namespace klip::engine {
namespace {

constexpr std::string_view kLogSuffix = ".log";

Status AddLogNumbers(rocksdb::Env* env, const std::string& directory, std::set<uint64_t>* numbers) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(env, directory));
  for (const std::string& name : names) {
    if (const std::optional<uint64_t> number = LogNumber(name); number.has_value()) {
      numbers->insert(*number);
    }
  }
  return Status::Ok();
}

// Of the thread's files since its ReadFiles; OK without one.
thread_local bool reads_files = false;
thread_local rocksdb::IOStatus unread;

class ReadFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  using FSRandomAccessFileOwnerWrapper::FSRandomAccessFileOwnerWrapper;
  rocksdb::IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* debug) const override {
    rocksdb::IOStatus status = FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, debug);
    if (!status.ok() && reads_files) {
      unread = status;
    }
    return status;
  }
};

}  // namespace

KeptLogs::ReadFiles::ReadFiles() {
  reads_files = true;
  unread = rocksdb::IOStatus::OK();
}

KeptLogs::ReadFiles::~ReadFiles() { reads_files = false; }

rocksdb::IOStatus KeptLogs::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                                rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
  if (status.ok() && reads_files) {
    *file = std::make_unique<ReadFile>(std::move(*file));
  }
  return status;
}

std::optional<uint64_t> FileNumber(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix)) {
    return std::nullopt;
  }
  name.remove_suffix(suffix.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> LogNumber(std::string_view name) { return FileNumber(name, kLogSuffix); }

std::string LogName(uint64_t number) {
  char name[32];
  const int length = std::snprintf(name, sizeof(name), "%06llu.log", static_cast<unsigned long long>(number));
  return {name, static_cast<size_t>(length)};
}

bool KeptLogs::IsInStore(std::string_view path) const {
  const size_t slash = path.rfind('/');
  return slash != std::string_view::npos && path.substr(0, slash) == store_;
}

bool KeptLogs::IsLog(std::string_view path) const {
  return IsInStore(path) && LogNumber(path.substr(path.rfind('/') + 1)).has_value();
}

rocksdb::IOStatus KeptLogs::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                            std::unique_ptr<rocksdb::FSWritableFile>* file,
                                            rocksdb::IODebugContext* debug) {
  rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
  if (status.ok() && IsLog(name)) {
    *file = room_.Wrap(std::move(*file));
  }
  return status;
}

rocksdb::IOStatus KeptLogs::DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) {
  if (kept_tables_.load(std::memory_order_acquire) > 0 && IsInStore(name) && name.ends_with(".sst")) {
    return rocksdb::IOStatus::OK();
  }
  if (!IsLog(name)) {
    return FileSystemWrapper::DeleteFile(name, options, debug);
  }
  uint64_t bytes = 0;
  if (before_deletion_ != nullptr && GetFileSize(name, options, &bytes, debug).ok() && bytes > 0) {
    before_deletion_();
  }
  if (rocksdb::IOStatus archived = Archive(name, options, debug); !archived.ok()) {
    return archived;  // RocksDB logs it, and retries at the next open
  }
  if (!keep_.load(std::memory_order_acquire)) {
    return FileSystemWrapper::DeleteFile(name, options, debug);
  }
  const std::string kept = store_ + "/" + kReplicationDirectory + name.substr(name.rfind('/'));
  return RenameFile(name, kept, options, debug);
}

// RocksDB 7.8 does not sync the directory when it imports a family: after a power cut, its MANIFEST would name missing
// files.
rocksdb::IOStatus KeptLogs::LinkFile(const std::string& source, const std::string& target,
                                     const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
  if (reads_files && !unread.ok()) {
    return unread;
  }
  const rocksdb::IOStatus status = FileSystemWrapper::LinkFile(source, target, options, debug);
  return status.ok() && IsInStore(target) ? Sync(store_, options, debug) : status;
}

rocksdb::IOStatus KeptLogs::Sync(const std::string& directory, const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> opened;
  const rocksdb::IOStatus status = NewDirectory(directory, options, &opened, debug);
  return status.ok() ? opened->Fsync(options, debug) : status;
}

rocksdb::IOStatus KeptLogs::Archive(const std::string& name, const rocksdb::IOOptions& options,
                                    rocksdb::IODebugContext* debug) {
  const std::string archive = store_ + "/" + kArchiveDirectory;
  if (const rocksdb::IOStatus there = FileExists(archive, options, debug); !there.ok()) {
    return there.IsNotFound() ? rocksdb::IOStatus::OK() : there;
  }
  const std::string archived = archive + name.substr(name.rfind('/'));
  const rocksdb::IOStatus status = LinkFile(name, archived, options, debug);
  if (!status.ok() && FileExists(archived, options, debug).ok()) {
    return rocksdb::IOStatus::OK();  // by an earlier attempt to delete it
  }
  return status.ok() ? Sync(archive, options, debug) : status;
}

Expected<std::vector<uint64_t>> LogNumbers(rocksdb::Env* env, const std::string& store, bool kept) {
  // In this order, so that one that is moved meanwhile is seen.
  std::set<uint64_t> numbers;
  KLIP_RETURN_IF_ERROR(AddLogNumbers(env, store, &numbers));
  if (kept) {
    KLIP_RETURN_IF_ERROR(AddLogNumbers(env, store + "/" + kReplicationDirectory, &numbers));
  }
  return std::vector<uint64_t>(numbers.begin(), numbers.end());
}

Expected<std::map<uint64_t, uint64_t>> KeptLogBytes(rocksdb::Env* env, const std::string& store) {
  const std::string directory = store + "/" + kReplicationDirectory;
  std::set<uint64_t> numbers;
  KLIP_RETURN_IF_ERROR(AddLogNumbers(env, directory, &numbers));
  std::map<uint64_t, uint64_t> logs;
  for (const uint64_t number : numbers) {
    uint64_t bytes = 0;
    if (env->GetFileSize(directory + "/" + LogName(number), &bytes).ok()) {  // otherwise it was deleted meanwhile
      logs[number] = bytes;
    }
  }
  return logs;
}

Expected<std::unique_ptr<rocksdb::RandomAccessFile>> OpenLog(rocksdb::Env* env, const std::string& store,
                                                             uint64_t number) {
  const std::string name = "/" + LogName(number);
  for (const std::string& path : {store + name, store + "/" + kReplicationDirectory + name}) {
    std::unique_ptr<rocksdb::RandomAccessFile> file;
    const rocksdb::Status opened = env->NewRandomAccessFile(path, &file, rocksdb::EnvOptions());
    if (opened.ok()) {
      return file;
    }
    if (!opened.IsNotFound() && !opened.IsPathNotFound()) {
      return FromRocks(opened, "opening " + path);
    }
  }
  return std::unique_ptr<rocksdb::RandomAccessFile>();
}

namespace {

// Where the last intact record of a torn log ends; nothing if the log ends there, or RocksDB would read more of it.
Expected<std::optional<uint64_t>> TornAt(LogReader* reader) {
  std::string record;
  Expected<bool> more = true;
  while (more.ok() && *more) {
    more = reader->Next(&record);
  }
  const uint64_t end = reader->end();
  while (!more.ok()) {
    if (more.status().code() != Code::kCorruption) {
      return more.status();
    }
    KLIP_ASSIGN_OR_RETURN(const bool skipped, reader->SkipZeroes());
    if (!skipped) {
      return std::optional(end);
    }
    more = reader->Next(&record);
    if (more.ok()) {
      // a hole, after which records follow: that is not a torn record
      return *more ? std::nullopt : std::optional(end);
    }
  }
  KLIP_ASSIGN_OR_RETURN(const bool whole, reader->IsAtEnd());
  return whole ? std::nullopt : std::optional(end);
}

}  // namespace

Status CutTornLog(rocksdb::Env* env, const std::string& store) {
  std::set<uint64_t> numbers;
  KLIP_RETURN_IF_ERROR(AddLogNumbers(env, store, &numbers));
  if (numbers.empty()) {
    return Status::Ok();
  }
  const std::string path = store + "/" + LogName(*numbers.rbegin());
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  KLIP_RETURN_IF_ERROR(FromRocks(env->NewRandomAccessFile(path, &file, rocksdb::EnvOptions()), "opening " + path));
  LogReader reader(std::move(file), path);
  KLIP_ASSIGN_OR_RETURN(const std::optional<uint64_t> torn_at, TornAt(&reader));
  if (!torn_at.has_value()) {
    return Status::Ok();
  }
  std::unique_ptr<rocksdb::WritableFile> log;
  rocksdb::Status status = env->ReopenWritableFile(path, &log, rocksdb::EnvOptions());
  if (status.ok()) {
    status = log->Truncate(*torn_at);
  }
  if (status.ok()) {
    status = log->Fsync();
  }
  if (status.ok()) {
    status = log->Close();
  }
  return FromRocks(status, "cutting off the torn end of " + path);
}

Status DropKeptLogs(rocksdb::Env* env, const std::string& store, uint64_t number) {
  const std::string directory = store + "/" + kReplicationDirectory;
  std::set<uint64_t> numbers;
  KLIP_RETURN_IF_ERROR(AddLogNumbers(env, directory, &numbers));
  for (const uint64_t kept : numbers) {
    if (kept < number) {
      const std::string path = directory + "/" + LogName(kept);
      KLIP_RETURN_IF_ERROR(FromRocks(env->DeleteFile(path), "deleting " + path));
    }
  }
  return Status::Ok();
}

}  // namespace klip::engine
