#include "engine/read/observed_rewrite.h"

#include <set>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/lock_table.h"
#include "engine/store/views.h"
#include "engine/store/write_set.h"
#include "engine/view/cell_reads.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

// TUNING: after so many changes, and a complete row, the rows are locked and written
constexpr size_t kMostChanges = 1000;

// The value of a key at a moment. Errors: those of RocksDB.
Expected<std::optional<std::string>> ValueOf(const Store& store, const Family& family, const std::string& key,
                                             const rocksdb::Snapshot* at) {
  rocksdb::ReadOptions options;
  options.snapshot = at;
  options.fill_cache = false;
  std::string value;
  const rocksdb::Status got = store.db()->Get(options, family.handle.get(), key, &value);
  if (got.IsNotFound()) {
    return std::optional<std::string>();
  }
  KLIP_RETURN_IF_ERROR(FromRocks(got, "reading family '" + family.descriptor.name + "'"));
  return std::optional<std::string>(std::move(value));
}

// The number of the memtables and files that an iterator reads.
std::string SuperVersionOf(rocksdb::Iterator& iterator) {
  std::string number;
  iterator.GetProperty("rocksdb.iterator.super-version-number", &number).PermitUncheckedError();
  return number;
}

}  // namespace

ObservedRewrite::ObservedRewrite(Store* store, const Rows& rows, const model::FamilyPolicy& policy)
    : store_(store),
      rows_(rows),
      lower_(RowLowerBound(rows.start)),
      upper_(rows.end.empty() ? std::string() : RowLowerBound(rows.end)),
      snapshot_(store->db()->GetSnapshot()),
      matcher_(policy, store->NowMs(), /*major=*/!rows.only_memory) {
  do {  // a flush between them moves cells out of memory; the second iterator would not see them and so not remove them
    input_ = Open();
    at_ = Open();
  } while (rows_.only_memory && SuperVersionOf(*input_) != SuperVersionOf(*at_));
}

ObservedRewrite::~ObservedRewrite() { store_->db()->ReleaseSnapshot(snapshot_); }

std::unique_ptr<rocksdb::Iterator> ObservedRewrite::Open() const {
  rocksdb::ReadOptions options = CellReads(*rows_.family);
  options.snapshot = snapshot_;
  options.total_order_seek = true;
  options.fill_cache = false;
  options.read_tier = rows_.only_memory ? rocksdb::kMemtableTier : rocksdb::kReadAllTier;
  std::unique_ptr<rocksdb::Iterator> iterator(store_->db()->NewIterator(options, rows_.family->handle.get()));
  iterator->Seek(lower_);
  return iterator;
}

Expected<bool> ObservedRewrite::Next(Result* row) {
  row->Clear();
  std::string escaped_row;
  std::string storage;
  while (input_->Valid() && (upper_.empty() || input_->key().compare(upper_) < 0)) {
    CellKeyView key;
    CellValueView value;
    if (!ParseCellKey(input_->key().ToStringView(), &key) || !ParseCellValue(input_->value().ToStringView(), &value)) {
      return Status(Code::kCorruption, "family '" + rows_.family->descriptor.name + "' has an unreadable cell");
    }
    if (escaped_row != key.escaped_row) {
      if (!row->empty()) {
        break;
      }
      escaped_row.assign(key.escaped_row);
      matcher_.StartRow();
    }
    const int64_t ttl_ms = value.tags.empty() ? -1 : TtlFromTags(value.tags);
    if (matcher_.Keep({key.escaped_qualifier, key.timestamp_ms, key.type, ttl_ms, value.sequence})) {
      std::string qualifier;
      row->AppendCopy({.row = Unescape(key.escaped_row, &storage),
                       .family = rows_.family->descriptor.name,
                       .qualifier = Unescape(key.escaped_qualifier, &qualifier),
                       .timestamp_ms = key.timestamp_ms,
                       .type = key.type,
                       .value = value.value,
                       .tags = value.tags});
    }
    input_->Next();
  }
  KLIP_RETURN_IF_ERROR(FromRocks(input_->status(), "reading family '" + rows_.family->descriptor.name + "'"));
  return !row->empty();
}

