// A finished key range as a line of a state file or manifest, with fields separated by tabs and bytes as \xNN:
//
//   done <start> <stop> <rows> <cells> <delete markers> <bytes> <omitted tags> <file>
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copy/key_range.h"
#include "klip/copy.h"

namespace klip::copy {

struct DonePart {
  KeyRange range;
  CopyCounts counts;
  std::string file;  // the file of an export that contains it; empty for a range without rows
};

std::vector<std::string_view> SplitAtTabs(std::string_view line);

// False: not such a line.
bool ParsePart(const std::vector<std::string_view>& fields, DonePart* part);
std::string LineOf(const DonePart& part);

}  // namespace klip::copy
