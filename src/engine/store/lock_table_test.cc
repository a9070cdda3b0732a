// Locks of tables: a change gets its turn, however many threads write.
#include "engine/store/lock_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

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

TEST(LockTableTest, AWaitingChangeLetsSomeoneInForWhomAWriterWaits) {
  LockTable locks;
  auto& lock = locks.ForTable("t");
  std::shared_lock writer(lock);
  std::future<void> change = std::async(std::launch::async, [&] { const std::unique_lock alone(lock); });
  while (std::shared_lock(lock, std::try_to_lock).owns_lock()) {
  }
  std::async(std::launch::async, [&] { const std::shared_lock for_the_writer(lock); }).get();
  writer.unlock();
  EXPECT_EQ(change.wait_for(kDeadline), std::future_status::ready);
}

bool AnotherThreadGets(LockTable* locks, RowLockId id) {
  return std::async(std::launch::async,
                    [&] {
                      RowLocks own;
                      return locks->TryLockRows({id}, &own);
                    })
      .get();
}

// Identities of rows: `number` of the stripe with the highest bits `stripe`.
RowLockId IdOf(uint64_t stripe, uint64_t number) { return (stripe << 54U) + number; }

TEST(LockTableTest, EveryRowOfAnOperationIsLockedAndIsReleasedAfterIt) {
  LockTable locks;
  std::vector<RowLockId> rows;
  std::vector<RowLockId> others;  // of the same stripes
  for (uint64_t stripe = 0; stripe < 1024; stripe += 7) {
    for (uint64_t number = 3; number < 6; ++number) {
      rows.push_back(IdOf(stripe, number));
      others.push_back(IdOf(stripe, number + 3));
    }
  }
  {
    const RowLocks held = locks.LockRows(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_TRUE(held.Holds(rows[i]));
      EXPECT_FALSE(held.Holds(others[i]));
      EXPECT_FALSE(AnotherThreadGets(&locks, rows[i])) << i;
      EXPECT_TRUE(AnotherThreadGets(&locks, others[i])) << i;
    }
  }
  for (const RowLockId row : rows) {
    EXPECT_TRUE(AnotherThreadGets(&locks, row)) << row;
  }
}

TEST(LockTableTest, RowsJoinWithoutWaitingOrNotAtAll) {
  LockTable locks;
  RowLocks held = locks.LockRows({5, 9});
  EXPECT_TRUE(locks.TryLockRows({9, 7, 5, 7}, &held));
  EXPECT_EQ(held.size(), 3U);
  std::async(std::launch::async, [&] {
    RowLocks other = locks.LockRows({11});
    EXPECT_FALSE(locks.TryLockRows({4, 6, 7}, &other));
    EXPECT_EQ(other.size(), 1U);
  }).get();
  EXPECT_TRUE(AnotherThreadGets(&locks, 4));  // the failed attempt left nothing locked
  EXPECT_TRUE(AnotherThreadGets(&locks, 6));
}

TEST(LockTableTest, OneRowStaysLockedForTooLongSoNoneIsLocked) {
  LockTable locks;
  const RowLocks held = locks.LockRows({IdOf(7, 3)});
  std::async(std::launch::async, [&] {
    RowLocks own;
    const std::chrono::milliseconds wait(1);
    EXPECT_EQ(locks.LockRowsWithin(wait, {IdOf(7, 3), IdOf(7, 2), IdOf(6, 3), IdOf(8, 3)}, &own), IdOf(7, 3));
    EXPECT_EQ(own.size(), 0U);
    EXPECT_EQ(locks.LockRowsWithin(wait, {IdOf(7, 4), IdOf(6, 3)}, &own), 0U);
    EXPECT_EQ(own.size(), 2U);
  }).get();
  for (const RowLockId free : {IdOf(6, 3), IdOf(7, 2), IdOf(7, 4), IdOf(8, 3)}) {
    EXPECT_TRUE(AnotherThreadGets(&locks, free));
  }
}

// The rows of one stripe and of several ones; each thread locks some of them in its own order.
TEST(LockTableTest, OneThreadAtATimeHasARow) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 3000;
  LockTable locks;
  std::array<int64_t, 12> counts = {};  // guarded by the rows' locks
  std::atomic<int64_t> expected = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      uint64_t random = 88172645463325252U + static_cast<uint64_t>(thread);
      for (int round = 0; round < kRounds; ++round) {
        std::vector<RowLockId> rows;
        for (int i = 0; i < 1 + (round % 3); ++i) {
          random ^= random << 13U;
          random ^= random >> 7U;
          random ^= random << 17U;
          const uint64_t row = random % counts.size();
          rows.push_back(IdOf(row / 4, 3 + (row % 4)));
        }
        RowLocks held;
        if (round % 5 == 0) {
          if (!locks.TryLockRows(rows, &held)) {
            continue;
          }
        } else {
          held = locks.LockRows(rows);
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        for (const RowLockId id : rows) {
          ++counts[((id >> 54U) * 4) + (id % 8) - 3];
        }
        expected += static_cast<int64_t>(rows.size());
        if (round % 100 == 0) {
          held.Release();
          locks.WithAllRows([&] { EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), expected); });
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), expected);
}

// A hook that holds a row waits for one that is locked already for a caller of WithAllRows.
TEST(LockTableTest, WhoWantsAllRowsLetsHoldersContinue) {
  LockTable locks;
  std::optional<RowLocks> held = locks.LockRows({IdOf(900, 3)});
  std::atomic<bool> ran = false;
  std::future<void> all = std::async(std::launch::async, [&] { locks.WithAllRows([&] { ran = true; }); });
  while (AnotherThreadGets(&locks, IdOf(1, 3))) {
  }
  RowLocks other;
  EXPECT_EQ(locks.LockRowsWithin(kDeadline, {IdOf(1, 3)}, &other), 0U);
  EXPECT_FALSE(ran);
  other.Release();
  held.reset();
  EXPECT_EQ(all.wait_for(kDeadline), std::future_status::ready);
  EXPECT_TRUE(ran);
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
