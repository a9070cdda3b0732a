// Figures in the format of findings.
#pragma once

#include <string>

#include "rowkey/explain_text.h"

namespace klip::advise {

inline std::string Figure(double value) { return rowkey::FormatCount(value); }
inline std::string Figure(double value, std::string_view noun) { return rowkey::FormatCount(value, noun); }
inline std::string Time(double time_us) { return rowkey::FormatTime(time_us); }
std::string Percent(double share);  // "82 %", "0.3 %"
std::string Bytes(double bytes);    // "1.5 MB", of 1,000 each

}  // namespace klip::advise
