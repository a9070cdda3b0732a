// ScanBatches against Scan, on random histories.
#include <algorithm>

#include "klip/filter.h"
#include "table/random_history_test.h"

namespace klip::table {
namespace {

class ScanBatchesTest : public RandomHistoryTest {
 protected:
  ScanBatchesTest() : RandomHistoryTest(11) {}

  std::string Row() override {
    std::string row(1, static_cast<char>('a' + Pick(3)));
    row += Chance(15) ? std::string("\0\xff", 1 + Pick(2)) : std::to_string(Pick(15));
    return row;
  }
  std::string Qualifier() override {
    static const std::string kNames[] = {"", std::string("\0", 1), "a", std::string("a\0", 2), "b", "bb", "\xff"};
    return kNames[Pick(7)];
  }
  std::string FamilyName() override { return two_families_ && Chance(30) ? "g" : "f"; }

  Scan RandomFilteredScan() {
    Scan scan = RandomScan();
    if (Chance(50)) {
      for (int i = 1 + Pick(3); i > 0; --i) {
        scan.columns.push_back({FamilyName(), Qualifier()});
      }
    }
    scan.max_results_per_family = Chance(5) ? 2 : -1;
    scan.filter = Chance(25) ? RandomFilter() : nullptr;
    return scan;
  }

  FilterPtr RandomFilter() {
    switch (Pick(4)) {
      case 0:
        return PrefixFilter("b");
      case 1:
        return *FuzzyRowFilter({{"a1", std::string("\1\0", 2)}});
      case 2:
        return FirstKeyOnlyFilter();
      default:
        return QualifierFilter(CompareOp::kEqual, BinaryComparator("a"));
    }
  }

  std::vector<ColumnName> RandomColumns() {
    std::vector<ColumnName> columns;
    for (int i = Pick(5); i > 0; --i) {
      columns.push_back({FamilyName(), Qualifier()});
    }
    return columns;
  }

  static std::string Shown(std::optional<std::string_view> value) {
    return value.has_value() ? "=" + ToStringBinary(*value) : "-";
  }

  // A line for each row; the scan may return a row in pieces.
  std::string ByScan(const Scan& scan, const std::vector<ColumnName>& columns) {
    const auto scanner = table_->Scan(scan);
    std::vector<std::optional<std::string>> values(columns.size());
    std::string all;
    Result result;
    while (*(*scanner)->Next(&result)) {
      for (size_t i = 0; i < columns.size(); ++i) {
        const auto value = result.Value(columns[i].family, columns[i].qualifier);
        if (value.has_value() && !values[i].has_value()) {
          values[i] = *value;
        }
      }
      if (!result.has_more_cells_in_row()) {
        all += ToStringBinary(result.row());
        for (std::optional<std::string>& value : values) {
          all += Shown(value);
          value.reset();
        }
        all += '\n';
      }
    }
    return all;
  }

  std::string ByBatches(const Scan& scan, const std::vector<ColumnName>& columns) {
    const auto scanner = table_->ScanBatches(scan, columns);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    std::string all;
    while (const RowBatch* batch = *(*scanner)->Next()) {
      EXPECT_GT(batch->rows(), 0U);
      for (size_t row = 0; row < batch->rows(); ++row) {
        all += ToStringBinary(batch->key(row));
        for (size_t i = 0; i < columns.size(); ++i) {
          all += Shown(batch->value(i, row));
        }
        all += '\n';
      }
    }
    return all;
  }

  bool two_families_ = false;
};

TEST_F(ScanBatchesTest, AreWhatScansReturnOnRandomHistories) {
  int rows = 0;
  for (int history = 0; history < 30; ++history) {
    deletes_ = history % 3 != 0;
    two_families_ = Chance(20);
    CreateRandomTable(two_families_);
    for (int step = 0; step < 6; ++step) {
      MakeChanges();
      for (int i = 0; i < 60; ++i) {
        const Scan scan = RandomFilteredScan();
        const std::vector<ColumnName> columns = RandomColumns();
        const auto by_scan = [&] { return ByScan(scan, columns); };
        rows += static_cast<int>(std::ranges::count(by_scan(), '\n'));
        ExpectSame(
            by_scan, [&] { return ByBatches(scan, columns); },
            std::to_string(history) + "/" + std::to_string(step) + "/" + std::to_string(i));
      }
    }
    DropTable();
  }
  EXPECT_GT(rows, 50'000);
}

TEST_F(ScanBatchesTest, AreReadOnSeveralThreadsWithALimit) {
  Create("t", {Family("f")});
  const std::string filler(200, 'x');
  for (int i = 0; i < 20'000; ++i) {
    Put put{.row = "r" + std::to_string(100'000 + i)};
    put.Add("f", "a", std::to_string(i)).Add("f", "b", filler);
    ASSERT_TRUE(table_->Put(put).ok());
  }
  ASSERT_TRUE(admin().Flush("t").ok());
  const std::vector<ColumnName> columns = {{"f", "b"}, {"f", "a"}, {"f", "b"}};
  for (const int64_t limit : {0, 1, 1500, 12'345}) {
    const Scan scan = {.limit_rows = limit, .threads = 2};
    EXPECT_TRUE(ByBatches(scan, columns) == ByScan(scan, columns)) << limit;
  }
}

TEST_F(ScanBatchesTest, FollowIndexesAndTheirOrder) {
  Create("t", {Family("f")}, {{"KLIP_INDEX$by_a", "f:a text INCLUDE f:a, f:b"}, {"KLIP_INDEX$by_c", "f:c text"}});
  for (int i = 0; i < 2'000; ++i) {
    Put put{.row = "r" + std::to_string(1'000 + i)};
    put.Add("f", "b", std::to_string(i)).Add("f", "c", std::to_string(i * 7 % 50));
    if (i % 3 != 0) {
      put.Add("f", "a", std::to_string(i * 11 % 400));
    }
    ASSERT_TRUE(table_->Put(put).ok());
  }
  const std::vector<ColumnName> columns = {{"f", "b"}, {"f", "a"}};
  const auto where = [this](std::string_view text) { return *table_->ParseQuery(text); };
  for (const Scan& scan : {
           Scan{.order_by_index = "by_a"}, Scan{.reversed = true, .limit_rows = 7, .order_by_index = "by_a"},
           Scan{.columns = {{"f", "a"}, {"f", "b"}}, .where = where("f:a=33")},                          // covered
           Scan{.where = where("f:c=21")}, Scan{.limit_rows = 3, .where = where("f:c=21 f:b::text>5")},  // in stages
       }) {
    const std::string expected = ByScan(scan, columns);
    EXPECT_GT(std::ranges::count(expected, '\n'), 2) << scan.order_by_index;
    EXPECT_EQ(ByBatches(scan, columns), expected);
  }
}

TEST_F(ScanBatchesTest, RefuseRawScans) {
  Create("t", {Family("f")});
  EXPECT_EQ(table_->ScanBatches({.raw = true}, {}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace klip::table
