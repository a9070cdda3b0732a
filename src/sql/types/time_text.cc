// Times as text, in UTC: Phoenix's "yyyy-MM-dd HH:mm:ss.SSS" and ISO 8601, from the year alone to nanoseconds and an offset.
#include "sql/types/time_text.h"

#include <chrono>
#include <cstdio>
#include <optional>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int64_t kSecondMs = 1000;
constexpr int64_t kMinuteMs = 60 * kSecondMs;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;

class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : text_(text) {}

  // Nullopt: not a time.
  std::optional<Value::Timestamp> Read() {
    Value::Timestamp time;
    if (text_.find(':') != std::string_view::npos && text_.find(':') <= 2) {
      return ReadClock(&time) && at_ == text_.size() ? std::optional(time) : std::nullopt;
    }
    if (!ReadDate(&time)) {
      return std::nullopt;
    }
    if (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == 'T')) {
      ++at_;
      if (!ReadClock(&time) || !ReadOffset(&time)) {
        return std::nullopt;
      }
    }
    return at_ == text_.size() ? std::optional(time) : std::nullopt;
  }

 private:
  bool Take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  // A number of so many digits.
  bool Number(size_t least, size_t most, int* out) {
    const size_t begin = at_;
    *out = 0;
    while (at_ < text_.size() && at_ - begin < most && text_[at_] >= '0' && text_[at_] <= '9') {
      *out = *out * 10 + (text_[at_++] - '0');
    }
    return at_ - begin >= least;
  }

  bool ReadDate(Value::Timestamp* time) {
    const bool before_zero = Take('-');
    int year = 0;
    int month = 1;
    int day = 1;
    if (!Number(4, 6, &year) || (Take('-') && (!Number(1, 2, &month) || (Take('-') && !Number(1, 2, &day))))) {
      return false;
    }
    const std::chrono::year_month_day date{std::chrono::year(before_zero ? -year : year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) {
      return false;
    }
    time->ms = std::chrono::sys_days(date).time_since_epoch().count() * kDayMs;
    return true;
  }

  bool ReadClock(Value::Timestamp* time) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (!Number(1, 2, &hour) || (Take(':') && (!Number(1, 2, &minute) || (Take(':') && !Number(1, 2, &second))))) {
      return false;
    }
    if (hour > 23 || minute > 59 || second > 59) {
      return false;
    }
    time->ms += hour * kHourMs + minute * kMinuteMs + second * kSecondMs;
    if (Take('.') || Take(',')) {
      const size_t begin = at_;
      int fraction = 0;
      if (!Number(1, 9, &fraction)) {
        return false;
      }
      int64_t nanos = fraction;
      for (size_t digits = at_ - begin; digits < 9; ++digits) {
        nanos *= 10;
      }
      time->ms += nanos / 1'000'000;
      time->nanos = static_cast<int32_t>(nanos % 1'000'000);
    }
    return true;
  }

  bool ReadOffset(Value::Timestamp* time) {
    if (at_ == text_.size() || Take('Z')) {
      return true;
    }
    const bool east = Take('+');
    if (!east && !Take('-')) {
      return false;
    }
    int hours = 0;
    int minutes = 0;
    if (!Number(2, 2, &hours) || (Take(':'), at_ < text_.size() && !Number(2, 2, &minutes))) {
      return false;
    }
    const int64_t offset_ms = hours * kHourMs + minutes * kMinuteMs;
    time->ms -= east ? offset_ms : -offset_ms;
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Expected<Value> ParseTime(std::string_view text, Type type) {
  const std::optional<Value::Timestamp> time = TimeReader(text).Read();
  if (!time.has_value()) {
    return SqlError(201, "22000",
                    "Illegal data. '" + std::string(text.substr(0, 64)) + "' is not a " + std::string(TypeName(type)) +
                        "; write it as '2014-06-28 12:30:00'");
  }
  return IsTimestamp(type) ? Value(type, *time) : Value(type, time->ms);
}

std::string TimeText(int64_t ms, int32_t nanos) {
  const int64_t day = ms >= 0 ? ms / kDayMs : -((kDayMs - 1 - ms) / kDayMs);
  const int64_t in_day = ms - day * kDayMs;
  constexpr int64_t kMostDays = 11'000'000;  // of std::chrono's years, and of what anybody means
  if (day > kMostDays || day < -kMostDays) {
    return std::to_string(ms) + " ms";
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u %02d:%02d:%02d.%03d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(in_day / kHourMs), static_cast<int>(in_day / kMinuteMs % 60),
                static_cast<int>(in_day / kSecondMs % 60), static_cast<int>(in_day % kSecondMs));
  std::string out = text;
  if (nanos != 0) {
    std::snprintf(text, sizeof(text), "%06d", nanos);
    out += text;
  }
  return out;
}

}  // namespace klip::sql
