// What klip repair saves of a table file with damaged blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/log/manifest.h"
#include "klip/status.h"

namespace klip::engine {

// Some cells in between are lost, also of both rows.
struct LostRows {
  std::string from;  // the last row before the damage; empty: the damage is at the beginning
  std::string to;    // the first row behind it; empty: it is at the end
};

struct DamagedTable {
  std::string file;
  std::string family;  // "family 'd' of table 't'"; empty: no existing family
  int64_t kept_cells = 0;
  std::vector<LostRows> lost;  // empty: all cells are kept; only their filter or statistics are lost
  bool missing = false;        // there is no such file: `lost` has one element
};

// Reads what can be read, fills kept_cells and lost, and, unless `to` is empty, writes the cells to that file. Returns the table
// written, with number 0; nothing if no cell can be read. Errors: kIoError.
Expected<std::optional<WrittenTable>> SalvageTable(const std::string& to, DamagedTable* table);

}  // namespace klip::engine
