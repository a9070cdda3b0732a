#include "engine/read/stored_cells.h"

#include <memory>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/layout/stored_cell.h"
#include "engine/view/cell_reads.h"

namespace klip::engine {
namespace {

// Moves forward to `key` or the next one: by steps if it is near, which cost less than a seek.
void MoveTo(std::string_view key, rocksdb::Iterator* at) {
  constexpr int kMostSteps = 4;  // TUNING: so many steps cost about as much as a seek
  for (int steps = 0; steps < kMostSteps && at->Valid() && at->key().compare(key) < 0; ++steps) {
    at->Next();
  }
  if (at->Valid() && at->key().compare(key) < 0) {
    at->Seek(key);
  }
}

// REQUIRES: `at` is at the row's first key that is RowStartKey(row) or above.
Status ReadColumns(std::string_view row, const Family& family, std::span<const std::string> qualifiers,
                   rocksdb::Iterator* at, std::vector<model::StoredCell>* cells) {
  const std::string start = RowStartKey(row);
  std::string column = start;
  AppendEscaped({}, &column);
  const std::string empty_column = column;
  // The family's markers stand in the empty column.
  for (; at->Valid() && at->key().starts_with(empty_column); at->Next()) {
    KLIP_RETURN_IF_ERROR(AppendStoredCell(at->key().ToStringView(), at->value().ToStringView(), cells));
  }
  for (const std::string& qualifier : qualifiers) {
    if (qualifier.empty()) {
      continue;
    }
    column.assign(start);
    AppendEscaped(qualifier, &column);
    MoveTo(column, at);
    for (; at->Valid() && at->key().starts_with(column); at->Next()) {
      KLIP_RETURN_IF_ERROR(AppendStoredCell(at->key().ToStringView(), at->value().ToStringView(), cells));
    }
  }
  return FromRocks(at->status(), "reading a row of family '" + family.descriptor.name + "'");
}

std::unique_ptr<rocksdb::Iterator> IteratorOverAll(const Store& store, const Family& family) {
  rocksdb::ReadOptions options = CellReads(family);
  options.total_order_seek = true;
  options.fill_cache = false;
  return store.NewIterator(family, options);
}

}  // namespace

Status ReadStored(const Store& store, const Family& family, std::string_view row,
                  std::span<const std::string> qualifiers, std::vector<model::StoredCell>* cells,
                  const ReadView* view) {
  const std::string end = RowEndKey(row);
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions options = CellReads(family);
  options.iterate_upper_bound = &upper;
  options.total_order_seek = family.descriptor.bloom == BloomKind::kRowCol;
  options.snapshot = view != nullptr ? view->snapshot() : nullptr;
  std::unique_ptr<rocksdb::Iterator> at = store.NewIterator(family, options);
  if (view != nullptr) {
    KLIP_RETURN_IF_ERROR(view->CheckAge());
    at = view->overlay().Over(std::move(at), family.handle->GetID(), options);
  }
  at->Seek(RowStartKey(row));
  return ReadColumns(row, family, qualifiers, at.get(), cells);
}

StoredReader::StoredReader(const Store& store, const Family& family, std::span<const std::string> qualifiers)
    : family_(family), qualifiers_(qualifiers), at_(IteratorOverAll(store, family)) {}

StoredReader::~StoredReader() = default;

Status StoredReader::Read(std::string_view row, std::vector<model::StoredCell>* cells) {
  const std::string start = RowStartKey(row);
  if (at_->Valid()) {
    MoveTo(start, at_.get());
  } else {
    at_->Seek(start);
  }
  return ReadColumns(row, family_, qualifiers_, at_.get(), cells);
}

Status RemoveRow(const Store& store, const Family& family, std::string_view row, WriteSet* writes) {
  const std::string end = RowEndKey(row);
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions options = CellReads(family);
  options.iterate_upper_bound = &upper;
  options.total_order_seek = true;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at = store.NewIterator(family, options);
  for (at->Seek(RowStartKey(row)); at->Valid(); at->Next()) {
    writes->RemoveKey(family, at->key().ToStringView());
  }
  return FromRocks(at->status(), "reading a row of family '" + family.descriptor.name + "'");
}

}  // namespace klip::engine
