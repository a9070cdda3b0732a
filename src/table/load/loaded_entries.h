// LoadedEntries: the index entries of files that are loaded into a table. The entries become files as well, visible in
// the same step as the rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/store/file_loads.h"
#include "klip/status.h"
#include "table/info/shared.h"
#include "table/write/index_update.h"

namespace klip::table {

class LoadedEntries {
 public:
  // All outlive it. REQUIRES: the table has indexes, and is locked exclusively until the files are loaded.
  LoadedEntries(const Shared* shared, const TableInfo* table, engine::FileLoader* files)
      : shared_(shared), table_(table), files_(files) {}

  // Call it once. Reads the loaded rows back, and their stored cells. With a unique index it keeps all entries in memory.
  // Errors: those of IndexUpdate, of reading and writing files.
  Status Run();

 private:
  void StartGroup();
  Status EndGroup();
  Status EndFile();

  const Shared* const shared_;
  const TableInfo* const table_;
  engine::FileLoader* const files_;
  std::optional<IndexUpdate> group_;
  size_t group_rows_ = 0;
  engine::WriteSet writes_;
};

}  // namespace klip::table
