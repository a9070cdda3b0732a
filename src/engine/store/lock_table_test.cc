// Locks of tables: changes come to their turn, however many write.
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
  bool waits = false;  // the change: no writer gets in any more
  for (const auto end = steady_clock::now() + kDeadline; !waits && steady_clock::now() < end;) {
    const std::shared_lock later(lock, std::try_to_lock);
    waits = !later.owns_lock();
  }
  EXPECT_TRUE(waits);
  writer.unlock();
  EXPECT_EQ(change.wait_for(kDeadline), std::future_status::ready);
  EXPECT_TRUE(std::shared_lock(lock, std::try_to_lock).owns_lock());
}

// Each writer holds on until the next one has come, or cannot come.
class Relay {
 public:
  void Run(Store* store) {
    while (!over_) {
      const auto writing = store->LockForWrite("t");
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
    KLIP_RETURN_IF_ERROR(store_->Snapshot("s", "t"));
    KLIP_RETURN_IF_ERROR(store_->ModifyTable(Descriptor("t", {"f", "g"})));
    KLIP_RETURN_IF_ERROR(store_->SetEnabled("t", false));
    KLIP_RETURN_IF_ERROR(store_->RestoreSnapshot("s"));
    return store_->SetEnabled("t", true);
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
