// Views: the current tables, for all readers and writers.
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

// The owner of a RocksDB column family.
struct LoggedFamily {
  TablePtr table;
  const Family* family = nullptr;  // one of the table's
};

// Thread-safe. One view for each table of the catalog; only CatalogFile changes either.
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

  // Tells holders of views when a table's view is replaced or removed, so that they release the old one: the memory and
  // disk space of its families is freed when nobody holds the view any more. Called by the thread of the change, before
  // the change returns; it may read from the store, but change no table. Not called after Unwatch.
  using TableWatch = std::function<void(const std::string& table)>;
  uint64_t WatchTables(TableWatch watch);
  void Unwatch(uint64_t watch);

  // For CatalogFile, which calls these one at a time.
  void Publish(TablePtr view);
  void Unpublish(const std::string& table);

 private:
  void TellWatches(const std::string& table);

  mutable std::shared_mutex mutex_;
  std::map<std::string, TablePtr, std::less<>> tables_;  // guarded by mutex_
  std::atomic<uint64_t> version_{1};                     // changed under mutex_
  std::mutex watch_mutex_;                               // held during the calls
  std::map<uint64_t, TableWatch> watches_;               // guarded by watch_mutex_
  uint64_t last_watch_ = 0;                              // guarded by watch_mutex_
};

}  // namespace klip::engine
