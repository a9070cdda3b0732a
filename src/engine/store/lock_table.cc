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

// A holder of a row that waits for another one is let through after as long.
constexpr std::chrono::seconds kAllRowsTurn{1};

void SortAndRemoveDuplicates(std::vector<RowLockId>* ids) {
  if (ids->size() > 1) {
    std::sort(ids->begin(), ids->end());
    ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  }
}

}  // namespace

void LockTable::Stripe::UseList() {
  RowLockId now = only_.load(std::memory_order_relaxed);
  while (now != kListed &&
         !only_.compare_exchange_weak(now, kListed, std::memory_order_acq_rel, std::memory_order_relaxed)) {
  }
  if (now != kListed && now != kFree) {
    locked_.push_back(now);
  }
}

void LockTable::Stripe::LeaveList() {
  if (locked_.empty() && waiters_.empty()) {
    only_.store(kFree, std::memory_order_release);
  }
}

bool LockTable::Stripe::IsLocked(RowLockId id) const {
  return std::ranges::any_of(locked_, [id](RowLockId locked) { return locked == id || locked == kAll; });
}

bool LockTable::Stripe::Await(Waiter* waiter, const std::chrono::steady_clock::time_point* until,
                              const std::function<bool()>& done) {
  std::unique_lock lock(mutex_, std::adopt_lock);
  waiters_.push_back(waiter);
  bool in_time = true;
  if (until == nullptr) {
    waiter->wake.wait(lock, done);
  } else {
    in_time = waiter->wake.wait_until(lock, *until, done);
  }
  std::erase(waiters_, waiter);
  lock.release();
  return in_time;
}

bool LockTable::Stripe::LockListed(RowLockId id, const std::chrono::steady_clock::time_point* until) {
  const std::lock_guard lock(mutex_);
  UseList();
  bool free = !IsLocked(id);
  if (!free) {
    Waiter waiter = {.id = id, .wake = {}};
    free = Await(&waiter, until, [&] { return !IsLocked(id); });
  }
  if (free) {
    locked_.push_back(id);
  } else {
    LeaveList();
  }
  return free;
}

bool LockTable::Stripe::TryLockListed(RowLockId id) {
  const std::lock_guard lock(mutex_);
  UseList();
  const bool free = !IsLocked(id);
  if (free) {
    locked_.push_back(id);
  }
  return free;  // if not, the list is not empty
}

// Wakes one of the threads that wait for the row, and those that wait for all rows.
void LockTable::Stripe::WakeAfter(RowLockId released) {
  bool woken = false;
  for (Waiter* const waiter : waiters_) {
    if (waiter->id == kAll || released == kAll || (waiter->id == released && !woken)) {
      woken = woken || waiter->id == released;
      waiter->wake.notify_one();
    }
  }
}

void LockTable::Stripe::UnlockListed(RowLockId id) {
  const std::lock_guard lock(mutex_);
  locked_.erase(std::ranges::find(locked_, id));
  WakeAfter(id);
  LeaveList();
}

bool LockTable::Stripe::LockAll(std::chrono::steady_clock::time_point until) {
  const std::lock_guard lock(mutex_);
  UseList();
  Waiter waiter = {.id = kAll, .wake = {}};
  if (!Await(&waiter, &until, [&] { return !IsLocked(kAll); })) {
    LeaveList();
    return false;
  }
  locked_.push_back(kAll);  // so that no row is locked from now on
  if (Await(&waiter, &until, [&] { return locked_.size() == 1; })) {
    return true;
  }
  std::erase(locked_, kAll);
  WakeAfter(kAll);
  LeaveList();
  return false;
}

void LockTable::Stripe::AwaitRelease(std::chrono::steady_clock::time_point until) {
  const std::lock_guard lock(mutex_);
  UseList();
  const size_t locked = locked_.size();
  Waiter waiter = {.id = kAll, .wake = {}};
  (void)Await(&waiter, &until, [&] { return locked_.size() < locked || locked == 0; });
  LeaveList();
}

bool LockTable::LockAllRows() {
  const auto until = std::chrono::steady_clock::now() + kAllRowsTurn;
  for (Stripe* stripe = stripes_.begin(); stripe != stripes_.end(); ++stripe) {
    if (!stripe->LockAll(until)) {
      std::for_each(stripes_.begin(), stripe, [](Stripe& locked) { locked.UnlockAll(); });
      stripe->AwaitRelease(std::chrono::steady_clock::now() + kAllRowsTurn);
      return false;
    }
  }
  return true;
}

void LockTable::WithAllRows(const std::function<void()>& run) {
  while (!LockAllRows()) {
  }
  run();
  std::ranges::for_each(stripes_, [](Stripe& locked) { locked.UnlockAll(); });
}

RowLocks LockTable::LockRows(std::vector<RowLockId> ids) {
  SortAndRemoveDuplicates(&ids);
  for (const RowLockId id : ids) {
    (void)StripeOf(id).Lock(id, nullptr);
  }
  RowLocks locks;
  locks.table_ = this;
  locks.ids_ = std::move(ids);
  return locks;
}

RowLockId LockTable::LockRowsWithin(std::chrono::milliseconds wait, std::vector<RowLockId> ids, RowLocks* locks) {
  SortAndRemoveDuplicates(&ids);
  locks->table_ = this;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (Stripe& stripe = StripeOf(ids[i]); !stripe.TryLock(ids[i])) {
      const auto until = std::chrono::steady_clock::now() + wait;
      if (!stripe.Lock(ids[i], &until)) {
        const RowLockId stayed = ids[i];
        ids.resize(i);
        locks->ids_ = std::move(ids);
        locks->Release();
        return stayed;
      }
    }
  }
  locks->ids_ = std::move(ids);
  return 0;
}

bool LockTable::TryLockRows(std::vector<RowLockId> ids, RowLocks* locks) {
  SortAndRemoveDuplicates(&ids);
  std::erase_if(ids, [&](RowLockId id) { return locks->Holds(id); });
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!StripeOf(ids[i]).TryLock(ids[i])) {
      while (i > 0) {
        --i;
        StripeOf(ids[i]).Unlock(ids[i]);
      }
      return false;
    }
  }
  locks->table_ = this;
  locks->ids_.insert(locks->ids_.end(), ids.begin(), ids.end());
  std::sort(locks->ids_.begin(), locks->ids_.end());
  return true;
}

void RowLocks::Release() {
  for (const RowLockId id : ids_) {
    table_->StripeOf(id).Unlock(id);
  }
  ids_.clear();
}

RowTime& RowLocks::TimeOf(RowLockId id) const { return table_->StripeOf(id).time(); }

}  // namespace klip::engine
