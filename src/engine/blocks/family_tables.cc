#include "engine/blocks/family_tables.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/process.h"

namespace klip::engine {
namespace {

// TUNING: BlockIterator looks at all runs where it chooses among them, RocksDB at the top of a heap. RocksDB compacts from four runs on.
constexpr size_t kMostRuns = 16;

}  // namespace

rocksdb::Status OpenTables(rocksdb::FileSystem* files, const rocksdb::ColumnFamilyMetaData& listed, uint64_t version,
                           const TableSet* before, std::shared_ptr<const TableSet>* out) {
  std::map<std::string_view, std::shared_ptr<const TableFile>> open;
  if (before != nullptr) {
    for (const SortedRun& run : before->runs) {
      for (const SortedRun::Table& table : run.tables) {
        open[table.file->path()] = table.file;
      }
    }
  }
  auto set = std::make_shared<TableSet>();
  set->version = version;
  // RocksDB keeps up to half of the descriptors for tables (Database::Open).
  if (const size_t most = base::DescriptorLimit() / 4;
      listed.file_count > open.size() && TableFile::CountOpen() + listed.file_count - open.size() > most) {
    set->only_rocksdb = "more tables than descriptors";
    *out = std::move(set);
    return rocksdb::Status::OK();
  }
  for (const rocksdb::LevelMetaData& level : listed.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      // RocksDB may leave an older write of a key in the next table of a level.
      const bool new_run = level.level == 0 || &file == &level.files.front() ||
                           set->runs.back().tables.back().largest >= file.smallestkey;
      if (new_run) {
        set->runs.emplace_back();
      }
      std::vector<SortedRun::Table>& tables = set->runs.back().tables;
      SortedRun::Table table = {.file = nullptr, .smallest = file.smallestkey, .largest = file.largestkey};
      const TableFile::Listed at = {
          .path = file.db_path + file.name, .bytes = file.size, .largest_sequence = file.largest_seqno};
      rocksdb::Status status;
      if (const auto found = open.find(at.path); found != open.end()) {
        table.file = found->second;
      } else if (file.oldest_blob_file_number != 0) {
        status = rocksdb::Status::NotSupported("values in blob files: " + at.path);
      } else {
        status = TableFile::Open(files, at, &table.file);
      }
      if (status.IsNotSupported() || status.IsCorruption()) {
        // RocksDB has opened the table before, so it decides whether damage is an error.
        set->only_rocksdb = status.ToString();
        *out = std::move(set);
        return rocksdb::Status::OK();
      }
      if (!status.ok()) {
        return status;
      }
      tables.push_back(std::move(table));
    }
  }
  if (set->runs.size() > kMostRuns) {
    set->only_rocksdb = std::to_string(set->runs.size()) + " sorted runs";
  }
  *out = std::move(set);
  return rocksdb::Status::OK();
}

uint64_t FamilyTables::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void FamilyTables::Keep(std::shared_ptr<const TableSet> tables, uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (generation == generation_) {
    now_.store(std::move(tables), std::memory_order_release);
  }
}

void FamilyTables::Replace(std::shared_ptr<const TableSet> tables) {
  ++generation_;
  now_.store(std::move(tables), std::memory_order_release);
}

void FamilyTables::Forget(std::span<const std::string> paths) {
  const std::lock_guard lock(mutex_);
  auto rest = std::make_shared<TableSet>();
  if (const std::shared_ptr<const TableSet> now = now_.load(std::memory_order_acquire); now != nullptr) {
    const std::set<std::string_view> forgotten(paths.begin(), paths.end());
    SortedRun& run = rest->runs.emplace_back();
    for (const SortedRun& one : now->runs) {
      std::ranges::copy_if(one.tables, std::back_inserter(run.tables),
                           [&](const SortedRun::Table& table) { return !forgotten.contains(table.file->path()); });
    }
  }
  Replace(std::move(rest));
}

void FamilyTables::ForgetAll() {
  const std::lock_guard lock(mutex_);
  Replace(nullptr);
}

}  // namespace klip::engine
