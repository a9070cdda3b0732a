#include "sql/plan/changes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "sql/catalog/single_cell.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

size_t BytesOf(const RowChange& change) {
  constexpr size_t kNodeBytes = 64;  // of a map
  size_t bytes = kNodeBytes + sizeof(RowChange) + 3 * change.put.row.size();
  for (const klip::Put::Column& column : change.put.columns) {
    bytes += sizeof(column) + column.family.size() + column.qualifier.size() + column.value.size();
  }
  return bytes + change.nulls.markers.size() * sizeof(klip::Delete::Marker);
}

std::vector<Action> ActionsOf(std::vector<RowChange> changes) {
  std::vector<Action> actions;
  for (RowChange& change : changes) {
    if (change.delete_row) {
      actions.emplace_back(klip::Delete{.row = std::move(change.put.row), .timestamp_ms = change.put.timestamp_ms});
    } else if (change.put.columns.empty()) {
      actions.emplace_back(std::move(change.nulls));
    } else if (change.nulls.markers.empty()) {
      actions.emplace_back(std::move(change.put));
    } else {
      RowMutations both = {.row = change.put.row};
      both.mutations.emplace_back(std::move(change.nulls));
      both.mutations.emplace_back(std::move(change.put));
      actions.emplace_back(std::move(both));
    }
  }
  return actions;
}

Status WriteAtOnce(Table* table, std::vector<RowChange> changes) {
  bool only_puts = true;
  for (const RowChange& change : changes) {
    only_puts = only_puts && !change.delete_row && change.nulls.markers.empty();
  }
  if (only_puts && changes.size() == 1) {
    return table->Put(changes[0].put);
  }
  if (only_puts) {
    std::vector<klip::Put> puts;
    for (RowChange& change : changes) {
      puts.push_back(std::move(change.put));
    }
    return table->Put(puts);
  }
  for (const Expected<Result>& outcome : table->Batch(ActionsOf(std::move(changes)))) {
    KLIP_RETURN_IF_ERROR(outcome.status());
  }
  return Status::Ok();
}

// The cells in which an immutable Phoenix table stores the families of a row. As in Phoenix, each UPSERT writes all of
// them: columns that it does not name become NULL.
class SingleCells {
 public:
  explicit SingleCells(const TableDefinition& table) {
    for (const TableColumn& column : table.columns) {
      if (column.element > 0) {
        std::vector<std::optional<std::string>>& elements = families_[column.family];
        elements.resize(std::max(elements.size(), column.element));
      }
    }
  }

  void Set(const TableColumn& column, std::string bytes) {
    families_[column.family][column.element - 1] = std::move(bytes);
  }

  void AddTo(klip::Put* put) const {
    for (const auto& [family, elements] : families_) {
      put->Add(family, std::string(kSingleCellQualifier), EncodeSingleCell(elements));
    }
  }

 private:
  std::map<std::string, std::vector<std::optional<std::string>>> families_;
};

// A row that is written through a view must be visible in it.
Status CheckRequired(const TableDefinition& view, const TableColumn& column, const Value& value) {
  if (column.required_value.is_null() || (!value.is_null() && CompareValues(value, column.required_value) == 0)) {
    return Status::Ok();
  }
  return SqlError(1046, "43A03",
                  "A VIEW column may not be updated if the VIEW definition requires a constant value. columnName=" +
                      view.name.name + "." + column.name + ", which must be " + column.required_value.ToString());
}

}  // namespace

Status Changes::Add(const std::string& physical_table, RowChange change) {
  WaitingRows& rows = tables_[physical_table];
  const auto found = rows.empty() || rows.rbegin()->first < change.put.row ? rows.end() : rows.find(change.put.row);
  if (found == rows.end() && rows_ >= kMostRows) {
    return SqlError(729, "LIM01",
                    "MutationState size is bigger than maximum allowed number of rows, try upserting rows in "
                    "smaller batches or using autocommit on for deletes.");
  }
  bytes_ += BytesOf(change);
  if (bytes_ > kMostBytes) {
    return SqlError(730, "LIM02",
                    "MutationState size is bigger than maximum allowed number of bytes, try upserting rows in "
                    "smaller batches or using autocommit on for deletes.");
  }
  if (account_ != nullptr) {
    KLIP_RETURN_IF_ERROR(memory_.SetTo(bytes_));
  }
  change.put.timestamp_ms = change.nulls.timestamp_ms = from_->write_ms();
  if (found != rows.end()) {
    Follow(std::move(change), &found->second);
    return Status::Ok();
  }
  std::string row = change.put.row;
  rows.emplace_hint(rows.end(), std::move(row), std::move(change));
  ++rows_;
  return Status::Ok();
}

