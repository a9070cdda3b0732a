// Decodes the written cells from a record of RocksDB's log: the inverse of cell_key.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "engine/log/cluster_id.h"
#include "klip/cell.h"
#include "klip/status.h"

namespace klip::engine {

// The sequence numbers of a record (a write batch): its first one, and how many it has.
struct LogRecordHead {
  uint64_t sequence = 0;
  uint32_t count = 0;

  uint64_t last() const { return sequence + count - 1; }
};
// False: too short for a record.
bool ReadLogRecordHead(std::string_view record, LogRecordHead* head);

struct LoggedCell {
  uint32_t column_family = 0;            // RocksDB's number of it
  Cell cell;                             // without its family; valid during the call
  const ClusterIds* clusters = nullptr;  // the clusters that it was replicated through; empty: it was written here
};

// Calls `take` for each cell in the order of writing. Skips other changes (what TruncateRegion deletes, nonces). Errors:
// kCorruption; that of `take`, which ends the walk.
Status ForEachLoggedCell(std::string_view record, const std::function<Status(const LoggedCell&)>& take);

}  // namespace klip::engine
