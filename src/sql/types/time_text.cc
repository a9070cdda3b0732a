#include "sql/types/time_text.h"

#include <array>
#include <cstdio>
#include <optional>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int64_t kGregorianFrom = -141427;  // 1582-10-15

// Days from the calendar's 0000-03-01 to the day.
int64_t DaysOfCalendar(const CivilDay& day, bool gregorian) {
  int64_t year = day.year - (day.month <= 2 ? 1 : 0);
  int64_t days = 365 * year + FloorDivide(year, 4) + (153 * ((day.month + 9) % 12) + 2) / 5 + day.day - 1;
  return gregorian ? days - FloorDivide(year, 100) + FloorDivide(year, 400) : days;
}

int64_t CalendarDays(const CivilDay& day, bool gregorian) {
  return DaysOfCalendar(day, gregorian) - (gregorian ? 719468 : 719470);
}

// Reads a text from left to right.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool Skip(char c) {
    bool found = rest_.starts_with(c);
    rest_.remove_prefix(found ? 1 : 0);
    return found;
  }
  // A number of `least` to `most` digits.
  std::optional<int64_t> Number(size_t least, size_t most) {
    int64_t number = 0;
    size_t digits = 0;
    while (digits < most && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      number = number * 10 + (rest_[digits++] - '0');
    }
    rest_.remove_prefix(digits);
    digits_ = digits;
    return digits < least ? std::nullopt : std::optional(number);
  }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  bool at_end() const { return rest_.empty(); }
  size_t digits() const { return digits_; }  // of the last number

 private:
  std::string_view rest_;
  size_t digits_ = 0;
};

struct Instant {
  int64_t ms = 0;
  int32_t nanos = 0;
};

// The rest of "2015-W05[-3]": a week of ISO 8601, and its day from 1, Monday.
std::optional<int64_t> ReadWeek(TimeReader* reader, int64_t year) {
  const int64_t fourth = DaysSince1970({year, 1, 4});  // in the first week
  const std::optional<int64_t> week = reader->Number(1, 2);
  const std::optional<int64_t> day = reader->Skip('-') ? reader->Number(1, 1) : std::optional<int64_t>(1);
  if (!week || !day || *week < 1 || *day < 1 || *day > 7) {
    return std::nullopt;
  }
  const int64_t monday = fourth - WeekDay(fourth) + 1 + (*week - 1) * 7;
  return DayOf(monday + 3).year == year ? std::optional(monday + *day - 1) : std::nullopt;
}

// "2014[-06[-28]]" or "2014-W26[-6]" as days since 1970.
std::optional<int64_t> ReadDay(TimeReader* reader) {
  bool negative = reader->Skip('-');
  std::optional<int64_t> year = reader->Number(1, 9);
  CivilDay day{0, 1, 1};
  if (!year) {
    return std::nullopt;
  }
  day.year = negative ? -*year : *year;
  if (reader->Skip('-')) {
    if (reader->Skip('W')) {
      return ReadWeek(reader, day.year);
    }
    std::optional<int64_t> month = reader->Number(1, 2);
    if (!month || *month < 1 || *month > 12) {
      return std::nullopt;
    }
    day.month = static_cast<int>(*month);
    if (reader->Skip('-')) {
      std::optional<int64_t> number = reader->Number(1, 2);
      if (!number || *number < 1 || *number > DaysOfMonth(day.year, day.month)) {
        return std::nullopt;
      }
      day.day = static_cast<int>(*number);
    }
  }
  return DaysSince1970(day);
}

// ".5" to ".123456789".
bool ReadFraction(TimeReader* reader, Instant* instant) {
  if (!reader->Skip('.') && !reader->Skip(',')) {
    return true;
  }
  std::optional<int64_t> fraction = reader->Number(1, 9);
  if (!fraction) {
    return false;
  }
  for (size_t i = reader->digits(); i < 9; i++) {
    *fraction *= 10;
  }
  instant->ms += *fraction / 1'000'000;
  instant->nanos = static_cast<int32_t>(*fraction % 1'000'000);
  return true;
}

