// Small inputs of all kinds, with which fuzzing starts.
#pragma once

#include <string>
#include <vector>

namespace klip::fuzz {

std::vector<std::string> Seeds();

}  // namespace klip::fuzz
