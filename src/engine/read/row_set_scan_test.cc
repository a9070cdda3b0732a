// Scans over row sets and filters: jumps compared with the brute-force test RowSet::Contains, and filters across
// regions.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"
#include "filter/rows/row_set.h"
#include "klip/filter_state.h"

namespace klip::engine {
namespace {

using filter::RowSet;

class RowSetScanTest : public StoreTest {
 protected:
  std::vector<std::string> Rows(RowScanSpec spec, ScanStatistics* statistics = nullptr) {
    std::vector<std::string> rows;
    Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, View("t"), std::move(spec));
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result result;
    while (scanner.ok()) {
      Expected<bool> next = (*scanner)->Next(&result);
      EXPECT_TRUE(next.ok()) << next.status().ToString();
      if (!next.ok() || !*next) {
        break;
      }
      rows.emplace_back(result.row());
    }
    if (scanner.ok() && statistics != nullptr) {
      *statistics = (*scanner)->statistics();
    }
    return rows;
  }
};

TEST_F(RowSetScanTest, JumpsFindExactlyTheRowsOfTheSet) {
  Open();
  Create("t", {"f", "g"});
  std::mt19937 random(5);
  const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const std::string alphabet("\0\1ab\xff", 5);
  const auto bytes = [&](size_t count) {
    std::string out(count, 'x');
    for (char& c : out) {
      c = alphabet[below(5)];
    }
    return out;
  };
  std::set<std::string> all;
  for (int i = 0; i < 600; ++i) {
    const std::string row = bytes(1 + below(5));
    all.insert(row);
    ASSERT_TRUE(Put("t", row, "v", Durability::kAsyncWal, below(2) == 0 ? "f" : "g").ok());
    if (i % 200 == 0) {
      ASSERT_TRUE(store_->storage().Flush("t").ok());
    }
  }
  for (int i = 0; i < 1500; ++i) {
    std::vector<filter::RowBox> boxes(1 + below(2));
    for (filter::RowBox& box : boxes) {
      for (uint32_t s = 0; s < 1 + below(3); ++s) {
        filter::RowSegment segment;
        segment.width_bytes = static_cast<int>(1 + below(2));
        if (below(3) != 0) {
          std::string low = bytes(static_cast<size_t>(segment.width_bytes));
          std::string high = below(2) == 0 ? low : bytes(low.size());
          segment.intervals = {{std::min(low, high), std::max(low, high)}};
        }
        box.segments.push_back(std::move(segment));
      }
      box.min_row_bytes = below(2) == 0 ? 0 : 3;
    }
    const std::shared_ptr<const RowSet> set = RowSet::FromBoxes(std::move(boxes));
    RowScanSpec spec;
    spec.rows = set;
    spec.scan.reversed = below(2) == 0;
    spec.expected_gap_rows = below(3) == 0 ? 1000 : 0;
    std::vector<std::string> expected;
    for (const std::string& row : all) {
      if (set->Contains(row)) {
        expected.push_back(row);
      }
    }
    if (spec.scan.reversed) {
      std::reverse(expected.begin(), expected.end());
    }
    ASSERT_EQ(Rows(std::move(spec)), expected) << set->ToString();
  }
}

TEST_F(RowSetScanTest, JumpsTouchFewRows) {
  Open();
  Create("t", {"f"});
  const TablePtr table = View("t");
  WriteSet writes;
  for (int user = 0; user < 50; ++user) {
    for (int day = 0; day < 400; ++day) {
      writes.Add(table->families[0], "user" + std::to_string(100 + user) + std::to_string(1000 + day), "q", 1,
                 CellType::kPut, "v");
    }
  }
  ASSERT_TRUE(store_->Write(&writes, Durability::kAsyncWal).ok());
  filter::RowBox box;
  box.segments.resize(2);
  box.segments[0].width_bytes = 7;
  box.segments[1].width_bytes = 4;
  box.segments[1].intervals = {{"1200", "1204"}};
  for (bool reversed : {false, true}) {
    RowScanSpec spec;
    spec.rows = RowSet::FromBoxes({box});
    spec.scan.reversed = reversed;
    ScanStatistics statistics;
    EXPECT_EQ(Rows(std::move(spec), &statistics).size(), 250U);
    EXPECT_EQ(statistics.rows_returned, 250);
    EXPECT_LE(statistics.seeks, 2 * 50 + 5);
    EXPECT_LE(statistics.rows_read, 3000);  // probes included; the table has 20,000
  }
}

TEST_F(RowSetScanTest, CountingFiltersRestartInEveryRegion) {
  Open();
  Create("t", {"f", "g"}, {"d", "g"});
  for (char row = 'a'; row <= 'i'; ++row) {
    ASSERT_TRUE(Put("t", std::string(1, row), "v").ok());
  }
  RowScanSpec spec;
  spec.filter = *PageFilter(2);
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"a", "b", "d", "e", "g", "h"}));
  spec.scan.reversed = true;
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"i", "h", "f", "e", "c", "b"}));
  spec.scan.reversed = false;
  spec.scan.limit_rows = 3;
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"a", "b", "d"}));
  spec.scan.batch = 1;
  EXPECT_EQ(RowScanner::Open(*store_, View("t"), spec).status().code(), Code::kIncompatibleFilter);
}

TEST_F(RowSetScanTest, FiltersDecideOnRowsAndCells) {
  Open();
  Create("t", {"f", "g"});
  for (char row = 'a'; row <= 'f'; ++row) {
    ASSERT_TRUE(Put("t", std::string(1, row), std::string("v") + row).ok());
  }
  RowScanSpec spec;
  spec.filter = RowFilter(CompareOp::kGreaterOrEqual, BinaryComparator("d"));
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"d", "e", "f"}));
  spec.filter = PrefixFilter("c");
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"c"}));
  SingleColumnValue condition;
  condition.family = "g";
  condition.qualifier = "q";
  condition.comparator = BinaryComparator("vb");
  spec.filter = SingleColumnValueFilter(condition);
  EXPECT_EQ(Rows(spec), (std::vector<std::string>{"b"}));
  spec.filter = FirstKeyOnlyFilter();
  EXPECT_EQ(Rows(spec).size(), 6U);
}

}  // namespace
}  // namespace klip::engine
