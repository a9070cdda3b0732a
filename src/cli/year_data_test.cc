#include "cli/year_data.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "klip/row_key.h"

namespace klip::cli {
namespace {

TEST(YearData, RowsAscendAndFitTheSchema) {
  YearData data(20, 30, 6);
  const RowKeySchema schema = *RowKeySchema::Parse(YearData::kSchema);
  std::string row;
  std::string value;
  std::string before;
  std::map<std::string, int> per_date;
  std::map<std::string, int> per_user;
  while (data.Next(&row, &value)) {
    ASSERT_LT(before, row);
    before = row;
    ASSERT_TRUE(schema.Validate(row).ok()) << row;
    std::vector<std::string> fields = *schema.Decode(row);
    ++per_user[fields[0]];
    ++per_date[fields[1]];
    ASSERT_FALSE(value.empty());
  }
  EXPECT_EQ(data.rows_made(), 20 * 30 * 6);
  EXPECT_EQ(data.rows_made(), data.rows_total());
  ASSERT_EQ(per_date.size(), 30U);
  for (const auto& [date, rows] : per_date) {
    EXPECT_EQ(rows, 20 * 6) << date;
  }
  ASSERT_EQ(per_user.size(), 20U);
  for (const auto& [user, rows] : per_user) {
    EXPECT_EQ(rows, 30 * 6) << user;
  }
  EXPECT_FALSE(data.Next(&row, &value));
}

TEST(YearData, IsTheSameEachTime) {
  YearData one(7, 3, 5);
  YearData two(7, 3, 5);
  std::string row_one;
  std::string row_two;
  std::string value_one;
  std::string value_two;
  while (one.Next(&row_one, &value_one)) {
    ASSERT_TRUE(two.Next(&row_two, &value_two));
    ASSERT_EQ(row_one, row_two);
    ASSERT_EQ(value_one, value_two);
  }
  EXPECT_FALSE(two.Next(&row_two, &value_two));
}

TEST(YearData, ManyUsersHaveDifferentNames) {
  YearData data(20000, 1, 1);
  EXPECT_EQ(std::set(data.users().begin(), data.users().end()).size(), 20000U);
  for (const std::string& user : data.users()) {
    ASSERT_LE(user.size(), 10U);
  }
}

TEST(YearData, DatesAreCalendarDays) {
  YearData data(1, 365 * 3, 1);
  EXPECT_EQ(data.dates()[178], "20140628");
  EXPECT_EQ(data.dates()[365], "20150101");
  EXPECT_EQ(data.dates()[365 + 365 + 59], "20160229");
}

}  // namespace
}  // namespace klip::cli
