// Shared: what the tables, scanners and operations of one embedded connection have in common.
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
  bool row_clock = true;         // see write/row_clock.h; false where a program has brought a clock of its own
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

  // The slot of the table as it is called in the catalog.
  SlotPtr SlotOf(const std::string& name);
  // The same of a name as a client gives it. Errors: kTableNotFound.
  Expected<SlotPtr> FindSlot(std::string_view table);
  std::shared_ptr<PrependQueue> PrependsOf(const std::string& name);

  std::unique_ptr<engine::Store> store;
  const Settings settings;
  Conflicts conflicts;
  CommitLog commits;
  ThreadPool pool;  // of parallel scans; before the store is closed it must be idle

 private:
  void Renew(const std::string& name);  // the slot of a table that is not as it was

  uint64_t watch_ = 0;
  std::mutex mutex_;
  std::map<std::string, SlotPtr, std::less<>> slots_;                           // guarded by mutex_
  std::map<std::string, std::shared_ptr<PrependQueue>, std::less<>> prepends_;  // guarded by mutex_
};

// Times an operation, from its construction to Finish, and tells of it if it was slow. Costs one test where there is no log.
// Operations that came by RPC are left to the server's log of slow calls, which knows more about them.
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
  int64_t start_us_ = 0;  // 0: nobody wants to know
};

}  // namespace klip::table
