// Secondary indexes: the rows of a table in the order of columns, kept by the store in the same commit as the rows.
//
//   KLIP_ASSIGN_OR_RETURN(IndexDescriptor index, IndexDescriptor::Parse("by_city", "f:city text, f:age i32 INCLUDE f:name"));
//   KLIP_ASSIGN_OR_RETURN(IndexAdmin* indexes, connection->admin().indexes());
//   KLIP_RETURN_IF_ERROR(indexes->CreateIndex("people", index));
//
// docs/indexes.md has the language, what is exact, and when an index pays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/status.h"

namespace klip {

// What an index is sorted by: a column, or a part of the row key.
struct IndexField {
  std::string column;     // "family:qualifier"
  std::string type;       // of the column's values, a type of row-key schemas: "text", "i32", "u64 desc"
  std::string key_field;  // in place of a column: the name of a field of the table's row-key schema

  bool operator==(const IndexField&) const = default;
};

// A row has an entry when it has all columns of the fields, and those of `where` have these values.
struct IndexDescriptor {
  std::string name;  // letters, digits and _
  std::vector<IndexField> fields;
  std::vector<std::string> include;  // columns that the entries hold too: scans of these alone read no row
  std::vector<std::pair<std::string, std::string>> where;  // column, its value as stored; all must hold
  bool unique = false;                                     // no two rows have the same fields
  bool immutable = false;  // rows are put once and never again, and deleted whole: a put need not read what was there

  // The table attribute that holds a declaration: KLIP_INDEX$<name>.
  static constexpr std::string_view kTableAttribute = "KLIP_INDEX$";
  // Table attribute KLIP_INDEX_BUILDING$<name>: the index is not yet complete, and answers no reads.
  static constexpr std::string_view kBuildingAttribute = "KLIP_INDEX_BUILDING$";

  // `text` as the attribute holds it:
  //
  //   field {, field} [INCLUDE column {, column}] [WHERE column = 'value' {AND column = 'value'}] [UNIQUE] [IMMUTABLE]
  //   field = family:qualifier type [desc] | key.name
  //
  // Columns with blanks or commas stand in quotes. In quotes \xNN is a byte.
  // Errors: kInvalidArgument naming the index, the field or offset, and what was expected.
  static Expected<IndexDescriptor> Parse(std::string_view name, std::string_view text);
  // Canonical; Parse gives an equal descriptor.
  std::string ToString() const;

  bool operator==(const IndexDescriptor&) const = default;
};

struct IndexInfo {
  IndexDescriptor index;
  bool building = false;  // CreateIndex has not come to its end: call it again, it goes on where it was

  bool operator==(const IndexInfo&) const = default;
};

// What VerifyIndex has found.
struct IndexCheck {
  int64_t rows = 0;                      // of the table
  int64_t entries = 0;                   // of the index
  int64_t missing = 0;                   // entries that should be there, or have other contents
  int64_t wrong = 0;                     // entries of no row, which reads would take for true
  int64_t stale = 0;                     // entries of no row that reads check anyway: they cost room and time, no more
  std::vector<std::string> differences;  // the first of each kind, for people

  bool ok() const { return missing == 0 && wrong == 0; }
};

// Told how many rows are done, every few hundred of them, by the thread that builds or verifies. An index that is continued begins with
// the rows that are left; Table::Statistics estimates how many rows there are.
using IndexProgress = std::function<void(int64_t rows)>;

// The indexes of tables. Thread-safe; lives as long as its Admin.
class IndexAdmin {
 public:
  virtual ~IndexAdmin() = default;

  // Returns when all rows have their entries; reads and writes go on meanwhile. An index of that name and declaration that is not
  // complete is completed. Errors: kInvalidArgument: a bad declaration, or another index of that name; kDoNotRetry: a row has a
  // value that is none of its field's type, or that another row has and the index is unique: nothing is left of the index.
  virtual Status CreateIndex(std::string_view table, const IndexDescriptor& index,
                             const IndexProgress& progress = nullptr) = 0;
  // Errors: kInvalidArgument: there is none.
  virtual Status DropIndex(std::string_view table, std::string_view index) = 0;
  virtual Expected<std::vector<IndexInfo>> ListIndexes(std::string_view table) = 0;  // by name
  // Compares the index with the rows, while reads and writes go on. `repair`: mends what differs, and removes what is stale.
  virtual Expected<IndexCheck> VerifyIndex(std::string_view table, std::string_view index, bool repair = false,
                                           const IndexProgress& progress = nullptr) = 0;
};

}  // namespace klip
