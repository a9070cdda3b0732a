// What reads by fields and by bytes send to the query log.
#include <mutex>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "klip/filter.h"

namespace klip {
namespace {

class AskedQueryTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.query_log = [this](const AskedQuery& query) {
      const std::lock_guard lock(mutex_);
      asked_.push_back(query);
    };
    connection_ = *Connection::Open("klip:" + directory_.Sub("store"), options);
    TableDescriptor descriptor = {.name = "visits", .families = {{.name = "d"}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text(5) date:date";
    ASSERT_TRUE(connection_->admin().CreateTable(descriptor, std::vector<std::string>{"m"}).ok());
    ASSERT_TRUE(connection_->admin().CreateTable({.name = "plain", .families = {{.name = "d"}}}).ok());
    visits_ = *connection_->GetTable("visits");
    for (const std::string_view row : {"alice20140601", "alice20140628", "bob  20140601", "zoe  20140628"}) {
      ASSERT_TRUE(visits_->Put(Put(std::string(row)).Add("d", "n", "1")).ok());
    }
  }

  void Read(const Scan& scan, Table* table = nullptr) {
    const auto scanner = *(table == nullptr ? visits_.get() : table)->Scan(scan);
    Result row;
    while (*scanner->Next(&row)) {
    }
  }
  // Those since the last call, as "where LIMIT n".
  std::vector<std::string> Asked() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const AskedQuery& query : asked_) {
      EXPECT_EQ(query.table, "visits");
      out.push_back(query.where + (query.limit_rows > 0 ? " LIMIT " + std::to_string(query.limit_rows) : ""));
    }
    asked_.clear();
    return out;
  }
  using Texts = std::vector<std::string>;

  const TempDirectory directory_{TempDirectory::Where::kMemory};
  std::mutex mutex_;
  std::vector<AskedQuery> asked_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> visits_;
};

TEST_F(AskedQueryTest, GetsAndScansByFields) {
  ASSERT_TRUE(visits_->Get(Get{.row = "alice20140628"}).ok());
  EXPECT_EQ(Asked(), Texts{"user=alice date=20140628"});
  Read({.limit_rows = 2, .where = *visits_->row_key_schema()->ParseQuery("date=201406*")});
  EXPECT_EQ(Asked(), Texts{"date=201406* LIMIT 2"});
}

TEST_F(AskedQueryTest, ScansByBytes) {
  Read({.start_row = "alice20140601", .stop_row = "alice20140701"});
  Read(Scan::Prefix("bob"));
  Scan fuzzy;
  fuzzy.filter = *FuzzyRowFilter({FuzzyKeyFromPattern("?????20140628")});
  Read(fuzzy);
  fuzzy.filter = PrefixFilter("zo");
  Read(fuzzy);
  EXPECT_EQ(Asked(), (Texts{"user=alice date>=20140601 date<20140701", "user=bob*", "date=20140628", "user=zo*"}));
}

TEST_F(AskedQueryTest, ColumnsByFiltersOrConditions) {
  Scan where;
  where.where = *visits_->ParseQuery("user=alice d:city=berlin");
  Read(where);
  const auto is = [](const std::string& column, CompareOp op, const std::string& value) {
    return SingleColumnValueFilter({.family = "d",
                                    .qualifier = column,
                                    .op = op,
                                    .comparator = BinaryComparator(value),
                                    .filter_if_missing = true});
  };
  Read({.filter = is("city", CompareOp::kEqual, "berlin")});
  Scan both = Scan::Prefix("bob");
  both.filter =
      FilterList(ListOperator::kMustPassAll, {is("age", CompareOp::kGreaterOrEqual, std::string("\0\0\0\x12", 4)),
                                              is("at", CompareOp::kEqual, std::string("\0\1\2", 3))});
  Read(both);
  both.filter = FilterList(ListOperator::kMustPassOne,
                           {is("city", CompareOp::kEqual, "bonn"), is("city", CompareOp::kEqual, "ulm")});
  Read(both);
  EXPECT_EQ(Asked(), (Texts{"user=alice d:city=berlin", "d:city=berlin",
                            "user=bob* d:age::u32>=18 d:at::bytes=\\x00\\x01\\x02", "user=bob* d:city=bonn,ulm"}));
}

TEST_F(AskedQueryTest, WhatNamesNoFieldIsNotLogged) {
  Read({});
  const auto plain = *connection_->GetTable("plain");
  ASSERT_TRUE(plain->Get(Get{.row = "alice20140628"}).ok());
  Read(Scan::Prefix("a"), plain.get());
  ASSERT_TRUE(visits_->Get(Get{.row = "odd"}).ok());
  EXPECT_EQ(Asked(), Texts{});
}

// HBase's client requests [a, z) in two parts, each from its region.
TEST_F(AskedQueryTest, PartsOfAScanByRegionAreOneQuery) {
  const Caller caller = {.door = Door::kRpc};
  const CallerScope scope(&caller);
  Read({.start_row = "alice", .stop_row = "m"});
  Read({.start_row = "m", .stop_row = "zoe"});
  EXPECT_EQ(Asked(), Texts{"user>=alice"});
}

TEST_F(AskedQueryTest, AFloodIsCountedByLooks) {
  constexpr int kGets = 50'000;
  for (int i = 0; i < kGets; ++i) {
    ASSERT_TRUE(visits_->Get(Get{.row = "alice20140628"}).ok());
  }
  int64_t times = 0;
  for (const AskedQuery& query : asked_) {
    times += query.times;
  }
  EXPECT_NEAR(static_cast<double>(times), kGets, kGets * 0.05);
  EXPECT_LT(asked_.size(), kGets / 10);
}

}  // namespace
}  // namespace klip
