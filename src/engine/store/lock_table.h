// The locks of writers: one reader-writer lock per table, and stripes of mutexes for rows.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "engine/store/table_lock.h"

namespace klip::engine {

// Thread-safe.
class LockTable {
 public:
  // Lives as long as the LockTable, also when the table is dropped.
  TableLock& ForTable(std::string_view table);

  // Rows that share a stripe wait for each other. Stripes are taken in ascending order, each once: no deadlock.
  std::vector<std::unique_lock<std::mutex>> LockRows(std::span<const RowName> rows);

 private:
  // TUNING: enough that two of a few dozen threads rarely meet by chance; 40 KB.
  static constexpr size_t kStripes = 1024;

  std::array<std::mutex, kStripes> rows_;
  std::shared_mutex mutex_;  // guards the map, not the locks in it
  std::map<std::string, std::unique_ptr<TableLock>, std::less<>> tables_;
};

}  // namespace klip::engine
