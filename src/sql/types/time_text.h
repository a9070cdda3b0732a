// Formats times like Phoenix. Days before 1582-10-15 are Julian, as in Java's calendars.
#pragma once

#include <cstdint>
#include <string>

#include "klip/sql_value.h"

namespace klip::sql {

struct CivilDay {
  int64_t year;  // 0: the year before year 1
  int month;     // [1, 12]
  int day;       // [1, 31]
};

CivilDay DayOf(int64_t days_since_1970);
int64_t DaysSince1970(const CivilDay& day);
int DaysOfMonth(int64_t year, int month);

// ISO 8601: weeks start on Monday; the first contains the year's first Thursday.
int WeekOfYear(int64_t days_since_1970);
int WeekDay(int64_t days_since_1970);  // [1, 7], from Monday

constexpr int64_t kMsPerDay = 86'400'000;
int64_t FloorDivide(int64_t a, int64_t b);  // REQUIRES: b > 0
int64_t MillisOf(const Value& time);        // REQUIRES: a DATE, TIME or TIMESTAMP

// "2014-06-28 12:30:00.000" in UTC.
std::string TimeText(int64_t ms);

}  // namespace klip::sql
