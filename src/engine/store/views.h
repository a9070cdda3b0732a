// Views: the tables as they are now, for all who read and write.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

// What a column family of RocksDB is.
struct LoggedFamily {
  TablePtr table;
  const Family* family = nullptr;  // one of the table's
};

// Thread-safe. One view for each table of the catalog; both change by CatalogFile only.
class Views {
 public:
  // Errors: kTableNotFound. A disabled table is returned too (enabled == false).
  Expected<TablePtr> GetTable(std::string_view name) const;
  std::vector<TablePtr> All() const;  // by name
  std::vector<TableDescriptor> ListTables(
      std::string_view name_space = {}) const;  // all, or those of a namespace; by name
  // All families and indexes, by RocksDB's number of their column family.
  std::map<uint32_t, LoggedFamily> LoggedFamilies() const;

  // Grows with each change of any table. While it stays the same, so do all views.
  uint64_t Version() const { return version_.load(std::memory_order_acquire); }

  // Who keeps views learns of each table that has another one now, or none, so as to let go: what a view's families
  // hold, in memory and on disk, is given back only when nobody has it any more. Called by the thread that made the
  // change, before the change returns; it may read from the store, and changes no table. After Unwatch it is not
  // called.
  using TableWatch = std::function<void(const std::string& table)>;
  uint64_t WatchTables(TableWatch watch);
  void Unwatch(uint64_t watch);

  // For CatalogFile, which calls them one at a time.
  void Publish(TablePtr view);
  void Unpublish(const std::string& table);

 private:
  void TellWatches(const std::string& table);

  mutable std::shared_mutex mutex_;
  std::map<std::string, TablePtr, std::less<>> tables_;  // guarded by mutex_
  std::atomic<uint64_t> version_{1};                     // changed under mutex_
  std::mutex watch_mutex_;                               // held while they are called
  std::map<uint64_t, TableWatch> watches_;               // guarded by watch_mutex_
  uint64_t last_watch_ = 0;                              // guarded by watch_mutex_
};

}  // namespace klip::engine
