#include "engine/store/file_checks.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"

#include "engine/layout/bloom_prefix.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/little_endian.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_check.h"
#include "engine/log/log_reader.h"
#include "engine/log/manifest.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

constexpr size_t kReadAheadBytes = 256 << 10;

// Checks what RocksDB accepts in the footer of a damaged table: another version, longer varints, and padding that is not
// zero. The footer is checksum type (1), four varints, zeros up to byte 41, version (4), magic number (8). From version 6 on,
// it has a checksum.
rocksdb::Status CheckFooter(rocksdb::Env* env, const std::string& file) {
  constexpr size_t kFooterBytes = 53;
  constexpr size_t kPaddingEnd = 41;
  constexpr uint32_t kVersion = 5;
  uint64_t size = 0;
  rocksdb::Status status = env->GetFileSize(file, &size);
  std::unique_ptr<rocksdb::RandomAccessFile> reader;
  if (status.ok()) {
    status = env->NewRandomAccessFile(file, &reader, rocksdb::EnvOptions());
  }
  std::string buffer(kFooterBytes, '\0');
  rocksdb::Slice footer;
  if (status.ok() && size >= kFooterBytes) {
    status = reader->Read(size - kFooterBytes, kFooterBytes, &footer, buffer.data());
  }
  if (!status.ok() || footer.size() < kFooterBytes) {
    return status;
  }
  const auto version = ReadLittleEndian<uint32_t>(footer.data() + kPaddingEnd);
  if (version > kVersion) {
    return status;
  }
  size_t at = 1;
  bool right = version == kVersion;
  for (int varints = 0; varints < 4 && at < kPaddingEnd; ++at) {
    const bool ends = static_cast<uint8_t>(footer[at]) < 0x80;
    right = right && !(ends && footer[at] == '\0' && static_cast<uint8_t>(footer[at - 1]) >= 0x80);  // not the shortest
    varints += ends ? 1 : 0;
  }
  right = right && std::all_of(footer.data() + at, footer.data() + kPaddingEnd, [](char c) { return c == '\0'; });
  return right ? rocksdb::Status::OK() : rocksdb::Status::Corruption("the footer is damaged");
}

class StoreFilesCheck {
 public:
  StoreFilesCheck(rocksdb::Env* env, const std::string& store, bool is_open, bool direct)
      : env_(env != nullptr ? env : rocksdb::Env::Default()), store_(store), is_open_(is_open), direct_(direct) {
    RegisterBloomPrefixes();
  }

  Expected<FileCheck> Run() {
    KLIP_RETURN_IF_ERROR(engine::NamesIn(env_, store_).status());
    for (const char* sealed : {"/CATALOG", "/SEQUENCE", "/replication/PEERS", "/archive/BACKUPS"}) {
      CheckSealed(store_ + sealed);
    }
    KLIP_RETURN_IF_ERROR(CheckManifest());
    for (const auto& [number, table] : manifest_.tables) {
      KLIP_RETURN_IF_ERROR(CheckTable(store_ + "/" + TableName(number), number));
    }
    KLIP_RETURN_IF_ERROR(CheckSnapshots());
    KLIP_RETURN_IF_ERROR(CheckLogs());
    return std::move(check_);
  }

 private:
  void Tell(const std::string& file, const Status& status) {
    check_.damages.push_back({file, WithoutName(status, file)});
  }
  void Tell(const LogDamage& damage) {
    check_.damages.push_back({damage.file, "the log is damaged at offset " + std::to_string(damage.offset)});
  }

  // Checks a file that may be missing.
  void CheckSealed(const std::string& file) {
    const Expected<bool> there = FileIsThere(env_, file);
    if (!there.ok()) {
      return Tell(file, there.status());
    }
    if (!*there) {
      return;
    }
    ++check_.files;
    const Expected<std::string> bytes = ReadSmallFile(env_, file);
    const Status status = bytes.ok() ? Unseal(*bytes, file).status() : bytes.status();
    if (!status.ok() && env_->FileExists(file).ok()) {
      Tell(file, status);
    }
  }

  // Keeps only the error that means "stop", not damage.
  static Status Cancelled(const Status& status) { return status.code() == Code::kCancelled ? status : Status::Ok(); }

  Expected<ManifestState> ReadCurrentManifest(std::string* file) const {
    KLIP_ASSIGN_OR_RETURN(const std::string current, ReadSmallFile(env_, store_ + "/CURRENT"));
    *file = store_ + "/" + current.substr(0, current.find('\n'));
    if (!current.starts_with("MANIFEST-")) {
      *file = store_ + "/CURRENT";
      return Status(Code::kCorruption, *file + " does not name a MANIFEST");
    }
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    KLIP_RETURN_IF_ERROR(
        FromRocks(env_->NewRandomAccessFile(*file, &bytes, rocksdb::EnvOptions()), "opening " + *file));
    LogReader reader(std::move(bytes), *file);
    return ReadManifest(&reader, *file, UINT64_MAX);
  }

