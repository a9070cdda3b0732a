#include "base/open_handles.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace klip::base {
namespace {

constexpr int64_t kIdleMs = 600'000;
constexpr size_t kMost = 10;

// Reports its destruction.
struct Handle {
  explicit Handle(std::promise<void>* one) : gone(one) {}
  ~Handle() { gone->set_value(); }
  std::promise<void>* const gone;
};
using Handles = OpenHandles<Handle>;

std::shared_ptr<Handle> Open(std::promise<void>* gone) { return std::make_shared<Handle>(gone); }

TEST(OpenHandlesTest, DropsThoseThatNobodyUses) {
  std::atomic<int64_t> now_ms = 5;
  std::promise<void> gone[3];
  Handles handles(0, kMost, kIdleMs, [&] { return now_ms.load(); });
  const int32_t forgotten = *handles.Add(Open(&gone[0]));
  const int32_t read = *handles.Add(Open(&gone[1]));
  const int32_t held = *handles.Add(Open(&gone[2]));
  std::shared_ptr<Handle> call = handles.Find(held);
  now_ms += kIdleMs;
  EXPECT_NE(handles.Find(read), nullptr);
  handles.DropIdle();
  EXPECT_NE(handles.Find(read), nullptr);
  now_ms += 1;
  handles.DropIdle();
  EXPECT_EQ(handles.Find(forgotten), nullptr);
  EXPECT_NE(handles.Find(read), nullptr);
  call = nullptr;  // after ten minutes
  handles.DropIdle();
  EXPECT_NE(handles.Find(held), nullptr);
  EXPECT_FALSE(handles.Close(forgotten));
  EXPECT_TRUE(handles.Close(read));
  handles.DropAll();
  EXPECT_EQ(handles.Find(held), nullptr);
  for (std::promise<void>& one : gone) {
    EXPECT_EQ(one.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
  }
}

TEST(OpenHandlesTest, ClosesTheOldestThatNobodyUses) {
  std::atomic<int64_t> now_ms = 5;
  std::promise<void> gone[3];
  Handles handles(0, kMost, kIdleMs, [&] { return now_ms++; });
  const int32_t first = *handles.Add(Open(&gone[0]));
  const int32_t second = *handles.Add(Open(&gone[1]));
  const int32_t third = *handles.Add(Open(&gone[2]));
  EXPECT_NE(handles.Find(first), nullptr);
  const std::shared_ptr<Handle> call = handles.Find(third);
  EXPECT_TRUE(handles.CloseOldest());
  EXPECT_EQ(handles.Find(second), nullptr);
  EXPECT_TRUE(handles.CloseOldest());
  EXPECT_EQ(handles.Find(first), nullptr);
  EXPECT_FALSE(handles.CloseOldest());
  EXPECT_NE(handles.Find(third), nullptr);
}

TEST(OpenHandlesTest, DropsThemWithoutBeingAsked) {
  std::promise<void> gone;
  Handles handles(0, kMost, 1);
  ASSERT_TRUE(handles.Add(Open(&gone)));
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(OpenHandlesTest, RefusesTooMany) {
  std::promise<void> gone[kMost + 2];
  Handles handles(1, kMost, kIdleMs);
  for (size_t i = 0; i < kMost; ++i) {
    ASSERT_TRUE(handles.Add(Open(&gone[i])));
  }
  EXPECT_FALSE(handles.Add(Open(&gone[kMost])));
  EXPECT_TRUE(handles.Close(1));
  EXPECT_EQ(handles.Add(Open(&gone[kMost + 1])), static_cast<int32_t>(kMost + 1));
}

TEST(OpenHandlesTest, NumbersStartAnewAndPassOverThoseInUse) {
  std::promise<void> gone[4];
  Handles handles(INT32_MAX, kMost, kIdleMs);
  EXPECT_EQ(handles.Add(Open(&gone[0])), INT32_MAX);
  EXPECT_EQ(handles.Add(Open(&gone[1])), 0);
  EXPECT_EQ(handles.Add(Open(&gone[2])), 1);
  EXPECT_EQ(handles.Add(Open(&gone[3])), 2);
}

}  // namespace
}  // namespace klip::base
