// Rows that statements have changed, before they are written to the tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sql/catalog/table_definition.h"
#include "sql/exec/session_tables.h"

namespace klip::sql {

// One row's change: cells to put and columns to delete because they became NULL, at least one of either; or the deletion of the row.
struct RowChange {
  klip::Put put;
  klip::Delete nulls;  // for the same row; without markers: none
  bool delete_row = false;
};

// Changes of any tables, in order. A session without auto-commit collects changes here until COMMIT. Not thread-safe.
class Changes {
 public:
  // TUNING: so many rows are written at once.
  static constexpr size_t kRowsAtOnce = 1000;
  // Phoenix's phoenix.mutate.maxSize and maxSizeBytes. Errors beyond: 729 (LIM01), 730 (LIM02).
  static constexpr size_t kMostRows = 500'000;
  static constexpr size_t kMostBytes = 100 << 20;

  explicit Changes(const SessionTables* tables) : from_(tables) {}

  Status Add(const std::string& physical_table, RowChange change);
  // Writes them, in batches; each row is atomic. After an error, rows before the failing one may be written; the others
  // are given up.
  Status Write();
  void Clear();
  size_t rows() const { return rows_; }

 private:
  Status WriteAll();

  const SessionTables* from_;
  std::map<std::string, std::vector<RowChange>> tables_;
  size_t rows_ = 0;
  size_t bytes_ = 0;  // approximate total
};

// The change that sets `columns` of the table to these values, one per column, which are converted to the columns' types.
// Errors: a value that does not fit; a NULL in a NOT NULL key column.
Expected<RowChange> UpsertRow(const TableDefinition& table, const std::vector<size_t>& columns,
                              std::vector<Value> values);

// `value` as the column stores it. Errors: 206 (22003), naming the column.
Expected<Value> ToColumn(const TableColumn& column, const Value& value);

}  // namespace klip::sql
