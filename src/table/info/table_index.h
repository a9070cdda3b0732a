// The indexes of a table as of one moment: their declarations, and where their entries are.
//
// An entry is a row of the index's column family, written in the commit of the table's row and removed without a marker:
//
//   row    key bytes of the fields, then the row of the table (rowkey/index_definition.h)
//   ""     at time 0: the state, kCertain or kCheck. Its TTL ends when the table's cells do
//   f:q    for each covered column that the row has: value and timestamp as they are; only in certain entries
//
// A certain entry says what a Get of the row would show. One to check may say what only time or a compaction would make true
// (model/shown_versions.h): whoever reads it reads the row as well. The row "" holds how far the index is built.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/status.h"
#include "rowkey/index_definition.h"

namespace klip::table {

struct TableInfo;

inline constexpr std::string_view kCertain = "\x01";
inline constexpr std::string_view kCheck = "\x02";
inline constexpr const char* kEntryFamily = ":";  // of the index as a table

struct TableIndex {
  rowkey::IndexDefinition definition;
  bool building = false;
  const engine::Family* family = nullptr;    // of the table's view
  std::shared_ptr<const TableInfo> entries;  // the index as a table of its own

  const std::string& name() const { return definition.descriptor.name; }
};

// The columns of a family that some index reads.
using IndexedFamily = engine::FamilyColumns;

// Belongs to a TableInfo, and points into its view.
struct TableIndexes {
  std::vector<TableIndex> all;  // by name
  std::vector<IndexedFamily> families;

  const TableIndex* Find(std::string_view name) const;
};

// Null: the table has none. Errors: kInvalidArgument, a declaration that this build does not read.
Expected<std::shared_ptr<const TableIndexes>> MakeTableIndexes(const engine::TablePtr& view);

}  // namespace klip::table
