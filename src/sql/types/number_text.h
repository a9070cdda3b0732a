// Formats numbers like Java.
#pragma once

#include <string>

namespace klip::sql {

std::string WholeText(__int128 value);

// Like Double.toString and Float.toString: "1.0", "1.0E10", "NaN".
std::string JavaText(double value);
std::string JavaText(float value);

}  // namespace klip::sql
