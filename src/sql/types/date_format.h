// Formats times like Java's FastDateFormat, and parses them like SimpleDateFormat: "yyyy-MM-dd HH:mm", "d MMM yy".
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
  // English names, weeks from Sunday. Errors: 201 (22000): a letter that Java does not have.
  static Expected<DateFormat> Of(std::string_view pattern);

  // In UTC.
  std::string Format(int64_t ms) const;
  // Returns milliseconds. `zone`: for texts without a zone. Ignores what follows the pattern's end. Two digits of a year
  // mean one from 80 years before `now_ms` to 20 after. Errors: 201 (22000), also for a pattern with weeks (Y, w, W, F).
  Expected<int64_t> Parse(std::string_view text, const TimeZone& zone, int64_t now_ms) const;

 private:
  struct Field {
    char letter;  // 0: literal text
    size_t count;
    std::string text;
  };

  std::string pattern_;
  std::vector<Field> fields_;
};

}  // namespace klip::sql
