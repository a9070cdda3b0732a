#include "engine/store/manifest_mark.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "rocksdb/env.h"
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_reader.h"
#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

// "MANIFEST-000005".
Expected<std::string> NameOfCurrent(rocksdb::Env* env, const std::string& store) {
  KLIP_ASSIGN_OR_RETURN(const std::string current, ReadSmallFile(env, store + "/CURRENT"));
  return current.substr(0, current.find('\n'));
}

// The edits from the byte `begin` on, where one begins.
Expected<ManifestState> ReadFrom(rocksdb::Env* env, const std::string& file, uint64_t begin) {
  std::unique_ptr<rocksdb::RandomAccessFile> bytes;
  KLIP_RETURN_IF_ERROR(FromRocks(env->NewRandomAccessFile(file, &bytes, rocksdb::EnvOptions()), "opening " + file));
  LogReader reader(std::move(bytes), file, begin);
  return ReadManifest(&reader, file, UINT64_MAX);
}

bool TakeNumber(std::string_view* text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc()) {
    return false;
  }
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  text->remove_prefix(text->empty() ? 0 : 1);
  return true;
}

}  // namespace

Expected<CurrentManifest> ReadCurrentManifest(rocksdb::Env* env, const std::string& store) {
  CurrentManifest manifest;
  KLIP_ASSIGN_OR_RETURN(manifest.name, NameOfCurrent(env, store));
  KLIP_ASSIGN_OR_RETURN(manifest.state, ReadFrom(env, store + "/" + manifest.name, 0));
  return manifest;
}

Status ManifestMarker::Mark() {
  const std::lock_guard lock(mutex_);
  KLIP_ASSIGN_OR_RETURN(const std::string name, NameOfCurrent(env_, store_));
  if (name != marked_.name) {
    marked_ = {.name = name};
  }
  const std::string file = store_ + "/" + name;
  KLIP_ASSIGN_OR_RETURN(const ManifestState added, ReadFrom(env_, file, marked_.end));
  const base::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() < 0 || ::fsync(opened.get()) != 0) {
    return {Code::kIoError, "syncing " + file + ": " + base::ErrorText(errno)};
  }
  marked_.end = added.end;
  marked_.next_file = std::max(marked_.next_file, added.next_file);
  return ReplaceFile(env_, store_, kManifestMarkName,
                     Seal(name + " " + std::to_string(marked_.end) + " " + std::to_string(marked_.next_file) + "\n"));
}

Expected<std::optional<CutManifest>> FindCutManifest(rocksdb::Env* env, const std::string& store) {
  const std::string mark = store + "/" + kManifestMarkName;
  KLIP_ASSIGN_OR_RETURN(const bool marked, FileIsThere(env, mark));
  if (!marked) {
    return std::optional<CutManifest>();
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, mark));
  KLIP_ASSIGN_OR_RETURN(std::string_view text, Unseal(sealed, mark));
  const std::string_view name = text.substr(0, text.find(' '));
  text.remove_prefix(name.size() + 1);
  uint64_t end = 0;
  uint64_t next_file = 0;
  if (!TakeNumber(&text, &end) || !TakeNumber(&text, &next_file)) {
    return Status(Code::kCorruption, mark + ": not a mark");
  }
  const Expected<CurrentManifest> manifest = ReadCurrentManifest(env, store);
  if (!manifest.ok()) {
    return std::optional<CutManifest>();
  }
  const bool same = manifest->name == name;
  if (same ? manifest->state.end >= end : manifest->state.next_file >= next_file) {
    return std::optional<CutManifest>();
  }
  return std::optional(
      CutManifest{.file = store + "/" + manifest->name, .bytes = manifest->state.end, .marked = same ? end : 0});
}

}  // namespace klip::engine
