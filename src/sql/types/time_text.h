// Times as Phoenix prints them. Days before 1582-10-15 are Julian, as in Java's calendars.
#pragma once

#include <cstdint>
#include <string>

namespace klip::sql {

struct CivilDay {
  int64_t year;  // 0: the year before 1
  int month;     // [1, 12]
  int day;       // [1, 31]
};

CivilDay DayOf(int64_t days_since_1970);
int64_t DaysSince1970(const CivilDay& day);
int DaysOfMonth(int64_t year, int month);

// "2014-06-28 12:30:00.000" in UTC.
std::string TimeText(int64_t ms);

}  // namespace klip::sql
