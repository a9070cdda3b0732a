// Small inputs of all kinds, which fuzzing begins with.
#pragma once

#include <string>
#include <vector>

namespace klip::fuzz {

std::vector<std::string> Seeds();

}  // namespace klip::fuzz
