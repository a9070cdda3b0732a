// Secondary indexes: the rows of a table in the order of columns. The store updates them in the same commit as the rows.
//
//   KLIP_ASSIGN_OR_RETURN(IndexDescriptor index, IndexDescriptor::Parse("by_city", "f:city text, f:age i32 INCLUDE f:name"));
//   KLIP_ASSIGN_OR_RETURN(IndexAdmin* indexes, connection->admin().indexes());
//   KLIP_RETURN_IF_ERROR(indexes->CreateIndex("people", index));
//
// docs/indexes.md describes the syntax, the guarantees, and when an index pays off.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/status.h"

namespace klip {

// The function of a value by which an index is sorted, in place of the value itself.
enum class IndexFunction : uint8_t {
  kNone,
  kUpper,   // the text in upper case, as SQL's UPPER
  kLower,   // the text in lower case, as SQL's LOWER
  kHash,    // the first bytes of its MD5
  kBucket,  // a number from 0 to 255 at most, by its MD5: spreads neighbouring values
};

// A field that an index is sorted by: a column, a part of the row key, a function of either, or an SQL expression.
struct IndexField {
  std::string column;  // "family:qualifier"
  // Of the column's values, a type of row-key schemas: "text", "i32", "u64 desc". Empty for kHash and kBucket.
  std::string type;
  std::string key_field;  // instead of a column: a field of the table's row-key schema
  // Instead of a column: an SQL expression over columns of IndexDescriptor::sql_table. `type` is that of its values.
  std::string expression;
  IndexFunction function = IndexFunction::kNone;
  int size = 0;  // kHash: bytes, 1 to 16; kBucket: number of buckets, 2 to 256
  bool optional =
      false;  // rows that lack the column, or whose expression is NULL, have entries, too; not for fields of the row key

  bool operator==(const IndexField&) const = default;
};

// A row has an entry if it has the columns of all fields that are not optional, if their expressions are not NULL, if the columns of
// `where` have these values, if `condition` is true, and if it has at least one column of the index.
struct IndexDescriptor {
  std::string name;  // letters, digits and _
  std::vector<IndexField> fields;
  std::vector<std::string> include;  // columns stored in the entries: scans of only these read no row
  std::vector<std::pair<std::string, std::string>> where;  // column and its stored value; all must match
  std::string condition;                                   // in SQL, over columns of sql_table; empty: none
  // What SQL's expressions read: a CREATE TABLE or CREATE VIEW with the columns of the key and those that the expressions name.
  // So the index means the same after ALTER TABLE. Programs without SQL (klip/sql.h) can read such a table, but not write to it.
  std::string sql_table;
  bool unique = false;     // no two rows have the same fields; rows that lack an optional one are not compared
  bool immutable = false;  // rows are put only once and deleted only as a whole: a put need not read the old row
  // A row with a value that is not of its field's type has no entry; otherwise the write fails.
  bool skip_invalid = false;
  // A row has an entry for each set of values that its stored versions give, not only for the newest. So scans with a time
  // range, and conditions on any version, use the index, too. Not with `unique`, optional fields or expressions.
  bool history = false;

  // The table attribute with a declaration: KLIP_INDEX$<name>.
  static constexpr std::string_view kTableAttribute = "KLIP_INDEX$";
  // Table attribute KLIP_INDEX_BUILDING$<name>: the index is incomplete, and serves no reads.
  static constexpr std::string_view kBuildingAttribute = "KLIP_INDEX_BUILDING$";
  // Table attribute KLIP_INDEX_UNUSABLE$<name>: reads do not use the index (IndexAdmin::SetUsable).
  static constexpr std::string_view kUnusableAttribute = "KLIP_INDEX_UNUSABLE$";

