// Compares a transaction's reads, of all kinds, with its state after the commit; and its writes with the same writes on a
// table without transactions.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "klip/filter.h"
#include "klip/transaction.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class TransactionTwinTest : public TableTest {
 protected:
  TransactionTwinTest() {
    options_.clock_ms = nullptr;
    Open();
  }

  size_t Below(size_t end) { return random_() % end; }
  // Some rows contain a zero byte, which is escaped in keys.
  std::string Row() { return std::string(1, "ab\0c"[Below(4)]) + std::string(1, static_cast<char>('0' + Below(6))); }
  std::string Qualifier() { return Below(4) == 0 ? "" : std::string(1, static_cast<char>('p' + Below(3))); }
  std::string AFamily() { return Below(2) == 0 ? "f" : "g"; }
  // A client's timestamp, or none.
  int64_t Time() { return Below(2) == 0 ? kLatestTimestamp : static_cast<int64_t>(100 + Below(5)); }

  klip::Put RandomPut() {
    klip::Put put{.row = Row()};
    for (size_t i = 0, cells = 1 + Below(3); i < cells; ++i) {
      put.Add(AFamily(), Qualifier(), std::to_string(Below(1000)), Time());
    }
    return put;
  }
  klip::Delete RandomDelete() {
    klip::Delete del{.row = Row()};
    switch (Below(6)) {
      case 0:
        break;  // the whole row
      case 1:
        del.AddFamily(AFamily(), Time());
        break;
      case 2:
        del.AddFamilyVersion(AFamily(), static_cast<int64_t>(100 + Below(5)));
        break;
      case 3:
        del.AddColumns(AFamily(), Qualifier(), Time());
        break;
      default:
        del.AddColumn(AFamily(), Qualifier(), newest_ ? Time() : static_cast<int64_t>(100 + Below(5)));
    }
    return del;
  }

  void WriteBoth(Table* one, Table* two) {
    const size_t kind = Below(8);
    if (kind == 0) {
      const auto append = klip::Append{.row = Row()}.Add(AFamily(), Qualifier(), "+");
      ASSERT_TRUE(one->Append(append).ok());
      ASSERT_TRUE(two->Append(append).ok());
    } else if (kind < 4) {
      const klip::Delete del = RandomDelete();
      ASSERT_TRUE(one->Delete(del).ok());
      ASSERT_TRUE(two->Delete(del).ok());
    } else if (kind == 4) {
      klip::Put put = RandomPut();
      const CheckAndMutate check = {.row = put.row, .condition = RowCondition::IfNotExists("f", "p"), .action = put};
      const auto outcome = one->CheckAndMutate(check);
      ASSERT_TRUE(outcome.ok());
      ASSERT_EQ(outcome->success, two->CheckAndMutate(check)->success);
    } else {
      const klip::Put put = RandomPut();
      ASSERT_TRUE(one->Put(put).ok());
      ASSERT_TRUE(two->Put(put).ok());
    }
  }

  Scan RandomScan() {
    Scan scan;
    scan.reversed = Below(2) == 0;
    if (Below(2) == 0) {
      scan.start_row = Row();
      scan.include_start = Below(2) == 0;
    }
    if (Below(2) == 0) {
      scan.stop_row = Row();
      scan.include_stop = Below(2) == 0;
    }
    if (!scan.start_row.empty() && !scan.stop_row.empty() && (scan.start_row > scan.stop_row) != scan.reversed) {
      std::swap(scan.start_row, scan.stop_row);
    }
    if (Below(3) == 0) {
      scan.limit_rows = static_cast<int64_t>(1 + Below(4));
    }
    if (Below(3) == 0) {
      scan.batch = static_cast<int32_t>(1 + Below(3));
    }
    scan.max_versions = static_cast<int32_t>(1 + Below(3));
    if (Below(3) == 0) {
      scan.columns = {{AFamily(), std::nullopt}};
    } else if (Below(2) == 0) {
      scan.columns = {{AFamily(), Qualifier()}};
    }
    if (Below(4) == 0) {
      scan.time_range = {101, 104};
    }
    scan.filter = RandomFilter();
    scan.raw = raw_ && scan.columns.empty() && Below(3) == 0;
    return scan;
  }
  FilterPtr RandomFilter() {
    switch (Below(8)) {
      case 0:
        return PrefixFilter(std::string(1, "ab\0c"[Below(4)]));
      case 1:
        return FirstKeyOnlyFilter();
      case 2:
        return *PageFilter(static_cast<int64_t>(1 + Below(4)));
      case 3:
        return *MultiRowRangeFilter(
            {{.start = "a1", .stop = "a4"}, {.start = "b", .stop = "c2", .include_stop = true}});
      case 4:
        return ColumnPrefixFilter("q");
      default:
        return nullptr;
    }
  }

  // Without the timestamps that the store assigns: both sides assign their own. `raw` shows markers too.
  static std::string Show(Table* table, const Scan& scan) {
    const auto scanner = table->Scan(scan);
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    std::string text;
    Result row;
    for (Expected<bool> more = (*scanner)->Next(&row); more.ok() && *more; more = (*scanner)->Next(&row)) {
      text += ShowRow(row) + "\n";
    }
    return text;
  }
  static std::string ShowRow(const Result& row) {
    std::string text;
    for (const Cell& cell : row) {
      text += std::string(cell.row) + "/" + std::string(cell.family) + ":" + std::string(cell.qualifier) + "@" +
              (cell.timestamp_ms < 1000 ? std::to_string(cell.timestamp_ms) : "now") + "=" + std::string(cell.value) +
              "(" + std::to_string(static_cast<int>(cell.type)) + ") ";
    }
    return text;
  }

  // Creates tables "<name>x" and "<name>y" with the same random rows, some of "x" in files.
  void MakeTables(const std::string& name, int round) {
    random_.seed(static_cast<unsigned>(round + 1));
    raw_ = round % 2 == 0;
    std::vector<FamilyDescriptor> families = {Family("f", 3), Family("g", 2)};
    for (FamilyDescriptor& family : families) {
      family.new_version_behavior = round % 3 == 2;
    }
    families[1].bloom = round % 2 == 0 ? BloomKind::kRowCol : BloomKind::kRow;
    Create(name + "y", families);
    Create(name + "x", families);
    twin_ = Handle(name + "y");
    for (int i = 0; i < 40; ++i) {
      WriteBoth(table_.get(), twin_.get());
      if (!raw_ && Below(15) == 0) {
        ASSERT_TRUE(admin().Flush(name + "x").ok());
      }
    }
  }

  std::unique_ptr<Table> twin_;
  bool raw_ = false;    // raw scans depend on compactions, so there are none then
  bool newest_ = true;  // the writes include deletes of a column's newest version
  std::minstd_rand random_{4711};
};

