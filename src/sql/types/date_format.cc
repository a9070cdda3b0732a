#include "sql/types/date_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "sql/types/codec.h"
#include "sql/types/time_text.h"

namespace klip::sql {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                       "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 2> kHalves = {"AM", "PM"};
constexpr std::array<std::string_view, 2> kEras = {"BC", "AD"};
constexpr std::string_view kPatternLetters = "GyYMdDEuFwWaHkKhmsSzZX";

std::string ZeroPadded(int64_t number, size_t width) {
  std::string digits = std::to_string(number);
  return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

// Removes one of the names, or its first three letters, from the front; -1: none.
int TakeName(std::string_view* text, std::span<const std::string_view> names) {
  for (bool whole : {true, false}) {
    for (size_t i = 0; i < names.size(); i++) {
      std::string_view name = whole ? names[i] : names[i].substr(0, 3);
      if (StartsWithIgnoringCase(*text, name)) {
        text->remove_prefix(name.size());
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

// Removes up to `most` digits, after a sign if `sign` is set.
std::optional<int64_t> TakeNumber(std::string_view* text, size_t most, bool sign) {
  bool negative = sign && text->starts_with('-');
  size_t at = negative ? 1 : 0;
  size_t begin = at;
  int64_t number = 0;
  for (; at < text->size() && at - begin < std::min<size_t>(most, 9) &&
         std::isdigit(static_cast<unsigned char>((*text)[at]));
       at++) {
    number = number * 10 + ((*text)[at] - '0');
  }
  if (at == begin) {
    return std::nullopt;
  }
  text->remove_prefix(at);
  return negative ? -number : number;
}

// The parts of a time found in a text.
struct Parts {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  std::optional<int64_t> day_of_year;
  bool before_christ = false;
  int64_t hour = 0;
  std::optional<int64_t> half;  // of the day: 1 is PM
  int64_t minute = 0;
  int64_t second = 0;
  int64_t ms = 0;
  std::optional<TimeZone> zone;

  // In the zone's local time. Days and hours may exceed their limits, as in Java's lenient calendars.
  int64_t Local() const {
    int64_t years = FloorDivide(month - 1, 12);
    int64_t astronomical = before_christ ? 1 - year : year;
    CivilDay first{astronomical + years, static_cast<int>(month - 1 - 12 * years) + 1, 1};
    int64_t days =
        day_of_year ? DaysSince1970({astronomical, 1, 1}) + *day_of_year - 1 : DaysSince1970(first) + day - 1;
    int64_t hours = half ? hour % 12 + 12 * *half : hour;
    return days * kMsPerDay + hours * 3'600'000 + minute * 60'000 + second * 1000 + ms;
  }
};

// "GMT+02:00", "UTC", "+0200", "Z", or a zone's name.
bool TakeZone(std::string_view* text, Parts* parts) {
  size_t size = 0;
  while (size < text->size() && (std::isalnum(static_cast<unsigned char>((*text)[size])) ||
                                 std::string_view("/_:+-").find((*text)[size]) != std::string_view::npos)) {
    size++;
  }
  Expected<TimeZone> zone = TimeZone::Of(text->substr(0, size));
  if (size == 0 || !zone.ok()) {
    return false;
  }
  parts->zone = *zone;
  text->remove_prefix(size);
  return true;
}

// Two digits mean the year within the hundred years that start 80 years ago.
int64_t WholeYear(int64_t two_digits, int64_t now_ms) {
  int64_t first = DayOf(FloorDivide(now_ms, kMsPerDay)).year - 80;
  int64_t year = first - first % 100 + two_digits;
  return year < first ? year + 100 : year;
}

bool TakeYear(std::string_view* text, size_t count, size_t most, int64_t now_ms, Parts* parts) {
  size_t before = text->size();
  std::optional<int64_t> year = TakeNumber(text, most, true);
  constexpr int64_t kLastYear = 200'000'000;  // roughly the limit of milliseconds
  if (!year || *year > kLastYear || *year < -kLastYear) {
    return false;
  }
  parts->year = count <= 2 && before - text->size() == 2 && *year >= 0 ? WholeYear(*year, now_ms) : *year;
  return true;
}

bool TakeIn(std::string_view* text, size_t most, int64_t* part) {
  std::optional<int64_t> number = TakeNumber(text, most, true);
  *part = number.value_or(0);
  return number.has_value();
}

bool TakeNamed(std::string_view* text, char letter, Parts* parts) {
  if (letter == 'E') {
    return TakeName(text, kWeekDays) >= 0;
  }
  if (letter == 'M') {
    parts->month = TakeName(text, kMonths) + 1;
    return parts->month > 0;
  }
  int at = TakeName(text, letter == 'a' ? kHalves : kEras);
  if (letter == 'a') {
    parts->half = at;
  } else {
    parts->before_christ = at == 0;
  }
  return at >= 0;
}

bool TakeField(std::string_view* text, char letter, size_t most, Parts* parts) {
  int64_t number = 0;
  switch (letter) {
    case 'M':
      return TakeIn(text, most, &parts->month);
    case 'd':
      return TakeIn(text, most, &parts->day);
    case 'D':
      parts->day_of_year = 0;
      return TakeIn(text, most, &*parts->day_of_year);
    case 'k':
      return TakeIn(text, most, &parts->hour) && (parts->hour %= 24, true);
    case 'h':
      return TakeIn(text, most, &parts->hour) && (parts->hour = parts->hour == 12 ? 0 : parts->hour, true);
    case 'H':
    case 'K':
      return TakeIn(text, most, &parts->hour);
    case 'm':
      return TakeIn(text, most, &parts->minute);
    case 's':
      return TakeIn(text, most, &parts->second);
    case 'S':
      return TakeIn(text, most, &parts->ms);
    default:
      return TakeIn(text, most, &number);
  }
}

bool IsZone(char letter) { return letter == 'z' || letter == 'Z' || letter == 'X'; }

// Weeks begin on Sunday, and the week of 1 January is the first of its year: so the year's last days may be in it.
bool IsInNextYear(int64_t days, const CivilDay& day) {
  const int64_t next = DaysSince1970({day.year + 1, 1, 1});
  return days >= next - WeekDay(next) % 7;
}

// The number of the week for the day `number` of a year or month; `first` is day 1.
int64_t WeekOf(int64_t number, int64_t first) { return (number - 1 + WeekDay(first) % 7) / 7 + 1; }

// nullopt: not a letter for the number of a day or week.
std::optional<int64_t> DayNumber(char letter, int64_t days, const CivilDay& day) {
  const int64_t first_of_year = DaysSince1970({day.year, 1, 1});
  switch (letter) {
    case 'd':
      return day.day;
    case 'D':
      return days - first_of_year + 1;
    case 'F':
      return (day.day - 1) / 7 + 1;
    case 'u':
      return WeekDay(days);
    case 'w':
      return IsInNextYear(days, day) ? 1 : WeekOf(days - first_of_year + 1, first_of_year);
    case 'W':
      return WeekOf(day.day, days - day.day + 1);
    default:
      return std::nullopt;
  }
}

bool IsNamed(char letter, size_t count) {
  return letter == 'E' || letter == 'a' || letter == 'G' || (letter == 'M' && count >= 3);
}

std::string ZoneText(char letter, size_t count) {
  if (letter == 'z') {
    return count >= 4 ? "Greenwich Mean Time" : "GMT";
  }
  return letter == 'X' || count == 2 ? "Z" : "+0000";
}

}  // namespace

Expected<DateFormat> DateFormat::Of(std::string_view pattern) {
  DateFormat format;
  format.pattern_ = pattern;
  bool quoted = false;
  for (size_t i = 0; i < pattern.size();) {
    char c = pattern[i];
    if (c == '\'') {
      bool twice = pattern.substr(i).starts_with("''");
      if (twice) {
        format.fields_.push_back({0, 1, "'"});
      }
      quoted = twice ? quoted : !quoted;
      i += twice ? 2 : 1;
      continue;
    }
    bool letter = !quoted && std::isalpha(static_cast<unsigned char>(c));
    size_t count = 1;
    while (letter && i + count < pattern.size() && pattern[i + count] == c) {
      count++;
    }
    c = letter && c == 'L' ? 'M' : c;
    if (letter && kPatternLetters.find(c) == std::string_view::npos) {
      return SqlError(201, "22000", "Illegal data. Illegal pattern character '" + std::string(1, c) + "'");
    }
    format.fields_.push_back({letter ? c : '\0', count, letter ? std::string() : std::string(1, c)});
    i += count;
  }
  return format;
}

std::string DateFormat::Format(int64_t ms) const {
  int64_t days = FloorDivide(ms, kMsPerDay);
  int64_t rest = ms - days * kMsPerDay;
  CivilDay day = DayOf(days);
  int64_t year = day.year <= 0 ? 1 - day.year : day.year;
  int64_t hour = rest / 3'600'000;
  std::string text;
  for (const Field& field : fields_) {
    auto name = [&field](std::string_view whole) { return whole.substr(0, field.count >= 4 ? whole.npos : 3); };
    auto number = [&](int64_t value) { text += ZeroPadded(value, field.count); };
    auto in_year = [&](int64_t of) {
      text += field.count == 2 ? ZeroPadded(of % 100, 2) : ZeroPadded(of, std::max<size_t>(field.count, 4));
    };
    if (const std::optional<int64_t> day_number = DayNumber(field.letter, days, day); day_number.has_value()) {
      number(*day_number);
      continue;
    }
    switch (field.letter) {
      case 'G':
        text += kEras[day.year > 0 ? 1 : 0];
        break;
      case 'y':
        in_year(year);
        break;
      case 'Y':
        in_year(year + (IsInNextYear(days, day) ? 1 : 0));
        break;
      case 'M':
        text += field.count >= 3 ? std::string(name(kMonths[static_cast<size_t>(day.month - 1)]))
                                 : ZeroPadded(day.month, field.count);
        break;
      case 'E':
        text += name(kWeekDays[static_cast<size_t>(WeekDay(days) - 1)]);
        break;
      case 'a':
        text += kHalves[hour < 12 ? 0 : 1];
        break;
      case 'H':
        number(hour);
        break;
      case 'k':
        number(hour == 0 ? 24 : hour);
        break;
      case 'K':
        number(hour % 12);
        break;
      case 'h':
        number(hour % 12 == 0 ? 12 : hour % 12);
        break;
      case 'm':
        number(rest / 60'000 % 60);
        break;
      case 's':
        number(rest / 1000 % 60);
        break;
      case 'S':
        number(rest % 1000);
        break;
      default:
        text += field.letter == 0 ? field.text : ZoneText(field.letter, field.count);
    }
  }
  return text;
}

Expected<int64_t> DateFormat::Parse(std::string_view text, const TimeZone& zone, int64_t now_ms) const {
  Parts parts;
  std::string_view rest = text;
  for (size_t i = 0; i < fields_.size(); i++) {
    const Field& field = fields_[i];
    bool good = true;
    if (field.letter == 0) {
      good = rest.starts_with(field.text);
      rest.remove_prefix(good ? field.text.size() : 0);
    } else if (std::string_view("YwWF").find(field.letter) != std::string_view::npos) {
      return SqlError(201, "22000",
                      "Illegal data. '" + std::string(1, field.letter) + "' in the format of a text that is a time");
    } else {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      // Adjacent numbers have as many digits as the pattern.
      const Field* next = i + 1 < fields_.size() ? &fields_[i + 1] : nullptr;
      bool joined =
          next != nullptr && next->letter != 0 && !IsZone(next->letter) && !IsNamed(next->letter, next->count);
      size_t most = joined ? field.count : std::string_view::npos;
      good = IsZone(field.letter)                 ? TakeZone(&rest, &parts)
             : IsNamed(field.letter, field.count) ? TakeNamed(&rest, field.letter, &parts)
             : field.letter == 'y'                ? TakeYear(&rest, field.count, most, now_ms, &parts)
                                                  : TakeField(&rest, field.letter, most, &parts);
    }
    if (!good) {
      return SqlError(201, "22000",
                      "Illegal data. Unable to parse date/time '" + std::string(text) + "' using format string of '" +
                          pattern_ + "'.");
    }
  }
  return (parts.zone ? *parts.zone : zone).ToUtc(parts.Local());
}

}  // namespace klip::sql
