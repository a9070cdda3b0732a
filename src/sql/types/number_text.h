// Numbers as Java prints them.
#pragma once

#include <string>

namespace klip::sql {

std::string WholeText(__int128 value);

// As Double.toString and Float.toString: "1.0", "1.0E10", "NaN".
std::string JavaText(double value);
std::string JavaText(float value);

}  // namespace klip::sql
