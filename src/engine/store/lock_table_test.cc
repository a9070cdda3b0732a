// Locks of tables: a change gets its turn, however many threads write.
#include "engine/store/lock_table.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <thread>

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kDeadline{30};

TEST(LockTableTest, WhoChangesATableComesBeforeLaterWriters) {
  LockTable locks;
  auto& lock = locks.ForTable("t");
  std::shared_lock writer(lock);
  std::future<void> change = std::async(std::launch::async, [&] { const std::unique_lock alone(lock); });
  bool waits = false;  // the change waits: no new writer gets in
  for (const auto end = steady_clock::now() + kDeadline; !waits && steady_clock::now() < end;) {
    const std::shared_lock later(lock, std::try_to_lock);
    waits = !later.owns_lock();
  }
  EXPECT_TRUE(waits);
  writer.unlock();
  EXPECT_EQ(change.wait_for(kDeadline), std::future_status::ready);
  EXPECT_TRUE(std::shared_lock(lock, std::try_to_lock).owns_lock());
}

bool AnotherThreadGets(LockTable* locks, RowStripe stripe) {
  return std::async(std::launch::async,
                    [&] {
                      RowLocks own;
                      return locks->TryLockRows({stripe}, &own);
                    })
      .get();
}

TEST(LockTableTest, EveryRowOfAnOperationIsLockedAndIsReleasedAfterIt) {
  LockTable locks;
  std::vector<RowStripe> stripes;
  for (RowStripe stripe = 0; stripe < kRowStripes; stripe += 3) {
    stripes.push_back(stripe);
  }
  {
    const RowLocks held = locks.LockRows(stripes);
    for (RowStripe stripe = 0; stripe < kRowStripes; ++stripe) {
      EXPECT_EQ(held.Holds(stripe), stripe % 3 == 0);
      EXPECT_EQ(AnotherThreadGets(&locks, stripe), stripe % 3 != 0) << stripe;
    }
  }
  for (const RowStripe stripe : stripes) {
    EXPECT_TRUE(AnotherThreadGets(&locks, stripe)) << stripe;
  }
}

TEST(LockTableTest, RowsJoinWithoutWaitingOrNotAtAll) {
  LockTable locks;
  RowLocks held = locks.LockRows({5, 9});
  EXPECT_TRUE(locks.TryLockRows({9, 7, 5, 7}, &held));
  EXPECT_EQ(held.size(), 3U);
  std::async(std::launch::async, [&] {
    RowLocks other = locks.LockRows({1});
    EXPECT_FALSE(locks.TryLockRows({2, 3, 7}, &other));
    EXPECT_EQ(other.size(), 1U);
  }).get();
  EXPECT_TRUE(AnotherThreadGets(&locks, 2));  // the failed attempt left nothing locked
  EXPECT_TRUE(AnotherThreadGets(&locks, 3));
}

// Each writer keeps its lock until the next one has arrived, or cannot arrive.
class Relay {
 public:
  void Run(Store* store) {
    while (!over_) {
      const auto writing = store->locks().LockForWrite("t");
      std::unique_lock lock(mutex_);
      const int64_t mine = ++arrived_;
      came_.notify_all();
      came_.wait_for(lock, std::chrono::milliseconds(50), [&] { return arrived_ > mine || over_; });
    }
  }
  bool Reaches(int64_t count) {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, kDeadline, [&] { return arrived_ >= count; });
  }
  void End() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    came_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  int64_t arrived_ = 0;  // guarded by mutex_
  std::atomic<bool> over_ = false;
};

TEST_F(StoreTest, TablesChangeUnderWritersThatNeverPause) {
  Open();
  Create("t", {"f"});
  Relay relay;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] { relay.Run(store_.get()); });
  }
  EXPECT_TRUE(relay.Reaches(100));
  std::future<Status> changes = std::async(std::launch::async, [&]() -> Status {
    KLIP_RETURN_IF_ERROR(store_->snapshots().Take("s", "t"));
    KLIP_RETURN_IF_ERROR(store_->catalog().ModifyTable(Descriptor("t", {"f", "g"})));
    KLIP_RETURN_IF_ERROR(store_->catalog().SetEnabled("t", false));
    KLIP_RETURN_IF_ERROR(store_->snapshots().Restore("s"));
    return store_->catalog().SetEnabled("t", true);
  });
  EXPECT_EQ(changes.wait_for(kDeadline), std::future_status::ready);
  relay.End();
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(changes.get().ToString(), "ok");
}

}  // namespace
}  // namespace klip::engine
