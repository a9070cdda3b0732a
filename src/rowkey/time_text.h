// Dates and times in people's notation, for key fields of type date, ts and reverse_ts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace klip::rowkey {

// A span of time, both ends included, in milliseconds since 1970. A text names a span as long as its last part: "2014-06"
// is all of June, "2014-06-28T12:30" one minute, and "2014-06-28T12:30:00.250" one millisecond.
struct TimeSpan {
  int64_t first_ms = 0;
  int64_t last_ms = 0;
  bool operator==(const TimeSpan&) const = default;
};

// ISO 8601: YYYY-MM, then optionally -DD, Thh (or a blank), :mm, :ss, .fff, and after a time of day optionally Z, +hh:mm
// or -hh:mm. Without an offset the time is UTC. nullopt if the text has another form, or no such day or time exists.
std::optional<TimeSpan> ParseTime(std::string_view text);

// Whether ParseRelativeTime may accept the text, which then needs a clock.
bool IsRelativeTime(std::string_view text);

// "now" is a millisecond and "today" a day (UTC); both take an offset: now-1h, now+30s, today-7d. Units: ms, s, m
// (minutes), h, d, w. nullopt if the text has another form.
std::optional<TimeSpan> ParseRelativeTime(std::string_view text, int64_t now_ms);

// The day (UTC) of a time, as a date field holds it: "20140628". nullopt outside the years 0 to 9999.
std::optional<std::string> DayOf(int64_t time_ms);

}  // namespace klip::rowkey
