#include "engine/backup/backup_set.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "rocksdb/env.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/digest.h"
#include "engine/layout/file_lookup.h"
#include "engine/store/small_file.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeadName = "BACKUPS";
constexpr const char* kFilesName = "files";
constexpr const char* kIncomingName = "incoming";
constexpr std::string_view kHead = "klip backups, format ";
constexpr int kFormat = 1;
constexpr std::string_view kRecordSuffix = ".backup";
constexpr size_t kShaDigits = 64;

std::string RecordName(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits + std::string(kRecordSuffix);
}

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view TakeWord(std::string_view* text) {
  const size_t blank = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, blank);
  text->remove_prefix(std::min(blank + 1, text->size()));
  return word;
}

std::string ToText(const BackupRecord& record) {
  std::string text = "begun " + std::to_string(record.begun_ms) + "\ntime " + std::to_string(record.time_ms) +
                     "\nkeeps-logs " + (record.keeps_logs ? "1" : "0") + "\nstore " + record.store + "\n";
  for (const BackupFile& file : record.files) {
    text += "file " + file.sha256 + " " + std::to_string(file.bytes) + " " +
            (file.table_id.empty() ? "-" : file.table_id) + " " + file.path + "\n";
  }
  return text;
}

// Whether the path stays inside the directory.
bool IsPlainPath(const fs::path& path) {
  return path.is_relative() && !path.empty() &&
         std::ranges::none_of(path, [](const fs::path& part) { return part == ".." || part.empty(); });
}

bool ReadFileLine(std::string_view line, BackupFile* file) {
  file->sha256 = TakeWord(&line);
  const bool sized = ReadNumber(TakeWord(&line), &file->bytes);
  file->table_id = TakeWord(&line);
  file->table_id = file->table_id == "-" ? "" : file->table_id;
  file->path = line;
  return sized && file->sha256.size() == kShaDigits &&
         file->sha256.find_first_not_of("0123456789abcdef") == std::string::npos && IsPlainPath(file->path);
}

Expected<BackupRecord> FromText(std::string_view text, const std::string& name) {
  BackupRecord record;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view field = TakeWord(&line);
    bool read = false;
    if (field == "begun") {
      read = ReadNumber(line, &record.begun_ms);
    } else if (field == "time") {
      read = ReadNumber(line, &record.time_ms);
    } else if (field == "keeps-logs") {
      read = line == "0" || line == "1";
      record.keeps_logs = line == "1";
    } else if (field == "store") {
      record.store = line;
      read = true;
    } else if (field == "file") {
      read = ReadFileLine(line, &record.files.emplace_back());
    }
    if (!read) {
      return Status(Code::kCorruption,
                    name + ", line " + std::to_string(number) + ": not a line of a backup: " + std::string(field));
    }
  }
  return record;
}

Status IoError(const std::string& doing, int error) { return {Code::kIoError, doing + ": " + base::ErrorText(error)}; }

std::string NewId() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    AppendBigEndian(static_cast<uint32_t>(random()), &bytes);
  }
  return base::Hex(bytes);
}

}  // namespace

uint64_t BackupRecord::bytes() const {
  uint64_t sum = 0;
  for (const BackupFile& file : files) {
    sum += file.bytes;
  }
  return sum;
}

const BackupFile* BackupRecord::Find(std::string_view path) const {
  const auto found = std::ranges::find(files, path, &BackupFile::path);
  return found == files.end() ? nullptr : &*found;
}

Status CopyBytes(int from, int to, uint64_t bytes, const std::string& name,
                 const std::function<void(std::string_view)>& take) {
  constexpr uint64_t kPieceBytes = 1 << 20;
  std::string piece(kPieceBytes, '\0');
  for (uint64_t offset = 0; offset < bytes;) {
    const ssize_t read = ::pread(from, piece.data(), std::min(kPieceBytes, bytes - offset), static_cast<off_t>(offset));
    if (read < 0 && errno == EINTR) {
      continue;
    }
    if (read < 0) {
      return IoError("reading " + name, errno);
    }
    if (read == 0) {
      return {Code::kIoError, name + " ends at byte " + std::to_string(offset) + " of " + std::to_string(bytes)};
    }
    std::string_view left = std::string_view(piece).substr(0, static_cast<size_t>(read));
    take(left);
    offset += left.size();
    while (to >= 0 && !left.empty()) {
      const ssize_t written = ::write(to, left.data(), left.size());
      if (written < 0 && errno != EINTR) {
        return IoError("writing a copy of " + name, errno);
      }
      left.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    }
  }
  return Status::Ok();
}

