// Scenario A3 at a small scale: the cost of one date grows with users, not with days. Scenario A5: exact parts, a range on the
// timestamp and a salt.
#include <algorithm>

#include "acceptance/store_test.h"
#include "ops/random.h"

namespace klip::acceptance {
namespace {

constexpr char kSchema[] = "username:text(10,'*') date:digits(8) domain:text(20,'*')";

class YearTest : public StoreTest {
 protected:
  // users x days x domains rows, in key order; one sorted run when flushed and compacted.
  std::unique_ptr<Table> Load(const std::string& name, int users, int days, int domains) {
    TableDescriptor descriptor{.name = name, .families = {{.name = "d"}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = kSchema;
    std::unique_ptr<Table> table = Create(descriptor);
    const RowKeySchema schema = *table->row_key_schema();
    std::vector<Put> puts;
    for (int user = 0; user < users; ++user) {
      for (int day = 0; day < days; ++day) {
        for (int domain = 0; domain < domains; ++domain) {
          const std::string key = *schema.Encode({"u" + std::to_string(100000 + user), std::to_string(20140101 + day),
                                                  "site" + std::to_string(domain) + ".com"});
          puts.push_back(Put{.row = key}.Add("d", "n", "1"));
        }
      }
      EXPECT_TRUE(table->Put(puts).ok());
      puts.clear();
    }
    EXPECT_TRUE(connection_->admin().Flush(name).ok());
    EXPECT_TRUE(connection_->admin().MajorCompact(name).ok());
    return table;
  }

  ScanStatistics OneDate(Table& table, size_t rows, int threads = 1) {
    Scan scan;
    scan.where = *table.row_key_schema()->ParseQuery("date=20140115");
    scan.threads = threads;
    ScanStatistics statistics;
    EXPECT_EQ(Rows(table, scan, &statistics).size(), rows);
    return statistics;
  }
};

TEST_F(YearTest, CostGrowsWithUsersNotWithDays) {
  constexpr int kUsers = 60;
  constexpr int kDomains = 5;
  std::unique_ptr<Table> few = Load("few", kUsers, 60, kDomains);
  std::unique_ptr<Table> many = Load("many", kUsers, 240, kDomains);
  std::unique_ptr<Table> twice = Load("twice", 2 * kUsers, 60, kDomains);
  const ScanStatistics one = OneDate(*few, kUsers * kDomains);
  const ScanStatistics days = OneDate(*many, kUsers * kDomains);
  const ScanStatistics users = OneDate(*twice, 2 * kUsers * kDomains);
  // About one jump a user: to the date in the next user; a second one where the next user is not known.
  EXPECT_LE(one.seeks, 2 * kUsers + 10);
  EXPECT_GE(one.seeks, kUsers / 2);
  EXPECT_LE(days.seeks, one.seeks + 10);
  EXPECT_LE(days.rows_read, one.rows_read * 2) << "with 4 times the days";
  EXPECT_LE(users.rows_read, one.rows_read * 22 / 10);
  // Rows touched: the matches, and a few per user, as some gaps are walked to learn what a walk costs.
  EXPECT_LE(one.rows_read, kUsers * kDomains + 20 * kUsers) << "of " << kUsers * 60 * kDomains;
}

TEST_F(YearTest, ThreadsReturnTheSameRowsInKeyOrder) {
  std::unique_ptr<Table> table = Load("t", 40, 60, 3);
  KLIP_ASSERT_OK(connection_->admin().Split("t", "u100020"));
  Scan scan;
  scan.where = *table->row_key_schema()->ParseQuery("date=20140115");
  const std::vector<std::string> one = Rows(*table, scan);
  EXPECT_TRUE(std::ranges::is_sorted(one));
  for (int threads : {0, 2, 3, 8}) {
    scan.threads = threads;
    EXPECT_EQ(Rows(*table, scan), one);
    scan.limit_rows = 7;
    EXPECT_EQ(Rows(*table, scan), std::vector<std::string>(one.begin(), one.begin() + 7));
    scan.limit_rows = 0;
  }
}

TEST_F(YearTest, ExplainTellsThePlanAndWhatItCost) {
  std::unique_ptr<Table> table = Load("t", 60, 200, 5);
  Scan scan;
  scan.where = *table->row_key_schema()->ParseQuery("date=20140115");
  Expected<Explain> before = table->Explain(scan);
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  EXPECT_EQ(before->kind, PlanKind::kSkipScan);
  ASSERT_EQ(before->fields.size(), 3u);
  EXPECT_EQ(before->fields[0].name, "username");
  EXPECT_EQ(before->fields[1].condition, "= 20140115");
  EXPECT_GE(before->candidates.size(), 2u);
  EXPECT_EQ(before->candidates[0].why_not, "");
  EXPECT_TRUE(before->has_statistics);
  EXPECT_FALSE(before->actual.has_value());
  // Statistics count the users within a few per cent.
  EXPECT_NEAR(before->estimated.seeks, 60, 70);
  EXPECT_NE(before->ToText().find("skip scan"), std::string::npos);
  EXPECT_NE(before->ToJson().find("\"username\""), std::string::npos);

  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(scan);
  ASSERT_TRUE(scanner.ok());
  Result row;
  while (*(*scanner)->Next(&row)) {
  }
  const Explain after = (*scanner)->explain();
  ASSERT_TRUE(after.actual.has_value());
  EXPECT_EQ(after.actual->rows_returned, 300);

  Expected<Explain> everything = table->Explain({});
  ASSERT_TRUE(everything.ok());
  EXPECT_EQ(everything->kind, PlanKind::kFullWalk);
  scan.where = *table->row_key_schema()->ParseQuery("username=u100001 date=20140115 domain=site1.com");
  EXPECT_EQ(table->Explain(scan)->kind, PlanKind::kPointGets);
  scan.where = *table->row_key_schema()->ParseQuery("username=u100001");
  EXPECT_EQ(table->Explain(scan)->kind, PlanKind::kRange);
}

// A key of six parts, one a salt, one a time: exact on three, a range of times, any on the rest.
TEST_F(YearTest, RangeOfTimesBehindUnknownParts) {
  TableDescriptor descriptor{.name = "series", .families = {{.name = "d"}}};
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] =
      "salt(4,device) site:text(4) device:u16 kind:text(3) at:ts unit:u8";
  std::unique_ptr<Table> table = Create(descriptor);
  const RowKeySchema schema = *table->row_key_schema();
  std::vector<std::string> expected;
  std::vector<Put> puts;
  for (int site = 0; site < 3; ++site) {
    for (int device = 0; device < 20; ++device) {
      for (const char* kind : {"hum", "tmp"}) {
        for (int64_t at = 1000; at < 1100; ++at) {
          const std::string key = *schema.Encode(
              {"s" + std::to_string(site), std::to_string(device), kind, std::to_string(at), std::to_string(at % 2)});
          puts.push_back(Put{.row = key}.Add("d", "v", "1"));
          if (site == 1 && kind == std::string("tmp") && at % 2 == 1 && at >= 1020 && at < 1030) {
            expected.push_back(key);
          }
        }
      }
    }
  }
  KLIP_ASSERT_OK(table->Put(puts));
  KLIP_ASSERT_OK(connection_->admin().Flush("series"));
  std::ranges::sort(expected);
  Scan scan;
  scan.where = *schema.ParseQuery("site=s1 kind=tmp unit=1 at>=1020 at<1030");
  ScanStatistics statistics;
  EXPECT_EQ(Rows(*table, scan, &statistics), expected);
  EXPECT_EQ(expected.size(), 100u);
  EXPECT_LE(statistics.rows_read, 1200) << "of 12000 rows";
  EXPECT_EQ(table->Explain(scan)->kind, PlanKind::kSkipScan);
  // If the device is known, so is its salt: one range to read.
  scan.where = *schema.ParseQuery("site=s1 device=7 kind=tmp at=1020..1029");
  EXPECT_EQ(Rows(*table, scan, &statistics).size(), 10u);
  EXPECT_LE(statistics.rows_read, 30);
}

}  // namespace
}  // namespace klip::acceptance
