#include "engine/read/stored_cells.h"

#include <memory>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/layout/stored_cell.h"
#include "engine/view/cell_reads.h"

namespace klip::engine {
Status ReadStored(const Store& store, const Family& family, std::string_view row,
                  std::span<const std::string> qualifiers, std::vector<model::StoredCell>* cells,
                  const ReadView* view) {
  constexpr int kMostSteps = 4;  // TUNING: so many steps cost about as much as a seek
  const std::string start = RowStartKey(row);
  const std::string end = RowEndKey(row);
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions options = CellReads(family);
  options.iterate_upper_bound = &upper;
  options.total_order_seek = family.descriptor.bloom == BloomKind::kRowCol;
  options.snapshot = view != nullptr ? view->snapshot() : nullptr;
  std::unique_ptr<rocksdb::Iterator> at(store.db()->NewIterator(options, family.handle.get()));
  if (view != nullptr) {
    KLIP_RETURN_IF_ERROR(view->CheckAge());
    at = view->overlay().Over(std::move(at), family.handle->GetID(), options);
  }
  std::string column = start;
  AppendEscaped({}, &column);
  const std::string empty_column = column;
  at->Seek(start);
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
    for (int steps = 0; steps < kMostSteps && at->Valid() && at->key().compare(column) < 0; ++steps) {
      at->Next();
    }
    if (at->Valid() && at->key().compare(column) < 0) {
      at->Seek(column);
    }
    for (; at->Valid() && at->key().starts_with(column); at->Next()) {
      KLIP_RETURN_IF_ERROR(AppendStoredCell(at->key().ToStringView(), at->value().ToStringView(), cells));
    }
  }
  return FromRocks(at->status(), "reading a row of family '" + family.descriptor.name + "'");
}

Status RemoveRow(const Store& store, const Family& family, std::string_view row, WriteSet* writes) {
  const std::string end = RowEndKey(row);
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions options = CellReads(family);
  options.iterate_upper_bound = &upper;
  options.total_order_seek = true;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> at(store.db()->NewIterator(options, family.handle.get()));
  for (at->Seek(RowStartKey(row)); at->Valid(); at->Next()) {
    writes->RemoveKey(family, at->key().ToStringView());
  }
  return FromRocks(at->status(), "reading a row of family '" + family.descriptor.name + "'");
}

}  // namespace klip::engine
