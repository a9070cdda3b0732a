#include "engine/read/read_costs.h"

#include <string>
#include <thread>
#include <vector>

#include "rocksdb/perf_context.h"
#include <gtest/gtest.h>

#include "engine/store/store_fixture_test.h"
#include "filter/rows/jump_policy.h"

namespace klip::engine {
namespace {

class ReadCostsTest : public StoreTest {
 protected:
  ReadCostsTest() { Open(); }

  void Fill(int first, int rows, int cells, size_t value_bytes, const std::string& table = "t") {
    const TablePtr view = View(table);
    uint32_t random = 1;
    for (int row = first; row < first + rows; ++row) {
      WriteSet writes;
      for (int cell = 0; cell < cells; ++cell) {
        std::string value(value_bytes, 0);
        for (char& byte : value) {
          random = random * 1664525 + 1013904223;
          byte = static_cast<char>(random >> 24);
        }
        writes.Add(view->families[0], "row" + std::to_string(100000 + row), "q" + std::to_string(cell), 1,
                   CellType::kPut, value);
      }
      ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
    }
    ASSERT_TRUE(store_->storage().Flush(table).ok());
  }

  std::optional<ReadCosts> Known(const std::string& table = "t") {
    const TablePtr view = View(table);
    const auto known = KnownCosts(&store_->storage(), *view, *store_->storage().Statistics(*view));
    return known == nullptr ? std::nullopt : std::optional(known->costs);
  }
};

TEST_F(ReadCostsTest, AreKnownOnceMeasured) {
  Create("t", {"f", "other"});
  Fill(0, 2000, 1, 10);
  EXPECT_FALSE(Known().has_value());
  MeasureCosts(*store_, View("t"));
  const std::optional<ReadCosts> costs = Known();
  ASSERT_TRUE(costs.has_value());
  const FamilyState& state = *View("t")->families[0].state;
  EXPECT_NEAR(state.seek_ticks / state.step_ticks, costs->seek_us / costs->short_step_us, 0.01);
  MeasureCosts(*store_, View("t"));
  EXPECT_EQ(Known()->step_us, costs->step_us);  // not measured again
  Fill(2000, 100, 1, 10);
  EXPECT_FALSE(Known().has_value());  // another sorted run
}

// Its rows are others, too, and a trial of a scan on them would show nothing.
TEST_F(ReadCostsTest, AreUnknownOnceMostRowsAreGone) {
  Create("t", {"f"});
  Fill(0, 2000, 1, 10);
  MeasureCosts(*store_, View("t"));
  ASSERT_TRUE(Known().has_value());
  const TablePtr view = View("t");
  WriteSet writes;
  for (int row = 0; row < 1200; ++row) {
    writes.Add(view->families[0], "row" + std::to_string(100000 + row), "", 2, CellType::kDeleteFamily, "");
  }
  ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
  ASSERT_EQ(store_->storage().Statistics(*view)->rows, 800);
  ASSERT_EQ(store_->storage().Statistics(*view)->sorted_runs, 1);
  EXPECT_FALSE(Known().has_value());
  MeasureCosts(*store_, view);
  EXPECT_TRUE(Known().has_value());
}

TEST_F(ReadCostsTest, CanBeFixed) {
  Create("t", {"f"});
  Fill(0, 2000, 1, 10);
  const TablePtr view = View("t");
  FixCosts(*store_, view, {.seek_us = 7, .far_seek_us = 8, .step_us = 1, .short_step_us = 1});
  MeasureCosts(*store_, view);
  EXPECT_EQ(Known()->seek_us, 7);
  EXPECT_FALSE(KnownStretches(&store_->storage(), *view)->stretches.empty());
  filter::JumpCosts costs(1, 7);
  filter::JumpCosts::Freeze(true);
  costs.ObserveSeek(100);
  EXPECT_EQ(costs.ratio(), 7);
  filter::JumpCosts::Freeze(false);
  costs.ObserveSeek(100);
  EXPECT_GT(costs.ratio(), 7);
}

constexpr size_t kBoundBytes = (8 << 20) / KeptStretches::kShareOfCache;  // of the test's block cache

// However many tables are explained, the rows that they keep stay within the bound; the costs stay known.
TEST_F(ReadCostsTest, KeepTheRowsOfTheTablesThatWereExplainedLast) {
  KeptStretches& kept = store_->storage().stretches();
  size_t of_one = 0;
  std::vector<std::string> names;
  for (int table = 0; of_one == 0 || names.size() * of_one < 2 * kBoundBytes; ++table) {
    names.push_back("t" + std::to_string(table));
    Create(names.back(), {"f"});
    Fill(0, 2000, 1, 10, names.back());
    FixCosts(*store_, View(names.back()), {.seek_us = 7, .far_seek_us = 8, .step_us = 1, .short_step_us = 1});
    of_one = of_one == 0 ? kept.bytes() : of_one;
    EXPECT_NE(KnownStretches(&store_->storage(), *View("t0")), nullptr) << "it is used again and again";
    EXPECT_LE(kept.bytes(), kBoundBytes);
  }
  ASSERT_GT(of_one, 10'000U);
  const TablePtr second = View("t1");
  EXPECT_EQ(KnownStretches(&store_->storage(), *second), nullptr);
  EXPECT_NE(KnownStretches(&store_->storage(), *View(names.back())), nullptr);
  EXPECT_EQ(Known("t1")->seek_us, 7);
  MeasureCosts(*store_, second);
  EXPECT_NE(KnownStretches(&store_->storage(), *second), nullptr) << "read again";
  EXPECT_EQ(Known("t1")->seek_us, 7) << "not measured again";
  ASSERT_TRUE(store_->catalog().SetEnabled("t1", false).ok());
  ASSERT_TRUE(store_->catalog().DeleteTable("t1").ok());
  EXPECT_EQ(KnownStretches(&store_->storage(), *second), nullptr);
}

TEST_F(ReadCostsTest, OfASmallTableAreNotMeasured) {
  Create("t", {"f"});
  MeasureCosts(*store_, View("t"));
  Fill(0, 499, 1, 10);
  MeasureCosts(*store_, View("t"));
  EXPECT_FALSE(Known().has_value());
}

// 256 cells at each of 64 rows would be a gigabyte.
TEST_F(ReadCostsTest, OfLargeCellsAreMeasuredOnAFewOfThem) {
  Create("t", {"f"});
  constexpr size_t kValueBytes = 64 << 10;
  constexpr size_t kRows = 600;
  Fill(0, kRows, 1, kValueBytes);
  ASSERT_TRUE(
      store_->storage().Compact("t", /*major=*/true).ok());  // else it may happen meanwhile, and costs no longer hold
  const uint64_t before = rocksdb::get_perf_context()->block_read_byte;
  MeasureCosts(*store_, View("t"));
  EXPECT_LT(rocksdb::get_perf_context()->block_read_byte - before, kRows * kValueBytes);
  EXPECT_TRUE(Known().has_value());
}

TEST_F(ReadCostsTest, AreMeasuredOnceForAllThreads) {
  Create("t", {"f"});
  Fill(0, 2000, 1, 10);
  std::vector<double> seen(4);
  std::vector<std::thread> threads;
  for (double& one : seen) {
    threads.emplace_back([this, &one] {
      MeasureCosts(*store_, View("t"));
      one = Known().value_or(ReadCosts()).step_us;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GT(seen[0], 0);
  EXPECT_EQ(seen, std::vector<double>(4, seen[0]));
}

TEST_F(ReadCostsTest, OfATableThatWasDroppedDoNoHarm) {
  Create("t", {"f"});
  Fill(0, 2000, 1, 10);
  const TablePtr view = View("t");
  ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  ASSERT_TRUE(store_->catalog().DeleteTable("t").ok());
  MeasureCosts(*store_, view);
  EXPECT_NE(view->families[0].state->seek_ticks.load(), 0);
}

}  // namespace
}  // namespace klip::engine
