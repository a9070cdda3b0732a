// StorageHooks: code above the store that has a say in what flushes and compactions drop.
//
// RocksDB flushes and compacts on its own threads, which can ask nobody. So of a table that somebody observes they keep every cell and
// every marker; something is dropped only by a compaction that was asked for, after the hooks have said what.
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

  // Whether flushes and compactions of the table keep all, until FamilyState::released_view is the view's number. Asked when the
  // table is opened or changed, with locks held: it calls nothing.
  virtual bool KeepsAll(const TableDescriptor& table) const = 0;
  // Around a flush or a compaction that was asked for. No locks are held: both may call anything. `run` does it; a compaction
  // drops what `policy` says, and null keeps all. Without a call of `run` nothing happens.
  virtual Status AroundFlush(const TablePtr& table, std::span<const Family> families,
                             const std::function<Status()>& run) = 0;
  virtual Status AroundCompaction(const TablePtr& table, const Family& family, bool major,
                                  const std::function<Status(const model::FamilyPolicy* policy)>& run) = 0;
};

}  // namespace klip::engine
