#include "engine/store/loaded_bounds.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "rocksdb/env.h"

#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_reader.h"
#include "engine/log/manifest.h"
#include "engine/store/manifest_mark.h"

namespace klip::engine {
namespace {

bool HasOneNumber(const ManifestTable& table) {
  return table.largest_sequence > 0 && table.smallest_sequence == table.largest_sequence;
}
// RocksDB sets the number of a cell to 0 where nothing older is left. Then the lowest number of the file is 0 too.
bool HasWrongBounds(const ManifestTable& table) {
  return HasOneNumber(table) && table.smallest_bound == 0 && table.largest_bound == 0;
}

class Corrections {
 public:
  explicit Corrections(const ManifestState& state) {
    for (const auto& [number, table] : state.tables) {
      tables_.push_back({number, &table});
    }
  }

  std::vector<std::string> Edits() const {
    std::vector<std::string> edits;
    for (const Numbered& one : tables_) {
      if (HasWrongBounds(*one.table)) {
        if (const std::optional<uint64_t> level = LevelFor(*one.table); level.has_value()) {
          edits.push_back(MoveTableEdit(one.number, *one.table, *level));
        }
      }
    }
    return edits;
  }

 private:
  struct Numbered {
    uint64_t number;
    const ManifestTable* table;
  };

  // nullopt: none is right.
  std::optional<uint64_t> LevelFor(const ManifestTable& loaded) const {
    bool stays = true;      // its neighbours are where they belong
    bool is_newest = true;  // of the files of its level that it touches
    bool covered = false;   // by a newer file between it and level 0
    for (const auto& [number, table] : tables_) {
      if (table == &loaded || table->family != loaded.family || table->smallest_key > loaded.largest_key ||
          loaded.smallest_key > table->largest_key) {
        continue;
      }
      covered = covered || (table->level > 0 && table->level < loaded.level);
      if (table->level == loaded.level && loaded.level > 0) {
        const bool is_before = loaded.smallest_key < table->smallest_key || loaded.largest_key < table->largest_key;
        const bool is_behind = table->smallest_key < loaded.smallest_key || table->largest_key < loaded.largest_key;
        const uint64_t other = NumberAt(*table, is_before);
        // Of two files of the same single key, the numbers alone tell the order.
        stays = stays && (loaded.largest_sequence > other ? !is_behind : !is_before);
        is_newest = is_newest && loaded.largest_sequence > other;
      }
    }
    if (stays) {
      return loaded.level;
    }
    return is_newest && !covered ? std::optional<uint64_t>(0) : std::nullopt;
  }

  static uint64_t NumberAt(const ManifestTable& table, bool smallest) {
    return HasOneNumber(table) ? table.largest_sequence : smallest ? table.smallest_bound : table.largest_bound;
  }

  std::vector<Numbered> tables_;
};

}  // namespace

Status CorrectLoadedBounds(rocksdb::Env* env, const std::string& store) {
  KLIP_ASSIGN_OR_RETURN(const bool has_database, FileIsThere(env, store + "/CURRENT"));
  if (!has_database) {
    return Status::Ok();
  }
  const Expected<CurrentManifest> manifest = ReadCurrentManifest(env, store);
  if (!manifest.ok()) {
    return Status::Ok();  // RocksDB says why
  }
  const std::vector<std::string> edits = Corrections(manifest->state).Edits();
  if (edits.empty()) {
    return Status::Ok();
  }
  const std::string file = store + "/" + manifest->name;
  uint64_t end = manifest->state.end;
  std::error_code error;
  std::filesystem::resize_file(file, end, error);  // a crash may have left a part of an edit
  if (error) {
    return {Code::kIoError, "writing " + file + ": " + error.message()};
  }
  std::string pieces;
  for (const std::string& edit : edits) {
    AppendLogRecord(edit, &end, &pieces);
  }
  std::unique_ptr<rocksdb::WritableFile> opened;
  rocksdb::Status status = env->ReopenWritableFile(file, &opened, rocksdb::EnvOptions());
  if (status.ok()) {
    status = opened->Append(pieces);
  }
  if (status.ok()) {
    status = opened->Sync();
  }
  if (status.ok()) {
    status = opened->Close();
  }
  return FromRocks(status, "writing " + file);
}

}  // namespace klip::engine
