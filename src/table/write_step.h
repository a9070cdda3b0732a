// Turning mutations into cells. The caller has checked the mutation (checks.h), holds the table's write lock and the row's
// lock, and writes the set when all of its mutations are in it.
//
// As in HBase everything is read as it was before the step: an increment does not see a put of the same step.
#pragma once

#include <memory>

#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "table/checks.h"
#include "table/table_info.h"

namespace klip::table {

struct WriteStep {
  const engine::Store& store;
  const TableInfo& info;
  const Limits& limits;
  int64_t now_ms = 0;
  int64_t put_ms = 0;  // of puts without a timestamp: now, or later when a condition saw a later cell
  engine::WriteSet* writes = nullptr;
};

void AddPut(const WriteStep& step, const Put& put);

// True: AddDelete has to read the row, to find the newest versions.
bool ReadsRow(const Delete& del);
Status AddDelete(const WriteStep& step, const Delete& del);

// The new cells are appended to *result, sorted, unless return_results is off.
// Errors: kDoNotRetry for a value that is not 8 bytes wide; those of reading.
Status AddIncrement(const WriteStep& step, const Increment& increment, Result* result);
Status AddAppend(const WriteStep& step, const Append& append, Result* result);

Status AddMutation(const WriteStep& step, const Mutation& mutation, Result* result);

// The stored tags of a cell with its own TTL; empty for 0.
std::string TagsFor(int64_t ttl_ms, std::string_view own_tags = {});

// A WriteSet whose buffers were used before by this thread.
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
