#include "engine/read/stored_cells.h"

#include <memory>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"

namespace klip::engine {
namespace {

Status AppendStored(const rocksdb::Iterator& at, std::vector<model::StoredCell>* cells) {
  CellKeyView key;
  CellValueView value;
  if (!ParseCellKey({at.key().data(), at.key().size()}, &key) ||
      !ParseCellValue({at.value().data(), at.value().size()}, &value)) {
    return {Code::kCorruption, "a stored cell cannot be read"};
  }
  std::string unescaped;
  cells->push_back({.qualifier = std::string(Unescape(key.escaped_qualifier, &unescaped)),
                    .timestamp_ms = key.timestamp_ms,
                    .type = key.type,
                    .value = std::string(value.value),
                    .tags = std::string(value.tags),
                    .sequence = value.sequence,
                    .beneath = value.beneath});
  return Status::Ok();
}

}  // namespace

Status ReadStored(const Store& store, const Family& family, std::string_view row,
                  std::span<const std::string> qualifiers, std::vector<model::StoredCell>* cells) {
  constexpr int kMostSteps = 4;  // TUNING: as many steps cost about a seek
  const std::string start = RowStartKey(row);
  const std::string end = RowEndKey(row);
  const rocksdb::Slice upper = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper;
  options.total_order_seek = family.descriptor.bloom == BloomKind::kRowCol;
  const std::unique_ptr<rocksdb::Iterator> at(store.db()->NewIterator(options, family.handle.get()));
  std::string column = start;
  AppendEscaped({}, &column);
  const std::string empty_column = column;
  at->Seek(start);
  // The markers of the family stand in the empty column.
  for (; at->Valid() && at->key().starts_with(empty_column); at->Next()) {
    KLIP_RETURN_IF_ERROR(AppendStored(*at, cells));
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
      KLIP_RETURN_IF_ERROR(AppendStored(*at, cells));
    }
  }
  return FromRocks(at->status(), "reading a row of family '" + family.descriptor.name + "'");
}

}  // namespace klip::engine