  // Parses `text` as in the attribute:
  //
  //   field {, field} [INCLUDE column {, column}] [WHERE condition {AND condition}] [FOR 'CREATE TABLE ...']
  //   [UNIQUE] [IMMUTABLE] [SKIP INVALID] [HISTORY]
  //   field = value | upper(value) | lower(value) | hash(value [, bytes]) | bucket(value, buckets) | sql('expression') type
  //   value = family:qualifier type [desc] | key.name
  //   condition = column = 'value' | sql('condition')
  //
  // The type of a column in a function follows the parenthesis: upper(f:name) text. hash and bucket take none. `optional` ends a field:
  // f:city text, f:age i32 optional.
  // Put columns with spaces or commas in quotes. In quotes, \xNN is a byte.
  // Errors: kInvalidArgument naming the index, the field or offset, and what was expected.
  static Expected<IndexDescriptor> Parse(std::string_view name, std::string_view text);
  // Canonical; Parse gives an equal descriptor.
  std::string ToString() const;

  bool operator==(const IndexDescriptor&) const = default;
};

struct IndexInfo {
  IndexDescriptor index;
  bool building = false;  // CreateIndex has not finished: call it again to resume
  bool unusable = false;  // reads do not use it: SetUsable
  // An index of a table on a cluster (docs/indexes.md, "On a cluster"), which Scan::order_by_index does not support.
  bool kept_by_clients = false;
  // With skip_invalid: rows without an entry because of their values, and perhaps some that have one. With history: rows with so many
  // versions that older ones have no entries. At most kMostSkipped are counted.
  int64_t skipped = 0;
  static constexpr int64_t kMostSkipped = 10'000;

  bool operator==(const IndexInfo&) const = default;
};

// The result of VerifyIndex.
struct IndexCheck {
  int64_t rows = 0;                      // of the table
  int64_t entries = 0;                   // of the index
  int64_t missing = 0;                   // entries that are missing or have other contents
  int64_t wrong = 0;                     // entries without a row, which reads would trust
  int64_t stale = 0;                     // entries without a row that reads check anyway: they only cost space and time
  int64_t skipped = 0;                   // with skip_invalid: rows without an entry because of their values
  std::vector<std::string> differences;  // the first of each kind, as text

  bool ok() const { return missing == 0 && wrong == 0; }
};

// Receives the number of finished rows, every few hundred rows, on the thread that builds or verifies. A resumed index counts only the
// remaining rows; Table::Statistics estimates the number of rows.
using IndexProgress = std::function<void(int64_t rows)>;

// The indexes of tables. Thread-safe; lives as long as its Admin.
class IndexAdmin {
 public:
  virtual ~IndexAdmin() = default;

  // Returns when all rows have their entries; reads and writes continue in the meantime. Completes an incomplete index of the same name and
  // declaration. Errors: kInvalidArgument: an invalid declaration, or another index of that name; kDoNotRetry: a value does not fit its
  // field's type, or two rows have the same values in a unique index; the index is then removed.
  virtual Status CreateIndex(std::string_view table, const IndexDescriptor& index,
                             const IndexProgress& progress = nullptr) = 0;
  // Builds the index again from its declaration, beside the present one, which stays in force until the new one takes its place. If that
  // fails, the present one stays. Errors: kInvalidArgument: no such index; those of CreateIndex.
  virtual Status RebuildIndex(std::string_view table, std::string_view index,
                              const IndexProgress& progress = nullptr) = 0;
  // Whether reads may use the index. Writes maintain it in either case. Errors: kInvalidArgument: no such index; kUnsupported: on a
  // cluster.
  virtual Status SetUsable(std::string_view table, std::string_view index, bool usable) = 0;
  // Errors: kInvalidArgument: no such index.
  virtual Status DropIndex(std::string_view table, std::string_view index) = 0;
  // Whether clients maintain the indexes, as on a cluster. ListIndexes then asks the cluster each time.
  virtual bool kept_by_clients() const = 0;
  virtual Expected<std::vector<IndexInfo>> ListIndexes(std::string_view table) = 0;  // by name
  // Compares the index with the rows, while reads and writes continue. `repair`: repairs differences, and removes stale entries.
  virtual Expected<IndexCheck> VerifyIndex(std::string_view table, std::string_view index, bool repair = false,
                                           const IndexProgress& progress = nullptr) = 0;
};

}  // namespace klip
