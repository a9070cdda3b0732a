#include "engine/backup/store_capture.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "rocksdb/env.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_reader.h"
#include "engine/log/manifest.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

// TUNING: each takes milliseconds, while a flush or a compaction ends every second or so.
constexpr int kMostAttempts = 1000;

Status OpenError(const std::string& path, int error) {
  std::string text = "opening " + path + ": " + base::ErrorText(error);
  if (error == EMFILE) {
    text += "; all files of a store are held at once: raise the limit of open files (ulimit -Hn)";
  }
  return {Code::kIoError, std::move(text)};
}

// One attempt to capture the directory.
class Attempt {
 public:
  Attempt(std::string store, bool archived) : store_(std::move(store)), archived_(archived) {}

  // False: it has changed meanwhile.
  Expected<bool> Run() {
    KLIP_ASSIGN_OR_RETURN(bool whole, HoldSmallFiles());
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(""));
    for (const auto& hold : {&Attempt::HoldTables, &Attempt::HoldLogs}) {
      if (whole) {
        KLIP_ASSIGN_OR_RETURN(whole, (this->*hold)(names));
      }
    }
    if (whole && archived_) {
      KLIP_ASSIGN_OR_RETURN(whole, HoldArchive());
    }
    if (whole) {
      KLIP_ASSIGN_OR_RETURN(whole, HoldSnapshots());
    }
    return whole && IsSame();
  }

  // Omits tables that are still being written, or are obsolete. Errors: kCorruption.
  Expected<std::vector<CapturedFile>> Take() {
    const CapturedFile& manifest = files_[manifest_];
    const std::string name = store_ + "/" + manifest.path;
    const std::string path = "/proc/self/fd/" + std::to_string(manifest.file.get());
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::Env::Default()->NewRandomAccessFile(path, &bytes, rocksdb::EnvOptions()),
                                   "opening " + name));
    LogReader reader(std::move(bytes), name);
    KLIP_ASSIGN_OR_RETURN(ManifestState state, ReadManifest(&reader, name, manifest.bytes));
    std::erase_if(files_, [&](const CapturedFile& file) {
      const std::optional<uint64_t> number = FileNumber(file.path, ".sst");
      return number.has_value() && state.tables.erase(*number) == 0;
    });
    if (!state.tables.empty()) {
      return Status(Code::kCorruption, name + " names the table file " + std::to_string(state.tables.begin()->first) +
                                           ", which is missing");
    }
    return std::move(files_);
  }

 private:
  // False: the file does not exist (any more).
  Expected<bool> Hold(const std::string& path) {
    CapturedFile& one = files_.emplace_back(CapturedFile{.path = path});
    one.file = base::Descriptor(::open((store_ + "/" + path).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat found = {};
    if (one.file.get() < 0 || ::fstat(one.file.get(), &found) != 0) {
      const int error = errno;
      files_.pop_back();
      return error == ENOENT ? Expected<bool>(false) : Expected<bool>(OpenError(store_ + "/" + path, error));
    }
    one.bytes = static_cast<uint64_t>(found.st_size);
    return true;
  }

  // The names in a directory of the store; empty if it does not exist.
  Expected<std::vector<std::string>> Names(const std::string& directory) const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(store_ + "/" + directory, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      names.push_back(entry->path().filename());
    }
    if (error && error != std::errc::no_such_file_or_directory) {
      return Status(Code::kIoError, "reading the directory " + store_ + "/" + directory + ": " + error.message());
    }
    std::ranges::sort(names);
    return names;
  }

  Expected<bool> HoldSmallFiles() {
    for (const char* name : {"FORMAT", "CATALOG", "CURRENT"}) {
      KLIP_ASSIGN_OR_RETURN(const bool there, Hold(name));
      if (!there) {
        return false;
      }
      fixed_.push_back(files_.size() - 1);
    }
    for (const char* name : {"SEQUENCE", "CLUSTER_ID", "IDENTITY"}) {  // created when they are first needed
      KLIP_RETURN_IF_ERROR(Hold(name).status());
    }
    char manifest[64] = {};
    const CapturedFile& current = files_[fixed_.back()];
    const ssize_t read = ::pread(current.file.get(), manifest, sizeof(manifest) - 1, 0);
    std::string_view name(manifest, static_cast<size_t>(std::max<ssize_t>(read, 0)));
    name = name.substr(0, name.find('\n'));
    if (!name.starts_with("MANIFEST-") || name.find('/') != std::string_view::npos) {
      return Status(Code::kCorruption, store_ + "/CURRENT does not name a MANIFEST");
    }
    KLIP_ASSIGN_OR_RETURN(const bool there, Hold(std::string(name)));
    manifest_ = files_.size() - 1;
    return there;
  }

  Expected<bool> HoldTables(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (name.ends_with(".sst")) {
        KLIP_ASSIGN_OR_RETURN(const bool there, Hold(name));
        if (!there) {
          return false;
        }
      }
    }
    return true;
  }

  Expected<bool> HoldLogs(const std::vector<std::string>& names) {
    for (const uint64_t log : LogsOf(names)) {
      KLIP_ASSIGN_OR_RETURN(const bool there, Hold(LogName(log)));
      if (!there) {
        return false;
      }
    }
    return true;
  }

  // Called after the logs: one that was archived meanwhile is held already, or is in both places.
  Expected<bool> HoldArchive() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(kArchiveDirectory));
    for (const uint64_t log : LogsOf(names)) {
      if (std::ranges::find(files_, LogName(log), &CapturedFile::path) == files_.end()) {
        KLIP_ASSIGN_OR_RETURN(const bool there, Hold(std::string(kArchiveDirectory) + "/" + LogName(log)));
        if (!there) {
          return false;
        }
      }
    }
    return true;
  }

  static std::vector<uint64_t> LogsOf(const std::vector<std::string>& names) {
    std::vector<uint64_t> logs;
    for (const std::string& name : names) {
      if (const std::optional<uint64_t> number = LogNumber(name); number.has_value()) {
        logs.push_back(*number);
      }
    }
    std::ranges::sort(logs, std::greater());
    return logs;
  }

  Expected<bool> HoldSnapshots() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> snapshots, Names("snapshots"));
    for (const std::string& snapshot : snapshots) {
      const std::string directory = "snapshots/" + snapshot;
      KLIP_ASSIGN_OR_RETURN(const bool finished, Hold(directory + "/SNAPSHOT"));
      if (!finished) {
        continue;
      }
      fixed_.push_back(files_.size() - 1);
      KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> families, Names(directory));
      for (const std::string& family : families) {
        if (family.find_first_not_of("0123456789") == std::string::npos) {
          KLIP_ASSIGN_OR_RETURN(const bool there, HoldFolder(directory + "/" + family));
          if (!there) {
            return false;
          }
        }
      }
    }
    return true;
  }

  Expected<bool> HoldFolder(const std::string& directory) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(directory));
    for (const std::string& name : names) {
      KLIP_ASSIGN_OR_RETURN(const bool there, Hold(directory + "/" + name));
      if (!there) {
        return false;
      }
    }
    return true;
  }

  // A held file keeps its inode number, so no other file has it.
  bool IsSame() const {
    for (const size_t at : fixed_) {
      struct stat held = {};
      struct stat named = {};
      if (::fstat(files_[at].file.get(), &held) != 0 || ::stat((store_ + "/" + files_[at].path).c_str(), &named) != 0 ||
          held.st_ino != named.st_ino || held.st_dev != named.st_dev) {
        return false;
      }
    }
    struct stat manifest = {};
    return ::fstat(files_[manifest_].file.get(), &manifest) == 0 &&
           static_cast<uint64_t>(manifest.st_size) == files_[manifest_].bytes;
  }

  const std::string store_;
  const bool archived_;
  std::vector<CapturedFile> files_;
  std::vector<size_t> fixed_;  // indexes in files_ of the replaceable files, which must not have been replaced
  size_t manifest_ = 0;        // index in files_
};

}  // namespace

Expected<std::vector<CapturedFile>> CaptureStore(const std::string& store, bool archived) {
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(rocksdb::Env::Default(), store + "/FORMAT"));
  if (!there) {
    return Status(Code::kInvalidArgument, "no store at '" + store + "'");
  }
  for (int i = 0; i < kMostAttempts; ++i) {
    Attempt attempt(store, archived);
    KLIP_ASSIGN_OR_RETURN(const bool whole, attempt.Run());
    if (whole) {
      return attempt.Take();
    }
  }
  return Status(Code::kIoError,
                "the files of '" + store + "' are incomplete or change too quickly. Check the store with klip doctor");
}

}  // namespace klip::engine
