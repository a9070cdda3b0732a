#include "engine/store/lock_table.h"

#include <algorithm>
#include <utility>

#include "engine/store/descriptor_checks.h"

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

std::shared_lock<TableLock> LockTable::LockForWrite(std::string_view table) {
  return std::shared_lock(ForTable(CanonicalTableName(table)));
}

std::shared_lock<TableLock> LockTable::TryLockForWrite(std::string_view table) {
  return {ForTable(CanonicalTableName(table)), std::try_to_lock};
}

namespace {

void SortAndRemoveDuplicates(std::vector<RowStripe>* stripes) {
  if (stripes->size() > 1) {
    std::sort(stripes->begin(), stripes->end());
    stripes->erase(std::unique(stripes->begin(), stripes->end()), stripes->end());
  }
}

}  // namespace

RowLocks LockTable::LockRows(std::vector<RowStripe> stripes) {
  SortAndRemoveDuplicates(&stripes);
  for (const RowStripe stripe : stripes) {
    rows_[stripe].mutex.lock();
  }
  RowLocks locks;
  locks.table_ = this;
  locks.stripes_ = std::move(stripes);
  return locks;
}

bool LockTable::TryLockRows(std::vector<RowStripe> stripes, RowLocks* locks) {
  SortAndRemoveDuplicates(&stripes);
  std::erase_if(stripes, [&](RowStripe stripe) { return locks->Holds(stripe); });
  for (size_t i = 0; i < stripes.size(); ++i) {
    if (!rows_[stripes[i]].mutex.try_lock()) {
      while (i > 0) {
        rows_[stripes[--i]].mutex.unlock();
      }
      return false;
    }
  }
  locks->table_ = this;
  locks->stripes_.insert(locks->stripes_.end(), stripes.begin(), stripes.end());
  std::sort(locks->stripes_.begin(), locks->stripes_.end());
  return true;
}

void RowLocks::Release() {
  for (const RowStripe stripe : stripes_) {
    table_->rows_[stripe].mutex.unlock();
  }
  stripes_.clear();
}

RowTime& RowLocks::TimeOf(RowStripe stripe) const { return table_->rows_[stripe].time; }

}  // namespace klip::engine
