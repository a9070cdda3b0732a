#include "engine/blocks/block_view.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "rocksdb/metadata.h"
#include "rocksdb/snapshot.h"

#include "engine/rocks/memtable_rep.h"

namespace klip::engine {
namespace {

// Another flush, compaction or load would have to end during each of them. RocksDB reads then.
constexpr int kMostTries = 8;

const rocksdb::ReadOptions& PinOptions() {
  static const rocksdb::ReadOptions kOptions = [] {
    rocksdb::ReadOptions options;
    options.read_tier = rocksdb::kMemtableTier;
    options.total_order_seek = true;  // otherwise, RocksDB could ask memtables for another kind of iterator
    options.ignore_range_deletions = true;
    return options;
  }();
  return kOptions;
}

std::optional<uint64_t> VersionOf(rocksdb::Iterator* pin) {
  std::string text;
  uint64_t version = 0;
  if (!pin->GetProperty("rocksdb.iterator.super-version-number", &text).ok()) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(version) : std::nullopt;
}

struct Opened {
  std::shared_ptr<const TableSet> tables;  // null: none
  bool again = false;                      // the version is not the current one any more
};

Opened Open(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, uint64_t version, const MemtableWatch& watch,
            rocksdb::FileSystem* files, FamilyTables* tables) {
  const uint64_t generation = tables->generation();
  rocksdb::ColumnFamilyMetaData listed;
  db->GetColumnFamilyMetaData(family, &listed);
  uint64_t now = 0;
  const bool current = db->GetIntProperty(family, rocksdb::DB::Properties::kCurrentSuperVersionNumber, &now) &&
                       now == version && std::ranges::none_of(watch.seen(), [](const MemtableEntries* memtable) {
                         return memtable->flushed.load(std::memory_order_acquire);
                       });
  if (!current) {
    return {.tables = nullptr, .again = true};
  }
  Opened opened;
  const rocksdb::Status status = OpenTables(files, listed, version, tables->Now().get(), &opened.tables);
  if (status.ok()) {
    tables->Keep(opened.tables, generation);
  }
  opened.again = status.IsNotFound() || status.IsPathNotFound();  // deleted meanwhile
  return opened;
}

}  // namespace

bool TakeView(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, const rocksdb::Snapshot* snapshot,
              rocksdb::FileSystem* files, FamilyTables* tables, BlockView* view) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    MemtableWatch watch;
    view->pin.reset(db->NewIterator(PinOptions(), family));
    if (!view->pin->status().ok() || !watch.complete() || watch.seen().empty()) {
      return false;
    }
    const std::optional<uint64_t> version = VersionOf(view->pin.get());
    if (!version.has_value()) {
      return false;
    }
    view->tables = tables->Now();
    if (view->tables == nullptr || view->tables->version != *version) {
      Opened opened = Open(db, family, *version, watch, files, tables);
      if (opened.again) {
        continue;
      }
      view->tables = std::move(opened.tables);
    }
    if (view->tables == nullptr || !view->tables->only_rocksdb.empty()) {
      return false;
    }
    view->sequence = snapshot != nullptr ? snapshot->GetSequenceNumber() : db->GetLatestSequenceNumber();
    for (const MemtableEntries* const memtable : watch.seen()) {
      if (!memtable->tree.Empty()) {
        view->memtables.push_back(&memtable->tree);
      }
    }
    return true;
  }
  return false;
}

}  // namespace klip::engine