Status ObservedRewrite::Keep(const Cell& cell) {
  std::string key;
  AppendCellKey(cell.row, cell.qualifier, cell.timestamp_ms, cell.type, &key);
  if (cell.family != rows_.family->descriptor.name || key < lower_ || (!upper_.empty() && key >= upper_) ||
      key <= last_key_) {
    return {Code::kDoNotRetry, "a coprocessor's scanner of family '" + rows_.family->descriptor.name +
                                   "' returned a cell of row " + ToStringBinary(cell.row) +
                                   " that is out of order, or of other rows or another family"};
  }
  KLIP_RETURN_IF_ERROR(RemoveUpTo(key));
  last_key_ = key;
  Change change = {.key = std::move(key), .row = std::string(cell.row), .before = {}, .after = {}};
  if (at_->Valid() && at_->key() == change.key) {
    change.before = at_->value().ToString();
    at_->Next();
  } else {
    KLIP_ASSIGN_OR_RETURN(change.before, ValueOf(*store_, *rows_.family, change.key, snapshot_));
  }
  CellValueView before;
  if (change.before.has_value() && ParseCellValue(*change.before, &before) && before.value == cell.value &&
      before.tags == cell.tags) {
    return Status::Ok();
  }
  change.after.emplace().AppendCopy(cell);
  return Add(std::move(change));
}

Status ObservedRewrite::Finish() {
  KLIP_RETURN_IF_ERROR(RemoveUpTo({}));
  return Apply();
}

// Removes the cells before the key; all, if it is empty.
Status ObservedRewrite::RemoveUpTo(std::string_view key) {
  const std::string_view end = key.empty() ? std::string_view(upper_) : key;
  for (; at_->Valid() && (end.empty() || at_->key().compare({end.data(), end.size()}) < 0); at_->Next()) {
    CellKeyView cell;
    if (!ParseCellKey(at_->key().ToStringView(), &cell)) {
      continue;
    }
    std::string row;
    KLIP_RETURN_IF_ERROR(Add({.key = at_->key().ToString(),
                              .row = std::string(Unescape(cell.escaped_row, &row)),
                              .before = at_->value().ToString(),
                              .after = {}}));
  }
  return FromRocks(at_->status(), "reading family '" + rows_.family->descriptor.name + "'");
}

// The changes of a row are written together: half of what an observer combined must not be lost.
Status ObservedRewrite::Add(Change change) {
  if (changes_.size() >= kMostChanges && changes_.back().row != change.row) {
    KLIP_RETURN_IF_ERROR(Apply());
  }
  changes_.push_back(std::move(change));
  return Status::Ok();
}

// Not logged, and so not replicated: after a crash, the old cells are back.
Status ObservedRewrite::Apply() {
  const std::string& table = rows_.table->descriptor.name;
  const auto lock = store_->locks().LockForWrite(table);
  KLIP_ASSIGN_OR_RETURN(const TablePtr now_table, store_->views().GetTable(table));
  if (!now_table->indexes.empty()) {
    return {Code::kIoError, "table '" + table + "' got an index while a coprocessor rewrote its family '" +
                                rows_.family->descriptor.name + "': the remaining cells are unchanged"};
  }
  std::vector<RowLockId> ids;
  ids.reserve(changes_.size());
  for (const Change& change : changes_) {
    ids.push_back(RowLockIdOf(table, change.row));
  }
  const RowLocks locks = store_->locks().LockRows(std::move(ids));
  // If one of the row's cells was written since, the whole row stays: the observer computed the others from the old
  // cell.
  std::set<std::string_view> written_since;
  for (const Change& change : changes_) {
    KLIP_ASSIGN_OR_RETURN(const auto now, ValueOf(*store_, *rows_.family, change.key, nullptr));
    if (now != change.before) {
      written_since.insert(change.row);
    }
  }
  WriteSet writes;
  for (const Change& change : changes_) {
    if (written_since.contains(change.row)) {
      continue;
    }
    if (change.after.has_value()) {
      const Cell& cell = (*change.after)[0];
      writes.Add(*rows_.family, cell.row, cell.qualifier, cell.timestamp_ms, cell.type, cell.value, cell.tags);
    } else {
      writes.RemoveKey(*rows_.family, change.key);
    }
  }
  changes_.clear();
  return writes.empty() ? Status::Ok() : store_->Write(&writes, Durability::kSkipWal);
}

}  // namespace klip::engine
