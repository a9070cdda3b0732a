#include "engine/store/lock_table.h"

#include <algorithm>

namespace klip::engine {

TableLock& LockTable::ForTable(std::string_view table) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = tables_.find(table); found != tables_.end()) {
      return *found->second;
    }
  }
  const std::unique_lock lock(mutex_);
  std::unique_ptr<TableLock>& slot = tables_[std::string(table)];
  if (slot == nullptr) {
    slot = std::make_unique<TableLock>();
  }
  return *slot;
}

std::vector<std::unique_lock<std::mutex>> LockTable::LockRows(std::span<const RowName> rows) {
  std::vector<std::unique_lock<std::mutex>> held;
  if (rows.size() == 1) {  // nearly always
    held.emplace_back(
        rows_[(std::hash<std::string_view>()(rows[0].row) ^ (std::hash<std::string_view>()(rows[0].table) * 31)) %
              kStripes]);
    return held;
  }
  std::vector<size_t> stripes;
  stripes.reserve(rows.size());
  for (const RowName& name : rows) {
    stripes.push_back((std::hash<std::string_view>()(name.row) ^ (std::hash<std::string_view>()(name.table) * 31)) %
                      kStripes);
  }
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  held.reserve(stripes.size());
  for (const size_t stripe : stripes) {
    held.emplace_back(rows_[stripe]);
  }
  return held;
}

}  // namespace klip::engine
