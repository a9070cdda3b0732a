// Formats figures for people.
#pragma once

#include <string>
#include <string_view>

namespace klip::rowkey {

// "1,000", "10,950,000"; below 10 with one digit after the point unless whole.
std::string FormatCount(double count);

// With a noun, which gets an "s" unless the count reads "1": "1 jump", "0.7 rows".
std::string FormatCount(double count, std::string_view noun);

// "850 us", "13.5 ms", "2.7 s".
std::string FormatTime(double time_us);

}  // namespace klip::rowkey
