// Shared by building and verifying an index: walks all rows of a table, or all entries of an index, in groups. The rows
// of a group are locked against writes while it is processed; other rows can be written.
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/row_locks.h"
#include "engine/store/table_lock.h"
#include "klip/index.h"
#include "klip/status.h"
#include "table/info/shared.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

// TUNING: a group holds one in 64 row locks, for some 60 us. With 256 rows, builds of a quiet table are a sixth faster, but one writer in
// five waits for 1 ms.
inline constexpr size_t kIndexGroupRows = 16;

// An index while its table and some rows are locked.
struct LockedIndex {
  std::shared_lock<engine::TableLock> lock;
  engine::RowLocks rows;
  InfoPtr info;
  const TableIndex* index = nullptr;
};

class IndexWalk {
 public:
  // `shared` outlives it. `progress`: may be null. `rebuilt`: the one that is built beside a complete one.
  IndexWalk(Shared* shared, SlotPtr slot, std::string index, IndexProgress progress, bool rebuilt = false)
      : shared_(shared),
        slot_(std::move(slot)),
        name_(std::move(index)),
        rebuilt_(rebuilt),
        progress_(std::move(progress)) {}

  // The index at this moment. Errors: kInvalidArgument: no such index (any more); kTableNotFound.
  Expected<LockedIndex> Find() const;
  // Locks the table and these rows. Errors: also kTableNotEnabled.
  Expected<LockedIndex> Lock(std::vector<engine::RowLockId> ids) const;

  // Calls `take` with the keys of the next rows of the table after `after`: all that have any cell, visible or not.
  // Errors: kCancelled, those of reading, and of `take`.
  using Take = std::function<Status(const std::vector<std::string>& rows)>;
  Status ForEachGroup(std::string after, const Take& take) const;
  // The same with the keys of entries, right or wrong.
  Status ForEachEntryGroup(const Take& take) const;

  std::vector<engine::RowLockId> LocksOf(const std::vector<std::string>& rows) const;
  RowSource source() const { return {shared_->store.get(), shared_->settings.limits}; }
  Shared* shared() const { return shared_; }
  const IndexProgress& progress() const { return progress_; }

 private:
  Shared* const shared_;
  const SlotPtr slot_;
  const std::string name_;
  const bool rebuilt_;
  const IndexProgress progress_;
};

}  // namespace klip::table