  Status CheckManifest() {
    std::string file = store_ + "/CURRENT";
    ++check_.files;
    Expected<ManifestState> state = ReadCurrentManifest(&file);
    if (!state.ok() && is_open_) {  // a new one may have appeared meanwhile
      state = ReadCurrentManifest(&file);
    }
    if (!state.ok()) {
      KLIP_RETURN_IF_ERROR(Cancelled(state.status()));
      Tell(file, state.status());
      return Status::Ok();
    }
    manifest_ = *std::move(state);
    const Expected<std::optional<CutManifest>> cut = FindCutManifest(env_, store_);
    if (!cut.ok()) {
      KLIP_RETURN_IF_ERROR(Cancelled(cut.status()));
      Tell(store_ + "/" + kManifestMarkName, cut.status());
    } else if (cut->has_value()) {
      check_.damages.push_back({file, "was cut short at byte " + std::to_string((*cut)->bytes)});
    }
    return Status::Ok();
  }

  // `number` 0: a snapshot's file.
  Status CheckTable(const std::string& file, uint64_t number) {
    ++check_.files;
    rocksdb::Status status = VerifyTable(env_, file, direct_);
    if (direct_ && status.IsInvalidArgument()) {  // this file system does not support it
      status = VerifyTable(env_, file, false);
    }
    if (status.ok()) {
      return Status::Ok();
    }
    if (status.IsAborted()) {
      return {Code::kCancelled, status.ToString()};
    }
    const bool needed = number != 0 ? IsStillNamed(number) : env_->FileExists(file).ok();
    if (!is_open_ || needed) {
      Tell(file, FromRocks(status, "reading"));
    }
    return Status::Ok();
  }

  bool IsStillNamed(uint64_t number) const {
    std::string file;
    const Expected<ManifestState> now = ReadCurrentManifest(&file);
    return !now.ok() || now->tables.contains(number);
  }

  // None if the directory does not exist (any more).
  std::vector<std::string> NamesIn(const std::string& directory) {
    Expected<std::vector<std::string>> names = engine::NamesIn(env_, directory);
    if (!names.ok()) {
      Tell(directory, names.status());
      return {};
    }
    return *std::move(names);
  }

  // Reads files that snapshots share with the store a second time: that costs time, but does no harm.
  Status CheckSnapshots() {
    const std::string all = store_ + "/snapshots";
    for (const std::string& snapshot : NamesIn(all)) {
      CheckSealed(all + "/" + snapshot + "/SNAPSHOT");
      for (const std::string& family : NamesIn(all + "/" + snapshot)) {
        if (family.starts_with("SNAPSHOT")) {
          continue;
        }
        const std::string directory = all + "/" + snapshot + "/" + family;
        for (const std::string& name : NamesIn(directory)) {
          if (name.ends_with(".sst")) {
            KLIP_RETURN_IF_ERROR(CheckTable(directory + "/" + name, /*number=*/0));
          }
        }
      }
    }
    return Status::Ok();
  }

  Status CheckLogs() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(env_, store_, /*kept=*/false));
    const Expected<std::vector<LogDamage>> damages = FindLogDamage(env_, store_);
    if (!damages.ok()) {
      KLIP_RETURN_IF_ERROR(Cancelled(damages.status()));
      if (!is_open_) {  // otherwise one was deleted meanwhile
        Tell(store_, damages.status());
      }
      return Status::Ok();
    }
    check_.files += static_cast<int64_t>(logs.size());
    for (const LogDamage& damage : *damages) {
      if ((!is_open_ || damage.log < logs.back()) && env_->FileExists(damage.file).ok()) {
        Tell(damage);
      }
    }
    for (const char* kept : {kReplicationDirectory, kArchiveDirectory}) {
      KLIP_RETURN_IF_ERROR(CheckKeptLogs(kept));
    }
    return Status::Ok();
  }

  Status CheckKeptLogs(const char* kept) {
    for (const std::string& name : NamesIn(store_ + "/" + kept)) {
      check_.files += LogNumber(name).has_value() ? 1 : 0;
    }
    const Expected<std::vector<LogDamage>> damages = FindKeptLogDamage(env_, store_ + "/" + kept);
    if (!damages.ok()) {
      KLIP_RETURN_IF_ERROR(Cancelled(damages.status()));
      Tell(store_ + "/" + kept, damages.status());
      return Status::Ok();
    }
    for (const LogDamage& damage : *damages) {
      if (env_->FileExists(damage.file).ok()) {
        Tell(damage);
      }
    }
    return Status::Ok();
  }

  rocksdb::Env* const env_;
  const std::string store_;
  const bool is_open_;
  const bool direct_;
  ManifestState manifest_;
  FileCheck check_;
};

}  // namespace

rocksdb::Status VerifyTable(rocksdb::Env* env, const std::string& file, bool direct) {
  rocksdb::Options options;
  options.env = env;
  options.use_direct_reads = direct;
  rocksdb::ReadOptions how;
  how.readahead_size = kReadAheadBytes;
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(file);
  if (status.ok()) {
    status = reader.VerifyChecksum(how);
  }
  return status.ok() ? CheckFooter(env, file) : status;
}

Expected<FileCheck> CheckStoreFiles(rocksdb::Env* env, const std::string& store, bool is_open, bool direct) {
  return StoreFilesCheck(env, store, is_open, direct).Run();
}

}  // namespace klip::engine
