// Times by a pattern, as Java's FastDateFormat prints and SimpleDateFormat reads them: "yyyy-MM-dd HH:mm", "d MMM yy".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"
#include "sql/types/time_zone.h"

namespace klip::sql {

class DateFormat {
 public:
  // English names. Errors: 201 (22000): a letter that Java does not know, or one of Y w W F, or z with four letters.
  static Expected<DateFormat> Of(std::string_view pattern);

  // In UTC.
  std::string Format(int64_t ms) const;
  // Milliseconds. `zone` is that of texts without one. What follows the pattern's end is not looked at. Two digits of a year are
  // those from 80 years before `now_ms` to 20 after. Errors: 201 (22000).
  Expected<int64_t> Parse(std::string_view text, const TimeZone& zone, int64_t now_ms) const;

 private:
  struct Field {
    char letter;  // 0: the text itself
    size_t count;
    std::string text;
  };

  std::string pattern_;
  std::vector<Field> fields_;
};

}  // namespace klip::sql