// All kinds of reads, before the commit and after it.
TEST_F(TransactionTwinTest, ReadsWhatItsCommitWillShow) {
  for (int round = 0; round < 45 && !HasFailure(); ++round) {
    const std::string name = "r" + std::to_string(round);
    MakeTables(name, round);
    const auto transaction = *connection_->Begin();
    const auto in = *transaction->GetTable(name + "x");
    int64_t savepoint = 0;
    for (int i = 0; i < 25; ++i) {
      WriteBoth(in.get(), twin_.get());
      if (i == 15) {
        savepoint = *transaction->Savepoint();
      }
    }
    if (round % 4 == 0) {
      ASSERT_TRUE(transaction->RollbackTo(savepoint).ok());
    }
    std::vector<Scan> scans;
    std::vector<klip::Get> gets;
    std::vector<std::string> shown;
    for (int i = 0; i < 60; ++i) {
      scans.push_back(RandomScan());
      gets.push_back({.row = Row(), .max_versions = static_cast<int32_t>(1 + Below(3))});
      if (Below(2) == 0) {
        gets.back().columns = {{AFamily(), Qualifier()}, {"g", Qualifier()}};
      }
      shown.push_back(Show(in.get(), scans.back()) + ShowRow(*in->Get(gets.back())));
    }
    ASSERT_EQ(transaction->Commit().ToString(), "ok");
    for (size_t i = 0; i < scans.size(); ++i) {
      ASSERT_EQ(shown[i], Show(table_.get(), scans[i]) + ShowRow(*table_->Get(gets[i]))) << round << ", read " << i;
    }
  }
}

// For the newest versions: writes have the same effect inside and outside a transaction. A transaction gives a row one
// timestamp, so older versions may be fewer.
TEST_F(TransactionTwinTest, WritesMeanWhatTheyMeanWithout) {
  newest_ = false;
  for (int round = 0; round < 30 && !HasFailure(); ++round) {
    const std::string name = "r" + std::to_string(round);
    MakeTables(name, round);
    const auto transaction = *connection_->Begin();
    const auto in = *transaction->GetTable(name + "x");
    for (int i = 0; i < 25 && !HasFailure(); ++i) {
      WriteBoth(in.get(), twin_.get());
      ASSERT_EQ(Show(in.get(), {}), Show(twin_.get(), {})) << "round " << round << ", write " << i;
    }
    ASSERT_EQ(transaction->Commit().ToString(), "ok");
    ASSERT_EQ(Show(table_.get(), {}), Show(twin_.get(), {})) << "round " << round;
  }
}

}  // namespace
}  // namespace klip::table
