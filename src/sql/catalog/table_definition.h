// A table as SQL sees it, and its rows as bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
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

// What every row has besides its columns: the bytes of its key, and the timestamp of its marker.
enum class RowPart : uint8_t { kNone, kKey, kTime };

struct TableColumn {
  std::string family;  // empty: a key column
  std::string name;
  std::string qualifier;  // of its cells
  DataType type;
  int key_position = -1;  // from 0, without the salt; -1: not a key column
  bool descending = false;
  bool not_null = false;
  bool row_timestamp = false;
  bool hidden = false;  // * leaves it out: a column for the tenant, or the key of a table without a PRIMARY KEY
  RowPart row_part = RowPart::kNone;  // not a column of the table: added by the plan of a statement that needs the part
  bool inherited = false;             // from the base of a view AS SELECT
  // The constant that the condition of a view requires. UPSERT writes it where the column is not named.
  std::shared_ptr<const Expression> required;
  Value required_value;  // in statements that write; NULL: any value
  std::shared_ptr<const Expression> default_value;
  int schema_field = -1;  // of a key column declared by a row-key schema
  // Its position, from 1, in the cell that contains all columns of its family (catalog/single_cell.h); 0: it has its own
  // cell.
  size_t element = 0;
  int ordinal = std::numeric_limits<int>::max();  // its declared position, from 0; the greatest: after all others
  int64_t number = 0;                             // in place of its name in cells (catalog/column_encoding.h); 0: none
  Value missing;  // the value of a row without the cell: Phoenix's DEFAULT, which is not stored

  // "family:qualifier", as indexes name it.
  std::string cell_name() const { return family + ":" + qualifier; }
};

// The property that names the family of markers, if columns added or dropped since CREATE TABLE suggest another one.
inline constexpr std::string_view kMarkerFamilyProperty = "MARKER_FAMILY";

// Immutable once complete.
struct TableDefinition {
  TableName name;
  std::string physical_name;  // of HBase's table
  bool view = false;
  bool read_only = false;
  bool system = false;            // in the schema SYSTEM, which is not stored: catalog/system_tables.h
  std::optional<TableName> base;  // of a view AS SELECT: its base
  std::string tenant;             // to which the view belongs; empty: to none
  std::string from_text;          // of such a view: "FROM base WHERE ..."
  // Of such a view: it names the columns of its base that it has, so it does not get those that the base gets later.
  bool names_columns = false;
  std::vector<TableColumn> columns;  // key columns first, in key order
  size_t key_columns = 0;
  size_t own_key_columns = 0;  // the last of them, which a view adds to the key of its base
  int salt_buckets = 0;        // 0: not salted
  std::string default_family;  // of columns declared without one
  std::vector<std::shared_ptr<const Expression>>
      conditions;  // of a view AS SELECT and the views below it: its rows meet all of them
  std::vector<std::pair<std::string, Value>> properties;  // in upper case; those known to SQL
  // The table has the keys of a row-key schema (klip/row_key.h) instead of Phoenix's; derived fields are not columns.
  std::optional<RowKeySchema> schema;
  // Marks each row written by SQL, so that a row with only key columns exists. Views over other tables have no marker.
  std::optional<std::string> empty_family;
  std::string empty_qualifier = "_0";
  std::vector<std::string> families;  // with the table's rows, if others have rows of their own; else empty
  // The numbers of the next columns, by family (catalog/column_encoding.h); empty: columns have no numbers.
  std::map<std::string, int64_t> next_numbers;
  // Its definition is in Phoenix's SYSTEM.CATALOG: catalog/phoenix_catalog.h.
  bool of_phoenix = false;
  bool immutable_rows = false;    // NULL in UPSERT writes nothing
  bool store_nulls = false;       // NULL in UPSERT writes an empty cell
  std::string cannot_be_written;  // the reason; empty: it is writable

  // Of a dynamic column without a family: the default one if the table has it.
  const std::string& DynamicFamily() const;

  // Whether a property is true.
  bool HasProperty(std::string_view property) const;
  // Declared TRANSACTIONAL: each change runs in a transaction, even without BEGIN.
  bool transactional() const { return HasProperty("TRANSACTIONAL"); }

  // Whether each row has a value of this column of the key. Rows of the base of a view have none of those that the view adds.
  bool HasValue(const TableColumn& key) const {
    return key.not_null && static_cast<size_t>(key.key_position) + own_key_columns < key_columns;
  }

  // Whether it has no PRIMARY KEY: its key is a NewRowId.
  bool has_row_ids() const { return columns[0].hidden && columns[0].required == nullptr; }

  const TableColumn& key(size_t position) const { return columns[position]; }
  // The column's position in the key that a session sees, from 1: a tenant does not see the first column.
  int64_t KeySequence(const TableColumn& column) const { return column.key_position + (columns[0].hidden ? 0 : 1); }
  std::span<const TableColumn> keys() const { return std::span(columns).first(key_columns); }
  // The positions of the columns, in the order of SELECT * and of UPSERT without a list of columns.
  std::vector<size_t> DeclaredOrder() const;
};
using TablePtr = std::shared_ptr<const TableDefinition>;

// Adds a column to the key of a view, after those of its base.
void ExtendKey(TableColumn column, TableDefinition* view);

inline constexpr std::string_view kDefaultFamily = "0";
inline constexpr std::string_view kEmptyValue = "x";

// --- Row keys: [salt], then the key columns. A value of variable width is followed by 00 if it is ascending and anything
// follows, and always by FF if it is descending. A single 00 stands for NULL; trailing NULLs are removed. Worked
// examples, (a VARCHAR, b INTEGER, c VARCHAR DESC): ("x", 1, NULL) is 78 00 80 00 00 01; (NULL, 1, "x") is 00 80 00 00 01
// 87 FF. ---

// The byte that ends a value of a key column; nullopt: it has a fixed width.
std::optional<char> KeySeparator(const TableColumn& column);

// The row of these values, one per key column, each of its column's type or NULL. Errors: 218 (23018), a NULL in a NOT
// NULL column; a text that contains the separator; a row that is too long.
Expected<std::string> EncodeRow(const TableDefinition& table, std::span<const Value> values);

// The salt byte of a row of this table.
char SaltOf(std::string_view row_without_salt, int buckets);

// The key of a new row of a table without a PRIMARY KEY: 16 bytes, larger than those before it in this process, and
// different from those of all others.
Value NewRowId();

// The value of a column of a row-key schema, given its bytes. Errors: 201 (22000).
Expected<Value> DecodeSchemaField(const TableDefinition& table, const TableColumn& column, std::string_view bytes);
// Its text in the query language of row keys.
Expected<std::string> SchemaText(const TableColumn& column, const Value& value);

// Whether a view may add columns to the key. Bytes after the last value must not belong to it.
bool CanExtendKey(const TableDefinition& table);

// The bytes of each key column, in order; missing ones are empty. False: the row does not belong to this table. The rows
// of views with longer keys belong to the table too.
bool SplitRow(const TableDefinition& table, std::string_view row, std::span<std::string_view> bytes);

}  // namespace klip::sql
