#include "engine/store/small_file.h"

#include <cerrno>
#include <memory>

#include "rocksdb/env.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/digest.h"
#include "engine/layout/rocksdb_status.h"

namespace klip::engine {
namespace {

constexpr uint64_t kMaxSmallFileBytes = uint64_t{256} << 20;
constexpr std::string_view kSealMark = "md5 ";
constexpr size_t kSealBytes = 4 + 32 + 1;  // mark, hex digits, newline

std::string SealOf(std::string_view bytes) { return std::string(kSealMark) + base::Hex(base::Md5(bytes)) + "\n"; }

}  // namespace

std::string Seal(std::string bytes) {
  const std::string seal = SealOf(bytes);
  return std::move(bytes.append(seal));
}

Expected<std::string_view> Unseal(std::string_view sealed, std::string_view file) {
  if (sealed.size() >= kSealBytes) {
    const std::string_view bytes = sealed.substr(0, sealed.size() - kSealBytes);
    const std::string_view seal = sealed.substr(bytes.size());
    if (seal == SealOf(bytes)) {
      return bytes;
    }
  }
  return Status(Code::kCorruption, std::string(file) + ": checksum mismatch, the file is damaged or cut short");
}

std::optional<std::string> WithBitRestored(std::string sealed) {
  constexpr size_t kMostBytes = 16 << 10;  // hashes 2 GiB in all
  if (sealed.size() < kSealBytes || sealed.size() > kMostBytes) {
    return std::nullopt;
  }
  for (char& byte : sealed) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = static_cast<char>(byte ^ (1 << bit));
      if (Unseal(sealed, "").ok()) {
        return sealed;
      }
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }
  return std::nullopt;
}

std::string WithoutName(const Status& error, const std::string& file) {
  const std::string& text = error.message();
  return text.starts_with(file + ": ") ? text.substr(file.size() + 2) : text;
}

Expected<std::string> ReadSmallFile(rocksdb::Env* env, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {  // opening a pipe would wait for its writer
    return Status(Code::kCorruption, path + ": not a regular file");
  }
  uint64_t size = 0;
  KLIP_RETURN_IF_ERROR(FromRocks(env->GetFileSize(path, &size), "reading " + path));
  if (size > kMaxSmallFileBytes) {
    return Status(Code::kCorruption, path + ": implausible size of " + std::to_string(size) + " bytes");
  }
  std::string bytes;
  KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::ReadFileToString(env, path, &bytes), "reading " + path));
  return bytes;
}

Status ReplaceFile(rocksdb::Env* env, const std::string& directory, const std::string& name, std::string_view bytes,
                   bool* unknown) {
  const std::string path = directory + "/" + name;
  const std::string temporary = path + ".new";
  const std::string doing = "writing " + path;
  KLIP_RETURN_IF_ERROR(FromRocks(
      rocksdb::WriteStringToFile(env, rocksdb::Slice(bytes.data(), bytes.size()), temporary, /*should_sync=*/true),
      doing));
  // Opened before the rename, so that running out of file descriptors leaves the old file in place.
  std::unique_ptr<rocksdb::Directory> handle;
  KLIP_RETURN_IF_ERROR(FromRocks(env->NewDirectory(directory, &handle), doing));
  rocksdb::Status status = env->RenameFile(temporary, path);
  const bool renamed = status.ok() || !env->FileExists(temporary).ok();
  if (status.ok()) {
    status = handle->Fsync();
  }
  if (unknown != nullptr) {
    *unknown = !status.ok() && renamed;
  }
  return FromRocks(status, doing);
}

Status SyncDirectory(rocksdb::Env* env, const std::string& directory) {
  std::unique_ptr<rocksdb::Directory> handle;
  rocksdb::Status status = env->NewDirectory(directory, &handle);
  if (status.ok()) {
    status = handle->Fsync();
  }
  return FromRocks(status, "syncing the directory " + directory);
}

Status SyncFileSystem(const std::string& directory) {
  const base::Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return ::syncfs(opened.get()) == 0 ? Status::Ok()
                                     : Status(Code::kIoError, "syncing " + directory + ": " + base::ErrorText(errno));
}

}  // namespace klip::engine
