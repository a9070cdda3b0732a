// StorageHooks: lets code above the store decide what flushes and compactions drop.
//
// RocksDB flushes and compacts on its own threads, which cannot call user code. So for an observed table they keep every
// cell and marker. Only a compaction on request drops cells, after the hooks have decided which.
#pragma once

#include <functional>
#include <span>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"
#include "model/family_policy.h"

namespace klip::engine {

class StorageHooks {
 public:
  virtual ~StorageHooks() = default;

  // Whether flushes and compactions of the table keep everything, until FamilyState::released_view equals the view's
  // number. Called when the table is opened or changed, with locks held: it must not call the store.
  virtual bool KeepsAll(const TableDescriptor& table) const = 0;
  // Wrap a requested flush or compaction. No locks are held: both may call anything. `run` does the work; a compaction
  // drops what `policy` says, and null keeps everything. If they do not call `run`, nothing happens.
  virtual Status AroundFlush(const TablePtr& table, std::span<const Family> families,
                             const std::function<Status()>& run) = 0;
  virtual Status AroundCompaction(const TablePtr& table, const Family& family, bool major,
                                  const std::function<Status(const model::FamilyPolicy* policy)>& run) = 0;
};

}  // namespace klip::engine
