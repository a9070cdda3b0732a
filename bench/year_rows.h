// The rows that both sides load: the year of visits of klip's demo, and the dense patterns of the worst cases. All rows
// have 38 bytes: username text(10,'*') date digits(8) domain text(20,'*'); one cell each, in column v:n, at one
// timestamp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace klip::bench {

inline constexpr std::string_view kSchema = "username:text(10,'*') date:digits(8) domain:text(20,'*')";
inline constexpr std::string_view kFamily = "v";
inline constexpr std::string_view kQualifier = "n";
inline constexpr int64_t kTimestampMs = 1'400'000'000'000;
inline constexpr size_t kUserBytes = 10;
inline constexpr size_t kDateBytes = 8;
inline constexpr size_t kRowBytes = 38;

// Hands out the next row in key order; false at the end.
using RowSource = std::function<bool(std::string* row, std::string* value)>;

struct YearSize {
  int users = 300;
  int days = 120;
  int domains = 30;

  std::string Name() const;
};

RowSource YearRows(const YearSize& size);
std::vector<std::string> PaddedUsers(const YearSize& size);
std::string MiddleDate(const YearSize& size);
int64_t CountRows(const YearSize& size);

struct RowValue {
  std::string row;
  std::string value;
};

// About `count` rows spread over the whole data set, in random order.
std::vector<RowValue> SampleRows(const YearSize& size, size_t count);

// The first `limit` rows of the data set as a site would write them: day by day, in each day in random order.
std::vector<RowValue> RowsInTimeOrder(const YearSize& size, size_t limit);

// Worst cases for jumping: each user has one row of the date kMatchingDate, and gap(user) rows of other dates around it.
inline constexpr std::string_view kMatchingDate = "20140628";
RowSource DenseRows(int64_t total_rows, std::function<int(int64_t user)> gap);

}  // namespace klip::bench