// --- The directory ---

Status BackupSet::ReadHead() {
  rocksdb::Env* const env = rocksdb::Env::Default();
  const std::string file = directory_ + "/" + kHeadName;
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, file));
  if (!there) {
    return {Code::kInvalidArgument, "no backups in '" + directory_ + "'"};
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  KLIP_ASSIGN_OR_RETURN(std::string_view text, Unseal(sealed, file));
  int format = 0;
  if (!text.starts_with(kHead)) {
    return {Code::kCorruption, file + ": not the header file of a backup directory"};
  }
  text.remove_prefix(kHead.size());
  if (!ReadNumber(TakeWord(&text), &format) || format != kFormat) {
    return {Code::kNewerFormat, "the backups in '" + directory_ + "' were made by a newer klip"};
  }
  id_ = text.substr(0, text.find('\n'));
  return Status::Ok();
}

Expected<BackupSet> BackupSet::Open(const std::string& directory) {
  BackupSet set(directory);
  KLIP_RETURN_IF_ERROR(set.ReadHead());
  return set;
}

Expected<BackupSet> BackupSet::OpenToWrite(const std::string& directory) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    return Status(Code::kIoError, "creating the directory " + directory + ": " + error.message());
  }
  BackupSet set(directory);
  set.lock_ = base::Descriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (set.lock_.get() < 0) {
    return IoError("opening the directory " + directory, errno);
  }
  if (::flock(set.lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Status(Code::kStoreInUse, "another process is creating or removing backups in '" + directory + "'");
  }
  KLIP_ASSIGN_OR_RETURN(const bool has_head, FileIsThere(env, directory + "/" + kHeadName));
  fs::remove(directory + "/" + kHeadName + ".new", error);  // what a crash has left
  if (!has_head) {
    const bool unused = std::ranges::all_of(fs::directory_iterator(directory, error),
                                            [](const fs::path& one) { return one.filename() == kFilesName; });
    if (!unused || error) {
      return Status(Code::kInvalidArgument, "'" + directory + "' is not empty, and contains no backups");
    }
    fs::permissions(directory, fs::perms::owner_all, error);
    if (!fs::create_directory(directory + "/" + kFilesName, error) && error) {
      return Status(Code::kIoError, "creating " + directory + "/" + kFilesName + ": " + error.message());
    }
    const std::string head = std::string(kHead) + std::to_string(kFormat) + " " + NewId() + "\n";
    KLIP_RETURN_IF_ERROR(ReplaceFile(env, directory, kHeadName, Seal(head)));
  }
  KLIP_RETURN_IF_ERROR(set.ReadHead());
  fs::remove(directory + "/" + kIncomingName, error);
  return set;
}

Expected<std::vector<uint64_t>> BackupSet::Numbers() const {
  std::vector<uint64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    uint64_t number = 0;
    if (name.ends_with(kRecordSuffix) &&
        ReadNumber(std::string_view(name).substr(0, name.size() - kRecordSuffix.size()), &number)) {
      numbers.push_back(number);
    }
  }
  std::ranges::sort(numbers);
  return error ? Expected<std::vector<uint64_t>>(
                     Status(Code::kIoError, "reading the directory " + directory_ + ": " + error.message()))
               : Expected<std::vector<uint64_t>>(std::move(numbers));
}

Expected<uint64_t> BackupSet::NextNumber() const {
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
  return numbers.empty() ? 1 : numbers.back() + 1;
}

