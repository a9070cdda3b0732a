#include "rowkey/time_text.h"

#include <charconv>
#include <chrono>

namespace klip::rowkey {
namespace {

namespace chrono = std::chrono;

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;

int64_t StartOfDay(chrono::year_month_day day) {
  return static_cast<int64_t>(chrono::sys_days(day).time_since_epoch().count()) * kDayMs;
}

// Reads a time from left to right. Each function returns false if the text continues differently.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return text_.empty(); }
  char Peek() const { return text_.empty() ? '\0' : text_.front(); }

  bool Consume(char c) {
    if (Peek() != c || text_.empty()) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  // Exactly `digits` digits of a number up to `limit`.
  bool Number(size_t digits, int limit, int* out) {
    if (text_.size() < digits) {
      return false;
    }
    *out = 0;
    for (const char c : text_.substr(0, digits)) {
      if (c < '0' || c > '9') {
        return false;
      }
      *out = *out * 10 + (c - '0');
    }
    text_.remove_prefix(digits);
    return *out <= limit;
  }

 private:
  std::string_view text_;
};

// Z, +hh:mm or -hh:mm; if missing, UTC.
bool ReadOffset(TimeReader* reader, int64_t* offset_ms) {
  *offset_ms = 0;
  if (reader->AtEnd() || reader->Consume('Z') || reader->Consume('z')) {
    return reader->AtEnd();
  }
  const bool west = reader->Peek() == '-';
  int hours = 0;
  int minutes = 0;
  if ((!reader->Consume('-') && !reader->Consume('+')) || !reader->Number(2, 23, &hours)) {
    return false;
  }
  if (!reader->AtEnd() && (!reader->Consume(':') || !reader->Number(2, 59, &minutes))) {
    return false;
  }
  *offset_ms = (west ? -1 : 1) * (hours * kHourMs + minutes * kMinuteMs);
  return reader->AtEnd();
}

// What follows "2014-06-28T": hh[:mm[:ss[.fff]]]. Sets the time of day and the length of the span.
bool ReadTimeOfDay(TimeReader* reader, int64_t* time_ms, int64_t* length_ms) {
  int number = 0;
  if (!reader->Number(2, 23, &number)) {
    return false;
  }
  *time_ms = number * kHourMs;
  *length_ms = kHourMs;
  if (!reader->Consume(':')) {
    return true;
  }
  if (!reader->Number(2, 59, &number)) {
    return false;
  }
  *time_ms += number * kMinuteMs;
  *length_ms = kMinuteMs;
  if (!reader->Consume(':')) {
    return true;
  }
  if (!reader->Number(2, 59, &number)) {
    return false;
  }
  *time_ms += number * kSecondMs;
  *length_ms = kSecondMs;
  if (!reader->Consume('.')) {
    return true;
  }
  for (int64_t digit_ms = 100; digit_ms > 0 && reader->Number(1, 9, &number); digit_ms /= 10) {
    *time_ms += number * digit_ms;
    *length_ms = digit_ms;
  }
  return *length_ms < kSecondMs;
}

// Milliseconds of "ms", "s", "m", "h", "d" or "w"; 0 for anything else.
int64_t UnitMs(std::string_view unit) {
  return unit == "ms"  ? 1
         : unit == "s" ? kSecondMs
         : unit == "m" ? kMinuteMs
         : unit == "h" ? kHourMs
         : unit == "d" ? kDayMs
         : unit == "w" ? 7 * kDayMs
                       : 0;
}

}  // namespace

std::optional<TimeSpan> ParseTime(std::string_view text) {
  TimeReader reader(text);
  int year = 0;
  int month = 0;
  if (!reader.Number(4, 9999, &year) || !reader.Consume('-') || !reader.Number(2, 12, &month) || month == 0) {
    return std::nullopt;
  }
  const chrono::year_month_day first(chrono::year(year), chrono::month(static_cast<unsigned>(month)), chrono::day(1));
  if (reader.AtEnd()) {
    const chrono::year_month_day next(first + chrono::months(1));
    return TimeSpan{StartOfDay(first), StartOfDay(next) - 1};
  }
  int day = 0;
  if (!reader.Consume('-') || !reader.Number(2, 31, &day)) {
    return std::nullopt;
  }
  const chrono::year_month_day date(first.year(), first.month(), chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) {
    return std::nullopt;
  }
  int64_t time_ms = 0;
  int64_t length_ms = kDayMs;
  int64_t offset_ms = 0;
  if (!reader.AtEnd()) {
    if ((!reader.Consume('T') && !reader.Consume('t') && !reader.Consume(' ')) ||
        !ReadTimeOfDay(&reader, &time_ms, &length_ms) || !ReadOffset(&reader, &offset_ms)) {
      return std::nullopt;
    }
  }
  const int64_t first_ms = StartOfDay(date) + time_ms - offset_ms;
  return TimeSpan{first_ms, first_ms + length_ms - 1};
}

bool IsRelativeTime(std::string_view text) { return text.starts_with("now") || text.starts_with("today"); }

std::optional<TimeSpan> ParseRelativeTime(std::string_view text, int64_t now_ms) {
  TimeSpan span{now_ms, now_ms};
  if (text.starts_with("today")) {
    text.remove_prefix(5);
    span.first_ms = (now_ms >= 0 ? now_ms / kDayMs : (now_ms - kDayMs + 1) / kDayMs) * kDayMs;
    span.last_ms = span.first_ms + kDayMs - 1;
  } else if (text.starts_with("now")) {
    text.remove_prefix(3);
  } else {
    return std::nullopt;
  }
  if (text.empty()) {
    return span;
  }
  const char sign = text.front();
  text.remove_prefix(1);
  int64_t count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const int64_t unit_ms = UnitMs(text.substr(static_cast<size_t>(end - text.data())));
  constexpr int64_t kMaxOffsetMs = 1'000'000 * kDayMs;  // keeps the sums below in range
  if ((sign != '-' && sign != '+') || error != std::errc() || count < 0 || unit_ms == 0 ||
      count > kMaxOffsetMs / unit_ms) {
    return std::nullopt;
  }
  const int64_t offset_ms = (sign == '-' ? -1 : 1) * count * unit_ms;
  return TimeSpan{span.first_ms + offset_ms, span.last_ms + offset_ms};
}

std::optional<std::string> DayOf(int64_t time_ms) {
  const auto days = chrono::floor<chrono::days>(chrono::sys_time<chrono::milliseconds>(chrono::milliseconds(time_ms)));
  const chrono::year_month_day day(days);
  const int year = static_cast<int>(day.year());
  if (year < 0 || year > 9999) {
    return std::nullopt;
  }
  const std::string digits =
      std::to_string(100'000'000 + year * 10'000 + static_cast<int>(static_cast<unsigned>(day.month())) * 100 +
                     static_cast<int>(static_cast<unsigned>(day.day())));
  return digits.substr(1);
}

}  // namespace klip::rowkey
