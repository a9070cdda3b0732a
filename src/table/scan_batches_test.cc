// ScanBatches against Scan, on random histories.
#include <algorithm>
#include <random>

#include "klip/filter.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class ScanBatchesTest : public TableTest {
 protected:
  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  bool Chance(int percent) { return Pick(100) < percent; }

  std::string Row() {
    std::string row(1, static_cast<char>('a' + Pick(3)));
    row += Chance(15) ? std::string("\0\xff", 1 + Pick(2)) : std::to_string(Pick(15));
    return row;
  }
  std::string Qualifier() {
    static const std::string kNames[] = {"", std::string("\0", 1), "a", std::string("a\0", 2), "b", "bb", "\xff"};
    return kNames[Pick(7)];
  }
  std::string FamilyName() { return two_families_ && Chance(30) ? "g" : "f"; }

  void Change() {
    const int64_t at_ms = now_ms_ - Pick(8000);
    switch (Pick(deletes_ ? 16 : 10)) {
      case 10:
        EXPECT_TRUE(table_->Delete(Delete{.row = Row(), .timestamp_ms = at_ms}).ok());
        break;
      case 11:
        EXPECT_TRUE(table_->Delete(Delete{.row = Row()}.AddColumns(FamilyName(), Qualifier(), at_ms)).ok());
        break;
      case 12:
        EXPECT_TRUE(table_->Delete(Delete{.row = Row()}.AddColumn(FamilyName(), Qualifier())).ok());
        break;
      default: {
        Put put{.row = Row(), .timestamp_ms = at_ms, .ttl_ms = deletes_ && Chance(10) ? 1 + Pick(5000) : 0};
        for (int i = 1 + Pick(Chance(5) ? 30 : 4); i > 0; --i) {
          const std::string more = Chance(10) ? std::to_string(Pick(30)) : "";
          put.Add(FamilyName(), Qualifier() + more, Chance(10) ? "" : std::to_string(Pick(1000)));
        }
        EXPECT_TRUE(table_->Put(put).ok());
      }
    }
  }

  Scan RandomScan() {
    Scan scan;
    if (Chance(30)) {
      scan.start_row = Row();
      scan.include_start = Chance(50);
    }
    if (Chance(30)) {
      scan.stop_row = Row();
      scan.include_stop = Chance(50);
    }
    if (Chance(50)) {
      for (int i = 1 + Pick(3); i > 0; --i) {
        scan.columns.push_back({FamilyName(), Qualifier()});
      }
    }
    if (Chance(20)) {
      scan.time_range = {now_ms_ - 6000, now_ms_ - Pick(5000)};
    }
    scan.max_versions = 1 + Pick(3);
    scan.reversed = Chance(15);
    scan.limit_rows = Chance(15) ? Pick(9) : 0;
    scan.batch = Chance(10) ? 2 : 0;
    scan.max_results_per_family = Chance(5) ? 2 : -1;
    scan.threads = 1 + Pick(2);
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

  // A line for each row; what the scan returns of a row may come in pieces.
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

  std::mt19937 random_{11};
  bool deletes_ = true;
  bool two_families_ = false;
};

TEST_F(ScanBatchesTest, AreWhatScansReturnOnRandomHistories) {
  int rows = 0;
  for (int history = 0; history < 30; ++history) {
    deletes_ = history % 3 != 0;
    two_families_ = Chance(20);
    FamilyDescriptor family = Family("f", 1 + Pick(3));
    family.ttl_s = Chance(30) ? 4 : kTtlForever;
    family.min_versions = Chance(20) ? 1 : 0;
    family.new_version_behavior = Chance(15);
    Create("t", two_families_ ? std::vector{family, Family("g")} : std::vector{family}, {},
           Chance(30) ? std::vector<std::string>{"b"} : std::vector<std::string>());
    for (int step = 0; step < 6; ++step) {
      for (int change = Pick(60); change > 0; --change) {
        Change();
      }
      now_ms_ += Pick(1000);
      if (Chance(60)) {
        ASSERT_TRUE(admin().Flush("t").ok());
      }
      for (int i = 0; i < 60; ++i) {
        const Scan scan = RandomScan();
        const std::vector<ColumnName> columns = RandomColumns();
        const std::string expected = ByScan(scan, columns);
        rows += static_cast<int>(std::ranges::count(expected, '\n'));
        ASSERT_EQ(ByBatches(scan, columns), expected) << history << "/" << step << "/" << i;
      }
    }
    ASSERT_TRUE(admin().DisableTable("t").ok());
    ASSERT_TRUE(admin().DeleteTable("t").ok());
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

TEST_F(ScanBatchesTest, RefuseRawScans) {
  Create("t", {Family("f")});
  EXPECT_EQ(table_->ScanBatches({.raw = true}, {}).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace klip::table
