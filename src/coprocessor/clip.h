// Limits a scan to the rows of a region.
#pragma once

#include <string>

#include "klip/query.h"

namespace klip::coprocessor {

// False: the region contains nothing of the scan.
inline bool ClipToRegion(const std::string& start_key, const std::string& end_key, Scan* scan) {
  std::string& low = scan->reversed ? scan->stop_row : scan->start_row;
  bool& low_included = scan->reversed ? scan->include_stop : scan->include_start;
  std::string& high = scan->reversed ? scan->start_row : scan->stop_row;
  bool& high_included = scan->reversed ? scan->include_start : scan->include_stop;
  if (low < start_key) {
    low = start_key;
    low_included = true;
  }
  if (!end_key.empty() && (high.empty() || high >= end_key)) {
    high = end_key;
    high_included = false;
  }
  return high.empty() || low < high || (low == high && low_included && high_included);
}

}  // namespace klip::coprocessor
