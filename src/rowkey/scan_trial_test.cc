// Trials on parts of a table against trials on all of it.
#include "rowkey/scan_trial.h"

#include <gtest/gtest.h>

#include "klip/row_key.h"

namespace klip::rowkey {
namespace {

// 400 letters of 1 to 99 numbers.
std::vector<std::string> Rows() {
  std::vector<std::string> rows;
  for (uint32_t letter = 0; letter < 400; ++letter) {
    for (uint32_t number = 0; number < 1 + letter * 7919 % 99; ++number) {
      rows.push_back(
          *RowKeySchema::Parse("letter:u32 number:u32")->Encode({std::to_string(letter), std::to_string(number)}));
    }
  }
  return rows;
}

// `every`: stretches of so many rows, and as many left out between them; 0: all rows in one.
filter::RowStretches StretchesOf(const std::vector<std::string>& rows, size_t every) {
  filter::RowStretches out;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (every == 0 || i / every % 2 == 0) {
      if (out.stretches.empty() || (every > 0 && i % every == 0)) {
        out.stretches.emplace_back();
      }
      out.stretches.back().Add(rows[i], 1);
    }
  }
  out.from_start = true;
  out.to_end = every == 0;
  return out;
}

class ScanTrialTest : public testing::Test {
 protected:
  TriedScan Try(const std::string& where, size_t every, const RowRange& range = {}, bool reversed = false) {
    const auto set = *schema_.Compile(*schema_.ParseQuery(where));
    CostModel costs;
    costs.measured = true;
    filter::SampledKeys keys;
    keys.stretches = std::make_shared<const filter::RowStretches>(StretchesOf(rows_, every));
    keys.sample = sample_;
    return TryScan(keys, {.rows = set.get(),
                          .range = range,
                          .rows_in_range = static_cast<double>(rows_.size()),
                          .costs = costs,
                          .reversed = reversed});
  }

  const RowKeySchema schema_ = *RowKeySchema::Parse("letter:u32 number:u32");
  // One row in `each`.
  void DrawRows(uint64_t each) {
    auto sample = std::make_shared<filter::KeySample>();
    sample->rows.limit = UINT64_MAX / each;
    for (const std::string& row : rows_) {
      if (const uint64_t hash = filter::SampleHash(row); hash <= sample->rows.limit) {
        sample->rows.items.push_back({.bytes = row, .hash = hash});
      }
    }
    sample_ = std::move(sample);
  }

  const std::vector<std::string> rows_ = Rows();
  std::shared_ptr<const filter::KeySample> sample_;  // null: nothing was drawn
};

TEST_F(ScanTrialTest, CountsTheJumpsOfAWholeTable) {
  // Each letter but the last one is left by a jump; to leave one that has the number takes none before.
  const TriedScan tried = Try("number=0", 0);
  ASSERT_TRUE(tried.is_typical);
  EXPECT_NEAR(tried.jumps, 400, 10);
  EXPECT_NEAR(tried.skipped, static_cast<double>(rows_.size()) - 400, 10);
  EXPECT_GT(tried.seeks, 200);
  EXPECT_GE(tried.jumps, tried.seeks);
}

TEST_F(ScanTrialTest, ExtrapolatesFromStretches) {
  for (const char* where : {"number=0", "number=3", "number=50", "number=20..40"}) {
    const TriedScan all = Try(where, 0);
    const TriedScan some = Try(where, 256);
    ASSERT_TRUE(all.is_typical && some.is_typical) << where;
    EXPECT_NEAR(some.jumps / all.jumps, 1, 0.15) << where;
    EXPECT_NEAR(some.seeks / all.seeks, 1, 0.25) << where;
    EXPECT_NEAR(some.steps / all.steps, 1, 0.35) << where;
  }
}

// Of a set of several boxes, whose cursor only goes forwards, although stretches are visited more than once.
TEST_F(ScanTrialTest, VisitsStretchesAgainWithTheSameAnswers) {
  for (const char* where : {"NOT (number=20..40)", "number!=3", "number=1..2 OR number>90"}) {
    const TriedScan all = Try(where, 0);
    const TriedScan some = Try(where, 100);
    ASSERT_TRUE(all.is_typical && some.is_typical) << where;
    EXPECT_NEAR(some.jumps / all.jumps, 1, 0.2) << where;
    EXPECT_NEAR((some.seeks + 10) / (all.seeks + 10), 1, 0.25) << where;
  }
}

TEST_F(ScanTrialTest, DoesNotGuessFromFewJumps) {
  const TriedScan few = Try("letter=7 number=1", 256);
  EXPECT_FALSE(few.is_typical);
  EXPECT_LT(few.looks, 24);
  EXPECT_TRUE(Try("letter=7 number=1", 0).is_typical);
}

TEST_F(ScanTrialTest, BoundsJumpsThatDoNotShow) {
  const TriedScan few = Try("NOT (letter=7 number=1)", 256);
  EXPECT_FALSE(few.is_typical);
  EXPECT_GT(few.looks, 1000 * (few.jumps + 1));  // nearly every row is wanted
}

TEST_F(ScanTrialTest, AReversedScanMeetsTheSameJumps) {
  for (const char* where : {"number=0", "number=3", "NOT (number=20..40)", "letter=20..30 number=7 OR number>60"}) {
    for (const size_t every : {size_t{0}, size_t{256}}) {
      const TriedScan up = Try(where, every);
      const TriedScan down = Try(where, every, {}, /*reversed=*/true);
      ASSERT_TRUE(up.is_typical && down.is_typical) << where;
      EXPECT_NEAR((down.skipped + 100) / (up.skipped + 100), 1, 0.1) << where;
      EXPECT_NEAR((down.jumps + 10) / (up.jumps + 10), 1, 0.2) << where;
    }
  }
  const RowRange half = {.start = rows_[rows_.size() / 2]};
  EXPECT_NEAR(Try("number=0", 0, half, true).jumps, 200, 10);
}

// There are two jumps, over hundreds of rows each.
TEST_F(ScanTrialTest, DrawnRowsShowLongJumps) {
  const std::string where = "NOT (letter=101..110 OR letter=301..310)";
  EXPECT_EQ(Try(where, 2000).long_jumps, 0);
  DrawRows(40);
  EXPECT_EQ(Try(where, 2000).long_jumps, 2);
  EXPECT_EQ(Try(where, 2000, {}, true).long_jumps, 2);
  EXPECT_EQ(Try("NOT (number=5..8)", 256).long_jumps, 0);  // short ones, however many
  EXPECT_EQ(Try(where, 0).long_jumps, 0);                  // the trial is the whole scan
}

TEST_F(ScanTrialTest, StaysInTheRange) {
  const RowRange range = {.start = rows_[rows_.size() / 2]};
  const TriedScan tried = Try("number=0", 0, range);
  ASSERT_TRUE(tried.is_typical);
  EXPECT_NEAR(tried.jumps, 200, 10);
}

}  // namespace
}  // namespace klip::rowkey