Expected<std::vector<BackupRecord>> BackupSet::Records(std::vector<Status>* unreadable) const {
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
  std::vector<BackupRecord> records;
  for (const uint64_t number : numbers) {
    const std::string path = directory_ + "/" + RecordName(number);
    const auto read = [&]() -> Expected<BackupRecord> {
      KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(rocksdb::Env::Default(), path));
      KLIP_ASSIGN_OR_RETURN(const std::string_view text, Unseal(sealed, path));
      return FromText(text, path);
    };
    if (Expected<BackupRecord> record = read(); record.ok()) {
      record->number = number;
      records.push_back(*std::move(record));
    } else {
      unreadable->push_back(record.status());
    }
  }
  return records;
}

std::string BackupSet::PathOf(const BackupFile& file) const {
  return directory_ + "/" + kFilesName + "/" + file.sha256;
}

bool BackupSet::Has(const std::string& sha256, uint64_t bytes) const {
  std::error_code error;
  return fs::file_size(PathOf({.sha256 = sha256}), error) == bytes && !error;
}

Expected<std::string> BackupSet::Add(int file, uint64_t bytes, const std::string& name,
                                     const std::function<Status(const std::string& copy)>& check, bool* is_new) const {
  const std::string incoming = directory_ + "/" + kIncomingName;
  std::string sha256;
  const auto copy = [&]() -> Status {
    const base::Descriptor to(::open(incoming.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
    if (to.get() < 0) {
      return IoError("creating " + incoming, errno);
    }
    base::Sha256Stream digest;
    KLIP_RETURN_IF_ERROR(CopyBytes(file, to.get(), bytes, name, [&](std::string_view piece) { digest.Add(piece); }));
    sha256 = base::Hex(digest.Value());
    return check == nullptr ? Status::Ok() : check(incoming);
  };
  Status status = copy();
  *is_new = status.ok() && !Has(sha256, bytes);
  if (*is_new && ::rename(incoming.c_str(), PathOf({.sha256 = sha256}).c_str()) != 0) {
    status = IoError("renaming " + incoming, errno);
  }
  std::error_code error;
  fs::remove(incoming, error);
  return status.ok() ? Expected<std::string>(sha256) : Expected<std::string>(status);
}

Status BackupSet::AddRecord(const BackupRecord& record) const {
  KLIP_RETURN_IF_ERROR(SyncFileSystem(directory_));
  std::error_code ignored;
  fs::remove(directory_ + "/" + RecordName(record.number) + ".new", ignored);  // what a crash has left
  return ReplaceFile(rocksdb::Env::Default(), directory_, RecordName(record.number), Seal(ToText(record)));
}

Status BackupSet::Remove(uint64_t number) const {
  std::vector<Status> unreadable;
  KLIP_ASSIGN_OR_RETURN(std::vector<BackupRecord> records, Records(&unreadable));
  if (std::erase_if(records, [&](const BackupRecord& record) { return record.number == number; }) == 0) {
    return {Code::kInvalidArgument, "no backup " + std::to_string(number) + " in '" + directory_ + "'"};
  }
  if (!unreadable.empty()) {  // an unreadable backup may need any file
    return unreadable.front();
  }
  const std::string path = directory_ + "/" + RecordName(number);
  if (::unlink(path.c_str()) != 0) {
    return IoError("deleting " + path, errno);
  }
  KLIP_RETURN_IF_ERROR(SyncDirectory(rocksdb::Env::Default(), directory_));
  return RemoveUnused(records);
}

Status BackupSet::RemoveUnused(const std::vector<BackupRecord>& records) const {
  std::set<std::string> used;
  for (const BackupRecord& record : records) {
    for (const BackupFile& file : record.files) {
      used.insert(file.sha256);
    }
  }
  std::error_code error;
  std::vector<fs::path> unused;
  for (fs::directory_iterator entry(directory_ + "/" + kFilesName, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!used.contains(entry->path().filename())) {
      unused.push_back(entry->path());
    }
  }
  for (const fs::path& path : unused) {
    if (!error) {
      fs::remove(path, error);
    }
  }
  return error ? Status(Code::kIoError, "removing files of '" + directory_ + "': " + error.message()) : Status::Ok();
}

}  // namespace klip::engine
