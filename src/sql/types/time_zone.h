// Time zones from the machine's /usr/share/zoneinfo.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::sql {

class TimeZone {
 public:
  TimeZone() = default;  // UTC

  // "Europe/Berlin", "GMT", "GMT+2", "GMT-03:30", "local" (the machine's). Errors: 201 (22000): no such zone.
  static Expected<TimeZone> Of(std::string_view name);

  // Milliseconds to add to a UTC time.
  int64_t OffsetAt(int64_t utc_ms) const;
  // UTC of a local time. If there are two, the earlier.
  int64_t ToUtc(int64_t local_ms) const;

 private:
  struct Transition {
    int64_t from_ms;
    int64_t offset_ms;
  };

  bool Read(std::string_view bytes);

  int64_t first_offset_ms_ = 0;
  std::vector<Transition> transitions_;  // ascending; summer time is known up to 2037, and repeated every 28 years
};

}  // namespace klip::sql
