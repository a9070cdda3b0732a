// Converts mutations to cells. The caller has checked the mutation (checks.h), holds the locks of its table and row, and
// writes the set when it contains all changes of the operation.
//
// As in HBase, all reads see the state before the operation: an increment does not see a put of the same operation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/coprocessor.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "table/info/checks.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

// Shows the new cells of an increment or append to hooks, which may replace them.
using OnComputed = std::function<Status(std::vector<ComputedCell>* cells)>;

struct WriteStep {
  const RowSource& source;
  const TableInfo& info;
  const Limits& limits;
  int64_t now_ms = 0;        // for changes without a timestamp, by the row clock
  int64_t put_ms = 0;        // for puts without one: the same, or later if a condition saw a later cell
  bool own_version = false;  // see Change
  bool repeated = false;     // increments and appends were executed before: they only return the current cells
  const OnComputed* computed = nullptr;  // null: no hooks
  engine::WriteSet* writes = nullptr;
  Result* result =
      nullptr;            // receives the new cells of increments and appends, unless they ask for none; null: dropped
  int64_t newest_ms = 0;  // out: the newest timestamp of those cells
};

Status AddCells(WriteStep* step, const Put& put);
Status AddCells(WriteStep* step, const Delete& del);
// Errors: kDoNotRetry for a value that is not 8 bytes long; those of reading.
Status AddCells(WriteStep* step, const Increment& increment);
Status AddCells(WriteStep* step, const Append& append);
Status AddAsTheyAre(WriteStep* step, std::span<const Cell> cells);

// Whether AddCells has to read the row to find the newest versions.
bool DeletesNewestVersion(const Delete& del);

// The stored tags of a cell with its own TTL; empty for 0.
std::string TagsFor(int64_t ttl_ms, std::string_view own_tags = {});

// A WriteSet that reuses the buffers of the thread's last one.
class ScratchWrites {
 public:
  ScratchWrites();
  ~ScratchWrites();
  ScratchWrites(const ScratchWrites&) = delete;
  ScratchWrites& operator=(const ScratchWrites&) = delete;

  engine::WriteSet* get() { return writes_.get(); }
  engine::WriteSet* operator->() { return writes_.get(); }

 private:
  std::unique_ptr<engine::WriteSet> writes_;
};

}  // namespace klip::table
