#include "engine/rocks/resumer.h"

#include <atomic>
#include <string>

#include "rocksdb/listener.h"
#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "engine/rocks/fault_file_system_test.h"

namespace klip::engine {
namespace {

// As in the store: RocksDB does not resume automatically.
class StaysStopped final : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }
};

// While it exists, no flush starts.
class HeldFlushes {
 public:
  HeldFlushes() : threads_(rocksdb::Env::Default()->GetBackgroundThreads(rocksdb::Env::HIGH)) {
    for (int i = 0; i < threads_; ++i) {
      rocksdb::Env::Default()->Schedule(&Hold, this, rocksdb::Env::HIGH);
    }
    Await(threads_);
  }
  ~HeldFlushes() {
    free_ = true;
    Await(0);
  }

 private:
  static void Hold(void* self) {
    auto* const held = static_cast<HeldFlushes*>(self);
    ++held->holding_;
    while (!held->free_) {
      std::this_thread::yield();
    }
    --held->holding_;
  }
  void Await(int holding) const {
    while (holding_ != holding) {
      std::this_thread::yield();
    }
  }

  const int threads_;
  std::atomic<int> holding_{0};
  std::atomic<bool> free_{false};
};

class ResumerTest : public testing::Test {
 protected:
  ResumerTest() {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.env = env_.get();
    options.listeners = {std::make_shared<StaysStopped>()};
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, directory_.Sub("db"), &opened).ok());
    db_.reset(opened);
    EXPECT_TRUE(db_->Put({}, "r1", "v").ok());
  }
  void FailAWrite() {
    faults_.disk_full = true;
    EXPECT_FALSE(db_->Put({}, "r2", "v").ok());
    faults_.disk_full = false;
    EXPECT_FALSE(db_->Put({}, "r3", "v").ok()) << "the database has not stopped";
  }
  uint64_t Property(const std::string& name) const {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value));
    return value;
  }

  TempDirectory directory_;
  Faults faults_;
  const std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(std::make_shared<FaultFileSystem>(&faults_));
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(ResumerTest, Resumes) {
  Resumer resumer(&db_);
  for (int i = 0; i < 2; ++i) {
    FailAWrite();
    EXPECT_TRUE(resumer.Resume().ok());
    EXPECT_TRUE(db_->Put({}, "r4", "v").ok());
  }
}

TEST_F(ResumerTest, TellsOfALostFlush) {
  {
    const HeldFlushes held;
    rocksdb::FlushOptions how;
    how.wait = false;
    ASSERT_TRUE(db_->Flush(how).ok());
    FailAWrite();
  }
  while (Property(rocksdb::DB::Properties::kBackgroundErrors) == 0) {  // the flush has given up before it began
    std::this_thread::yield();
  }
  Resumer resumer(&db_, std::chrono::milliseconds(1500));  // RocksDB waits a second after an error
  EXPECT_TRUE(resumer.Resume().IsTimedOut());
  std::string value;
  EXPECT_TRUE(db_->Get({}, "r1", &value).ok());
}

}  // namespace
}  // namespace klip::engine
