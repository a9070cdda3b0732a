// Rows that a session has changed and not written yet, and tables as they will be once these are written.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "klip/mutation.h"
#include "klip/table.h"

namespace klip::sql {

// One row's change: its deletion, then cells to put and columns to delete because they became NULL; at least one of these.
struct RowChange {
  klip::Put put;
  klip::Delete nulls;  // for the same row; without markers: none
  bool delete_row = false;

  bool has_cells() const { return !put.columns.empty() || !nulls.markers.empty(); }
};

// Makes *before what both changes do, one after the other.
void Follow(RowChange change, RowChange* before);

// By row keys.
using WaitingRows = std::map<std::string, RowChange>;
// By names of tables in HBase.
using WaitingTables = std::map<std::string, WaitingRows>;

// The table as it will be with these rows, for reads that SQL makes; what a filter would leave out may be in a result. Writes are those of
// the table. `rows` outlives it, and does not change while a scan is open. Errors of a scan in the order of an index: kUnsupported.
std::unique_ptr<Table> TableWith(std::unique_ptr<Table> table, const WaitingRows* rows);

}  // namespace klip::sql
