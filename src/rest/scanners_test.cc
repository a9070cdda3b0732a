#include "rest/scanners.h"

#include <atomic>
#include <chrono>
#include <future>
#include <string>

#include <gtest/gtest.h>

namespace klip::rest {
namespace {

// Tells when it is gone.
class Rows : public ResultScanner {
 public:
  explicit Rows(std::promise<void>* gone) : gone_(gone) {}
  ~Rows() override { gone_->set_value(); }
  Expected<bool> Next(Result*) override { return false; }
  ScanStatistics statistics() const override { return {}; }
  klip::Explain explain() const override { return {}; }

 private:
  std::promise<void>* const gone_;
};

std::shared_ptr<OpenScanner> Open(std::promise<void>* gone) {
  auto open = std::make_shared<OpenScanner>();
  open->rows = std::make_unique<Rows>(gone);
  return open;
}

TEST(ScannersTest, DropsThoseThatNobodyReads) {
  std::atomic<int64_t> now_ms = 5;
  std::promise<void> gone[3];
  Scanners scanners(kScannerIdleMs, [&] { return now_ms.load(); });
  const std::string forgotten = *scanners.Add(Open(&gone[0]));
  const std::string read = *scanners.Add(Open(&gone[1]));
  const std::string held = *scanners.Add(Open(&gone[2]));
  std::shared_ptr<OpenScanner> request = scanners.Find(held);
  now_ms += kScannerIdleMs;
  EXPECT_NE(scanners.Find(read), nullptr);
  scanners.DropIdle();
  EXPECT_NE(scanners.Find(read), nullptr);
  now_ms += 1;
  scanners.DropIdle();
  EXPECT_EQ(scanners.Find(forgotten), nullptr);
  EXPECT_NE(scanners.Find(read), nullptr);
  request = nullptr;  // after ten minutes
  scanners.DropIdle();
  EXPECT_NE(scanners.Find(held), nullptr);
  EXPECT_FALSE(scanners.Close(forgotten));
  EXPECT_TRUE(scanners.Close(read));
  scanners.DropAll();
  EXPECT_EQ(scanners.Find(held), nullptr);
  for (std::promise<void>& one : gone) {
    EXPECT_EQ(one.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
  }
}

TEST(ScannersTest, DropsThemWithoutBeingAsked) {
  std::promise<void> gone;
  Scanners scanners(1);
  ASSERT_TRUE(scanners.Add(Open(&gone)));
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(ScannersTest, RefusesTooMany) {
  std::promise<void> gone[kMaxScanners + 2];
  Scanners scanners(kScannerIdleMs);
  for (size_t i = 0; i < kMaxScanners; ++i) {
    ASSERT_TRUE(scanners.Add(Open(&gone[i])));
  }
  EXPECT_FALSE(scanners.Add(Open(&gone[kMaxScanners])));
  EXPECT_TRUE(scanners.Close("1"));
  EXPECT_EQ(scanners.Add(Open(&gone[kMaxScanners + 1])), std::to_string(kMaxScanners + 1));
}

}  // namespace
}  // namespace klip::rest
