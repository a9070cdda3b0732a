// Tables that differ in everything that estimates depend on: types and number of fields, salts and hashes, how values are spread, sizes
// from no row on, files, memory, overwritten, deleted and expired rows, columns with and without an index; and queries with all kinds
// of conditions. Nothing of them was chosen by what the estimates are good at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/skew_tables.h"

namespace klip::ops {

struct MixedTable : SkewTable {
  enum class State : uint8_t {
    kFiles,         // each row in one of the files
    kMemory,        // nothing is flushed
    kPartlyMemory,  // the last third is not flushed
    kOverwritten,   // each row in every file
    kDeleted,       // nine of ten rows, by markers in the last file
    kExpired,       // three of four rows
    kErased,        // between the files, all rows of a tenth of the first field's values
  };
  State state = State::kFiles;
  size_t files = 1;
  bool in_turn = true;               // neighbours come in different files; else each file has the rows of a time
  size_t cells = 1;                  // per row
  bool indexed = false;              // d:c
  std::vector<int64_t> limits = {};  // of the queries; 0: none
  std::vector<bool> reversed = {};   // the queries' scans; empty: none is
};

// `most_rows`: of a table; a third have nearly as many.
std::vector<MixedTable> MakeMixedTables(size_t tables, size_t most_rows, uint64_t seed);

}  // namespace klip::ops
