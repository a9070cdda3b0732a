// IndexDefinition: a declared index, resolved for its table: which columns it reads, and how the rows of its entries are
// built.
//
// The row of an entry is the key bytes of the fields, one after the other, and then the row of the table. It has a
// row-key schema, so queries, plans and statistics work on an index as on any table.
//
// Example: an index on "f:age u8, f:city text" of a table with text rows. Row "bob" with age 30 and city "berlin" has the
// entry 1E 'berlin' 00 'bob'. Entries sort by age, then city, then row.
//
// Before an optional field is a byte: 1, or 0 if the row lacks the field, which then is zeros, or empty. With "f:age u8
// optional, f:city text optional", bob has the entry 01 1E 01 'berlin' 00 'bob'. Without an age, it is 00 00 01 'berlin' 00
// 'bob', and sorts before all ages.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "klip/admin.h"
#include "klip/cell.h"
#include "klip/index.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "rowkey/index_expression.h"

namespace klip::rowkey {

// The table whose rows are the entries of an index: "T.klip_index.I". On a cluster it is stored, on klip's own store it is a
// view of the entries.
inline constexpr std::string_view kIndexTableMark = ".klip_index.";
inline bool IsIndexTable(std::string_view table) { return table.find(kIndexTableMark) != std::string_view::npos; }
std::string IndexTableOf(std::string_view table, std::string_view index);
// The inverse: table and index; nullopt: no such name.
std::optional<std::pair<std::string, std::string>> TableAndIndexOf(std::string_view index_table);

// A column of the table; or one whose values SQL computes: then its family is kComputedFamily, and its qualifier names the expression.
struct IndexColumn {
  std::string family;
  std::string qualifier;

  std::string Name() const;  // "family:qualifier", or the expression; printable
  bool operator==(const IndexColumn&) const = default;
};

// The family of computed columns, which no family of a table has.
inline constexpr const char* kComputedFamily = "";

// One field in the rows of entries.
struct IndexPart {
  KeyField field;
  std::optional<KeyField> presence = {};  // of an optional field: the byte before it
  std::optional<size_t> column;           // of `columns`, from which its values come
  std::optional<size_t> key_field;        // or the field of the table's row key
  IndexFunction function = IndexFunction::kNone;
  // hash and bucket: a field that row-key schemas derive from one other, here from the value.
  std::optional<KeyField> derived = {};
};

struct IndexDefinition {
  struct Equal {
    size_t column;
    std::string value;
  };
  // How the values of a computed column follow from stored ones.
  struct Computed {
    std::shared_ptr<const IndexExpression> expression;  // null: this program is without SQL
    std::vector<size_t> inputs;                         // indexes of columns
    std::string text;                                   // as declared
  };

  IndexDescriptor descriptor;
  std::vector<IndexColumn> columns;  // all columns that affect entries, each once: stored ones, then computed ones
  std::vector<Computed> computed;    // of the last columns
  std::vector<IndexPart> parts;
  std::vector<Equal> where;
  std::vector<size_t> include;               // indexes of columns, each once
  std::optional<RowKeySchema> table_schema;  // of the table, if a part comes from the row key
  RowKeySchema schema;                       // of entries: the parts, then "row"
  // The same for plans and statistics: with the fields of the table's rows, if they have a schema, instead of "row".
  std::optional<RowKeySchema> key_schema = {};

  std::span<const IndexColumn> stored_columns() const {
    return std::span(columns).first(columns.size() - computed.size());
  }
  // Whether it has an expression that this program cannot compute.
  bool lacks_sql() const;
  bool has_optional() const;
  // For messages: a column's name, or the expression as declared.
  std::string LabelOf(size_t column) const;

  const RowKeySchema& keys() const { return key_schema.has_value() ? *key_schema : schema; }

  std::optional<size_t> ColumnIndex(std::string_view family, std::string_view qualifier) const;
};

// Errors: kInvalidArgument naming the index and the field.
Expected<IndexDefinition> DefineIndex(std::string_view name, std::string_view text, const TableDescriptor& table);
// The same, for a descriptor that may have no field.
Expected<IndexDefinition> DefineIndex(IndexDescriptor descriptor, const TableDescriptor& table);

// Appends the key bytes of a value in the encoding of the part's type, as if the part had no function. Errors: as
// AppendStoredValue.
Status AppendTypedValue(const KeyField& field, std::string_view stored, std::string* out);

// Appends the key bytes of a stored value, or of the part's function of it. Stored integers are encoded like HBase's
// Bytes.toBytes, everything else as in a row key; the result is what Encode makes of the value. Errors: kInvalidArgument
// naming the field: the value does not have the type.
Status AppendStoredValue(const IndexPart& part, std::string_view stored, std::string* out);
// The byte before an optional field. REQUIRES: it is one.
char PresenceByte(const IndexPart& part, bool present);

// Appends the bytes of the part in the key of an entry: its presence, and its delimiter. Errors: as AppendStoredValue.
Status AppendPart(const IndexPart& part, std::string_view stored, std::string* key);
// The same if the row lacks the optional field.
void AppendAbsent(const IndexPart& part, std::string* key);

// The inverse of AppendStoredValue. REQUIRES: it made the bytes, without a function.
std::string StoredValueOf(const IndexPart& part, std::string_view key_bytes);

// The key bytes of a part for the bytes of its field of the row key.
std::string KeyPartOf(const IndexPart& part, const KeyField& of_key, std::string_view bytes);

// The key bytes of the parts that come from the row key, "" for the others. Errors: kInvalidArgument, the row does not
// match the schema.
Expected<std::vector<std::string>> KeyPartsOf(const IndexDefinition& index, std::string_view row);

// The values of computed columns as cells.
using ComputedCells = std::deque<std::pair<std::string, Cell>>;

// Completes a row's newest cells of the stored columns by those of the computed ones; null: NULL, or SQL cannot compute it.
void AddComputedCells(const IndexDefinition& index, std::string_view row, std::vector<const Cell*>* of_columns,
                      ComputedCells* storage);

// Whether the newest cells of the index's columns have the values of WHERE; null: the row has no such cell.
bool MeetsWhere(const IndexDefinition& index, std::span<const Cell* const> of_columns);

// Whether a row with these newest cells should have an entry: one that has none has a value that is not of its type.
bool ShouldHaveEntry(const IndexDefinition& index, std::span<const Cell* const> of_columns);

// Appends the key of a row's entry, given its newest cells of the index's columns; null: the row has no such cell. False:
// the row has no entry.
bool AppendEntryKey(const IndexDefinition& index, std::string_view row, std::span<const Cell* const> of_columns,
                    std::string* key);

// Whether the entry has values of all optional fields. REQUIRES: `entry` is an entry of the index.
bool HasAllFields(const IndexDefinition& index, std::string_view entry);

// The table's row in the row of an entry. Errors: kCorruption.
Expected<std::string_view> TableRowOf(const IndexDefinition& index, std::string_view entry);

// As in declarations: "upper"; kNone: "".
std::string NameOf(IndexFunction function);
IndexFunction FunctionOf(base::LetterCase letter_case);
// The case of upper and lower; nullopt: other functions.
std::optional<base::LetterCase> CaseOf(IndexFunction function);

// Checks the indexes of a table that is created (`before` is null) or changed. Errors: kInvalidArgument naming the index.
Status CheckIndexes(const TableDescriptor* before, const TableDescriptor& after);

}  // namespace klip::rowkey