Status Changes::TakeAll(Changes* changes) {
  for (auto& [table, rows] : changes->tables_) {
    for (auto& [row, change] : rows) {
      KLIP_RETURN_IF_ERROR(Add(table, std::move(change)));
    }
  }
  changes->Clear();
  return Status::Ok();
}

Status Changes::Write() {
  Status written = WriteAll();
  if (!written.ok()) {
    Clear();
  }
  return written;
}

Status Changes::WriteAll() {
  while (!tables_.empty()) {
    auto& [name, changes] = *tables_.begin();
    SessionTables::Handle handle;
    KLIP_ASSIGN_OR_RETURN(Table* const table, from_->Open(name, &handle));
    for (auto at = changes.begin(); at != changes.end();) {
      std::vector<RowChange> some;
      std::vector<RowChange>
          after;  // cells of rows that are deleted first: all changes of a row that are written at once have one time
      for (; at != changes.end() && some.size() < kRowsAtOnce; ++at) {
        if (at->second.delete_row && at->second.has_cells()) {
          RowChange deletion;
          deletion.delete_row = true;
          deletion.put.row = at->second.put.row;
          deletion.put.timestamp_ms = at->second.put.timestamp_ms;
          at->second.delete_row = false;
          after.push_back(std::move(at->second));
          some.push_back(std::move(deletion));
        } else {
          some.push_back(std::move(at->second));
        }
      }
      KLIP_RETURN_IF_ERROR(WriteAtOnce(table, std::move(some)));
      KLIP_RETURN_IF_ERROR(after.empty() ? Status::Ok() : WriteAtOnce(table, std::move(after)));
    }
    rows_ -= changes.size();
    tables_.erase(tables_.begin());
  }
  written_bytes_ += std::exchange(bytes_, 0);
  memory_.Free();
  return Status::Ok();
}

void Changes::Clear() {
  tables_.clear();
  rows_ = bytes_ = 0;
  memory_.Free();
}

Expected<Value> ToColumn(const TableColumn& column, const Value& value) {
  if (value.is_null()) {
    return Value();
  }
  Expected<Value> converted = Convert(value, column.type);
  if (!converted.ok()) {
    return Status(converted.status().code(), converted.status().message() + " columnName=" + column.name);
  }
  return converted;
}

Expected<RowChange> UpsertRow(const TableDefinition& table, const std::vector<size_t>& columns,
                              std::vector<Value> values) {
  std::vector<Value> key(table.key_columns);
  RowChange change;
  SingleCells single_cells(table);
  for (size_t i = 0; i < columns.size(); ++i) {
    const TableColumn& column = table.columns[columns[i]];
    if (column.row_part == RowPart::kKey) {
      change.put.row = values[i].text();
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(Value value, ToColumn(column, values[i]));
    KLIP_RETURN_IF_ERROR(CheckRequired(table, column, value));
    if (column.key_position >= 0) {
      key[static_cast<size_t>(column.key_position)] = std::move(value);
    } else if (!value.is_null()) {
      std::string bytes;
      EncodeValue(value, column.type, &bytes);
      if (column.element > 0) {
        single_cells.Set(column, std::move(bytes));
      } else {
        change.put.Add(column.family, column.qualifier, std::move(bytes));
      }
    } else if (column.not_null) {
      return SqlError(218, "23018",
                      "Constraint violation. " + table.name.name + "." + column.name + " may not be null");
    } else if (!column.missing.is_null() || (table.store_nulls && !table.immutable_rows)) {
      change.put.Add(column.family, column.qualifier, "");
    } else if (!table.immutable_rows) {
      change.nulls.AddColumns(column.family, column.qualifier);
    }
  }
  if (table.has_row_ids() && key[0].is_null()) {
    key[0] = NewRowId();
  }
  single_cells.AddTo(&change.put);
  if (change.put.row.empty()) {
    KLIP_ASSIGN_OR_RETURN(change.put.row, EncodeRow(table, key));
  }
  change.nulls.row = change.put.row;
  if (table.empty_family.has_value()) {
    change.put.Add(*table.empty_family, table.empty_qualifier, std::string(kEmptyValue));
  }
  return change;
}

}  // namespace klip::sql