// "12[:30[:00[.250]]]".
bool ReadTimeOfDay(TimeReader* reader, Instant* instant) {
  constexpr std::array<int64_t, 3> kUnits = {3'600'000, 60'000, 1000};
  constexpr std::array<int64_t, 3> kLimits = {24, 60, 60};
  for (size_t i = 0; i < kUnits.size(); i++) {
    std::optional<int64_t> number = reader->Number(1, 2);
    if (!number || *number >= kLimits[i]) {
      return false;
    }
    instant->ms += *number * kUnits[i];
    if (i == 2) {
      return ReadFraction(reader, instant);
    }
    if (!reader->Skip(':')) {
      return true;
    }
  }
  return true;
}

// "Z", "+02:00", "+0200", "+02" or nothing.
bool ReadOffset(TimeReader* reader, Instant* instant) {
  if (reader->Skip('Z') || reader->at_end()) {
    return true;
  }
  bool east = reader->Skip('+');
  if (!east && !reader->Skip('-')) {
    return false;
  }
  std::optional<int64_t> hours = reader->Number(2, 2);
  std::optional<int64_t> minutes = 0;
  if (reader->Skip(':') || reader->at_digit()) {
    minutes = reader->Number(2, 2);
  }
  if (!hours || !minutes || *hours > 23 || *minutes > 59) {
    return false;
  }
  instant->ms -= (east ? 1 : -1) * (*hours * 60 + *minutes) * 60'000;
  return true;
}

std::optional<Instant> ReadInstant(std::string_view text) {
  TimeReader reader(text);
  Instant instant;
  std::optional<int64_t> days = ReadDay(&reader);
  if (!days) {
    return std::nullopt;
  }
  instant.ms = *days * kMsPerDay;
  bool blank = reader.Skip(' ');
  bool letter = reader.Skip('T');
  if ((letter || (blank && !reader.at_end())) &&
      (!ReadTimeOfDay(&reader, &instant) || !ReadOffset(&reader, &instant))) {
    return std::nullopt;
  }
  return reader.at_end() ? std::optional(instant) : std::nullopt;
}

}  // namespace

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

int64_t MillisOf(const Value& time) { return IsTimestamp(time.type()) ? time.timestamp().ms : time.integer(); }

int WeekDay(int64_t days) { return static_cast<int>(days + 3 - FloorDivide(days + 3, 7) * 7) + 1; }

int WeekOfYear(int64_t days) {
  int64_t thursday = days - WeekDay(days) + 4;
  return static_cast<int>((thursday - DaysSince1970({DayOf(thursday).year, 1, 1})) / 7) + 1;
}

int64_t DaysSince1970(const CivilDay& day) {
  int64_t gregorian = CalendarDays(day, true);
  return gregorian >= kGregorianFrom ? gregorian : CalendarDays(day, false);
}

CivilDay DayOf(int64_t days) {
  bool gregorian = days >= kGregorianFrom;
  int64_t from_march = days + (gregorian ? 719468 : 719470);
  int64_t century_days = 0;
  if (gregorian) {  // as if every century had its leap day
    int64_t centuries = (4 * from_march + 3) / 146097;
    century_days = centuries - centuries / 4;
  }
  int64_t julian = from_march + century_days;
  int64_t year = FloorDivide(4 * julian + 3, 1461);
  auto day_of_year = static_cast<int>(julian - (365 * year + FloorDivide(year, 4)));
  int month = (5 * day_of_year + 2) / 153;  // counted from March
  int day = day_of_year - (153 * month + 2) / 5 + 1;
  return {year + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day};
}

int DaysOfMonth(int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year < 1583 || year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
}

std::string TimeText(int64_t ms) {
  int64_t days = FloorDivide(ms, kMsPerDay);
  CivilDay day = DayOf(days);
  int64_t rest = ms - days * kMsPerDay;
  std::array<char, 64> buffer;
  int size = std::snprintf(buffer.data(), buffer.size(), "%04lld-%02d-%02d %02d:%02d:%02d.%03d",
                           static_cast<long long>(day.year <= 0 ? 1 - day.year : day.year), day.month, day.day,
                           static_cast<int>(rest / 3'600'000), static_cast<int>(rest / 60'000 % 60),
                           static_cast<int>(rest / 1000 % 60), static_cast<int>(rest % 1000));
  return {buffer.data(), static_cast<size_t>(size)};
}

Expected<Value> ParseTime(std::string_view text, Type type) {
  std::optional<Instant> instant = ReadInstant(text);
  if (!instant) {
    return SqlError(201, "22000", "Illegal data. Invalid format: \"" + std::string(text) + "\"");
  }
  if (IsTimestamp(type)) {
    return Value(type, Value::Timestamp{instant->ms, instant->nanos});
  }
  return Value(type, instant->ms);
}

}  // namespace klip::sql
