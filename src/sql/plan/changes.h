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
#include "sql/exec/spill.h"
#include "sql/exec/waiting_rows.h"

namespace klip::sql {

// Changes of any tables, for each row what they make of it together. A session without auto-commit collects changes here until COMMIT.
// Not thread-safe.
class Changes {
 public:
  // TUNING: so many rows are written at once.
  static constexpr size_t kRowsAtOnce = 1000;
  // Phoenix's phoenix.mutate.maxSize and maxSizeBytes. Errors beyond: 729 (LIM01), 730 (LIM02).
  static constexpr size_t kMostRows = 500'000;
  static constexpr size_t kMostBytes = 100 << 20;

  // `account`: of their memory, which outlives them; null: none.
  explicit Changes(const SessionTables* tables, MemoryAccount* account = nullptr) : from_(tables), account_(account) {
    if (account_ != nullptr) {
      memory_.Reset(account_);
    }
  }

  // Errors: 729, 730: too many; those of MemoryAccount.
  Status Add(const std::string& physical_table, RowChange change);
  // Moves all of them to these. Errors: those of Add; then some may have been moved.
  Status TakeAll(Changes* changes);
  // Writes them, in batches; each row is atomic. After an error, rows before the failing one may be written; the others
  // are given up.
  Status Write();
  void Clear();
  size_t rows() const { return rows_; }
  const WaitingTables& tables() const { return tables_; }
  size_t written_bytes() const { return written_bytes_; }  // by Write, approximately

 private:
  Status WriteAll();

  const SessionTables* from_;
  MemoryAccount* account_;
  Reservation memory_;
  WaitingTables tables_;
  size_t rows_ = 0;
  size_t bytes_ = 0;  // approximate total
  size_t written_bytes_ = 0;
};

// The change that sets `columns` of the table to these values, one per column, which are converted to the columns' types.
// Errors: a value that does not fit; a NULL in a NOT NULL key column.
Expected<RowChange> UpsertRow(const TableDefinition& table, const std::vector<size_t>& columns,
                              std::vector<Value> values);

// `value` as the column stores it. Errors: 206 (22003), naming the column.
Expected<Value> ToColumn(const TableColumn& column, const Value& value);

}  // namespace klip::sql
