// The functions of the filter language: Name(arguments).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "klip/filter.h"

namespace klip::filter {

struct Argument {
  std::string text;  // without quotes
  bool quoted = false;
};

struct Function {
  std::string_view name;
  FilterNames names;  // kHBase: HBase has it too
  Expected<FilterPtr> (*make)(const std::vector<Argument>& arguments, FilterNames names);
};

// nullptr: no such function among `names`.
const Function* FindFunction(std::string_view name, FilterNames names);

}  // namespace klip::filter
