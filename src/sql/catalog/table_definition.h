// A table as SQL sees it, and its rows as bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/row_key.h"
#include "klip/sql_value.h"
#include "klip/status.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

struct TableColumn {
  std::string family;  // empty: a key column
  std::string name;
  std::string qualifier;  // of its cells
  DataType type;
  int key_position = -1;  // from 0, the salt not counted; -1: not of the key
  bool descending = false;
  bool not_null = false;
  bool row_timestamp = false;
  std::shared_ptr<const Expression> default_value;
  int schema_field = -1;  // of a key column that a row-key schema declares
  // Its place, from 1, in the cell that has all columns of its family (catalog/single_cell.h); 0: it has a cell of its own.
  size_t element = 0;
  int ordinal = std::numeric_limits<int>::max();  // Phoenix's place of it: a key column need not be declared first
  Value missing;  // what a row without its cell has: Phoenix's DEFAULT, which Phoenix does not store
};

// Immutable once made.
struct TableDefinition {
  TableName name;
  std::string physical_name;  // of HBase's table
  bool view = false;
  bool read_only = false;
  bool system = false;               // of the schema SYSTEM, which is not stored: catalog/system_tables.h
  std::optional<TableName> base;     // of a view AS SELECT: what it selects from
  size_t base_columns = 0;           // its columns, which come first
  std::string select_text;           // of such a view: "SELECT * FROM base WHERE ..."
  std::vector<TableColumn> columns;  // those of the key first, in its order
  size_t key_columns = 0;
  int salt_buckets = 0;        // 0: not salted
  std::string default_family;  // of columns declared without one
  std::vector<std::shared_ptr<const Expression>>
      conditions;  // of a view AS SELECT and those below it: its rows meet all of them
  std::vector<std::pair<std::string, Value>> properties;  // upper case; those that SQL knows
  // The table has keys of a row-key schema (klip/row_key.h) instead of Phoenix's; derived fields are no columns.
  std::optional<RowKeySchema> schema;
  // Marks each row that SQL wrote, so that a row of key columns alone exists. Views over tables of others have none.
  std::optional<std::string> empty_family;
  std::string empty_qualifier = "_0";
  // Its definition stands in Phoenix's own SYSTEM.CATALOG: catalog/phoenix_catalog.h.
  bool of_phoenix = false;
  bool immutable_rows = false;    // NULL in UPSERT writes nothing
  bool store_nulls = false;       // NULL in UPSERT writes an empty cell
  std::string cannot_be_written;  // why; empty: it can

  // Whether a property is set to true.
  bool HasProperty(std::string_view property) const;
  // Declared TRANSACTIONAL: its changes are parts of transactions, also where nobody has begun one.
  bool transactional() const { return HasProperty("TRANSACTIONAL"); }

  const TableColumn& key(size_t position) const { return columns[position]; }
  std::span<const TableColumn> keys() const { return std::span(columns).first(key_columns); }
  // Where the columns are, as SELECT * and UPSERT without a list of columns take them.
  std::vector<size_t> DeclaredOrder() const;
};
using TablePtr = std::shared_ptr<const TableDefinition>;

inline constexpr std::string_view kDefaultFamily = "0";
inline constexpr std::string_view kEmptyValue = "x";

// --- Row keys: [salt] then the key columns. After a value of variable width comes 00 if it is ascending and anything follows, always FF
// if it is descending, and 00 alone stands for NULL; NULLs at the end are cut. Worked examples, (a VARCHAR, b INTEGER, c VARCHAR DESC):
// ("x", 1, NULL) is 78 00 80 00 00 01; (NULL, 1, "x") is 00 80 00 00 01 87 FF. ---

// The byte that ends a value of a key column; nullopt: it has a fixed width.
std::optional<char> KeySeparator(const TableColumn& column);

// The row of these values, one per key column, each of its column's type or NULL.
// Errors: 218 (23018), a NULL in a column that is not nullable; a text with the separator's byte; a row that is too long.
Expected<std::string> EncodeRow(const TableDefinition& table, std::span<const Value> values);

// The byte in front of a row of this table.
char SaltOf(std::string_view row_without_salt, int buckets);

// The value of a column of a row-key schema, given its bytes. Errors: 201 (22000).
Expected<Value> DecodeSchemaField(const TableDefinition& table, const TableColumn& column, std::string_view bytes);
// Its text in the language of key queries.
Expected<std::string> SchemaText(const TableColumn& column, const Value& value);

// The bytes of each key column, in order; absent ones are empty. False: the row is not one of this table.
bool SplitRow(const TableDefinition& table, std::string_view row, std::span<std::string_view> bytes);

}  // namespace klip::sql
