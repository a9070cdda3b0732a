// For tests that compare two ways of reading random tables: rows, changes and scans, generated from a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "table/table_test_util.h"

namespace klip::table {

class RandomHistoryTest : public TableTest {
 protected:
  explicit RandomHistoryTest(uint32_t seed) : random_(seed) {}

  int Pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  bool Chance(int percent) { return Pick(100) < percent; }

  virtual std::string Row() = 0;
  virtual std::string FamilyName() { return "f"; }
  virtual std::string Qualifier() = 0;

  // Creates the table "t" with the family "f", and with "g" on request.
  void CreateRandomTable(bool two_families) {
    FamilyDescriptor family = Family("f", 1 + Pick(3));
    family.ttl_s = Chance(30) ? 4 : kTtlForever;
    family.min_versions = Chance(20) ? 1 : 0;
    family.new_version_behavior = Chance(15);
    Create("t", two_families ? std::vector{family, Family("g")} : std::vector{family}, {},
           Chance(30) ? std::vector<std::string>{"b"} : std::vector<std::string>());
  }
  void DropTable() {
    ASSERT_TRUE(admin().DisableTable("t").ok());
    ASSERT_TRUE(admin().DeleteTable("t").ok());
  }

  // Some changes, then perhaps a flush.
  void MakeChanges() {
    for (int change = Pick(60); change > 0; --change) {
      Change();
    }
    now_ms_ += Pick(1000);
    if (Chance(60)) {
      ASSERT_TRUE(admin().Flush("t").ok());
    }
  }

  // Of the whole table or a range; without columns and filter.
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
    if (Chance(20)) {
      scan.time_range = {now_ms_ - 6000, now_ms_ - Pick(5000)};
    }
    scan.max_versions = 1 + Pick(3);
    scan.reversed = Chance(15);
    scan.limit_rows = Chance(15) ? Pick(9) : 0;
    scan.batch = Chance(10) ? 2 : 0;
    scan.threads = 1 + Pick(2);
    return scan;
  }

  // Whether two ways of reading give the same result. A background compaction may drop versions in between, which may
  // change the result of a scan under HBase's rules. So if they differ, the first one is read again.
  template <typename One, typename Other>
  static void ExpectSame(const One& one, const Other& other, const std::string& where) {
    const auto before = one();
    const auto read = other();
    if (read != before) {
      EXPECT_EQ(read, one()) << where;
    }
  }

  std::mt19937 random_;
  bool deletes_ = true;  // among the changes

 private:
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
};

}  // namespace klip::table
