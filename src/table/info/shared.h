// Shared: the state shared by the tables, scanners and operations of one embedded connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/store/store.h"
#include "klip/caller.h"
#include "klip/query_log.h"
#include "table/info/attached.h"
#include "table/info/checks.h"
#include "table/info/commit_log.h"
#include "table/info/conflicts.h"
#include "table/info/hooks.h"
#include "table/info/table_heat.h"
#include "table/info/table_info.h"
#include "table/info/thread_pool.h"

namespace klip::table {

class AdminHooks;
class PrependQueue;

struct SlowOperations {
  int64_t least_us = 0;
  SlowOperationLog log;  // null: none
};

struct Settings {
  Limits limits;
  bool row_clock = true;         // see write/row_clock.h; false if a program supplies its own clock
  HookSource hooks = nullptr;    // null: tables have none
  bool refuse_unhosted = false;  // see unhosted.h
  AdminHooks* admin_hooks = nullptr;
  std::shared_ptr<Attached> attached = std::make_shared<Attached>();
  SlowOperations slow = {};
  QueryLog query_log = nullptr;
  std::shared_ptr<HeatMaps> heat = std::make_shared<HeatMaps>();
};

// Lives as long as the connection.
struct Shared {
  Shared(std::unique_ptr<engine::Store> open_store, Settings with);
  ~Shared();

  // The slot of the table with this name in the catalog.
  SlotPtr SlotOf(const std::string& name);
  // The same for a name from a client, which may be that of an index as a table. Errors: kTableNotFound.
  Expected<SlotPtr> FindSlot(std::string_view table);
  // An error if the name is that of an index as a table, which nothing but its table can change.
  Status CheckChangeable(std::string_view table);
  std::shared_ptr<PrependQueue> PrependsOf(const std::string& name);

  std::unique_ptr<engine::Store> store;
  const Settings settings;
  Conflicts conflicts;
  CommitLog commits;
  ThreadPool pool;  // for parallel scans; must be idle before the store is closed

 private:
  void Renew(const std::string& name);  // replaces the slots of a table that has changed, and of its indexes
  // Null: no such table or index.
  SlotPtr FindShown(std::string_view table, const std::string& index);

  uint64_t watch_ = 0;
  std::mutex mutex_;
  std::map<std::string, SlotPtr, std::less<>> slots_;                           // guarded by mutex_
  std::map<std::string, std::shared_ptr<PrependQueue>, std::less<>> prepends_;  // guarded by mutex_
};

// Times an operation, from its construction to Finish, and logs it if it was slow. Without a log, it costs one test.
// Operations from RPC are left to the server's log of slow calls, which has more details.
class OperationTimer {
 public:
  explicit OperationTimer(const SlowOperations& slow);
  void Finish(std::string_view kind, std::string_view table, int64_t rows) {
    if (start_us_ != 0) [[unlikely]] {
      Tell(kind, table, rows);
    }
  }

 private:
  void Tell(std::string_view kind, std::string_view table, int64_t rows) const;

  const SlowOperations& slow_;
  int64_t start_us_ = 0;  // 0: not timed
};

}  // namespace klip::table
