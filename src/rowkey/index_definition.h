// IndexDefinition: a declared index, resolved against its table: which columns it reads, and how the rows of its entries are built.
//
// The row of an entry is the key bytes of the fields, one after the other, and then the row of the table. It has a row-key schema,
// so that queries, plans and statistics work on an index as on any table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/cell.h"
#include "klip/index.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::rowkey {

struct IndexColumn {
  std::string family;
  std::string qualifier;

  std::string Name() const;  // "family:qualifier", printable
  bool operator==(const IndexColumn&) const = default;
};

// One field in the rows of entries.
struct IndexPart {
  KeyField field;
  std::optional<size_t> column;     // its values come from this one of the columns
  std::optional<size_t> key_field;  // or from this field of the table's row key
};

struct IndexDefinition {
  struct Equal {
    size_t column;
    std::string value;
  };

  IndexDescriptor descriptor;
  std::vector<IndexColumn> columns;  // all that decide about entries, each once
  std::vector<IndexPart> parts;
  std::vector<Equal> where;
  std::vector<size_t> include;               // columns
  std::optional<RowKeySchema> table_schema;  // of the table, where a part comes from the row key
  RowKeySchema schema;                       // of entries: the parts, then "row"
  // The same for plans and statistics: the fields of the table's rows, if those have a schema, in place of "row".
  std::optional<RowKeySchema> key_schema = {};

  const RowKeySchema& keys() const { return key_schema.has_value() ? *key_schema : schema; }

  std::optional<size_t> ColumnIndex(std::string_view family, std::string_view qualifier) const;
};

// Errors: kInvalidArgument naming the index and the field.
Expected<IndexDefinition> DefineIndex(std::string_view name, std::string_view text, const TableDescriptor& table);

// Appends the key bytes of a stored value: what Encode makes of the value, where integers are stored as HBase's Bytes.toBytes does,
// and everything else as in a row key. Errors: kInvalidArgument naming the field: the value does not fit the type.
Status AppendStoredValue(const IndexPart& part, std::string_view stored, std::string* out);
// The inverse. REQUIRES: AppendStoredValue made the bytes.
std::string StoredValueOf(const IndexPart& part, std::string_view key_bytes);

// The key bytes of the parts that come from the row key, "" for the others. Errors: kInvalidArgument, the row does not fit.
Expected<std::vector<std::string>> KeyPartsOf(const IndexDefinition& index, std::string_view row);

// Appends the key of the entry of a row whose newest cells of the index's columns are these; null: it has none. False: it has no entry.
bool AppendEntryKey(const IndexDefinition& index, std::string_view row, std::span<const Cell* const> of_columns,
                    std::string* key);

// The table's row in the row of an entry. Errors: kCorruption.
Expected<std::string_view> TableRowOf(const IndexDefinition& index, std::string_view entry);

// What is wrong with the indexes of a table that is made (`before` is null) or changed. Errors: kInvalidArgument naming the index.
Status CheckIndexes(const TableDescriptor* before, const TableDescriptor& after);

}  // namespace klip::rowkey
