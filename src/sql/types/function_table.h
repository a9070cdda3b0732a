// How the files of functions say what they have.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sql/types/functions.h"

namespace klip::sql {

using ArgumentTypes = std::span<const FunctionArgument>;

// One function. `call` gets values of the arguments' own types, none of them NULL; `types` are those that it was bound for.
struct FunctionEntry {
  std::string_view name;
  size_t required;                           // arguments that may not be left out
  std::vector<std::vector<Type>> arguments;  // what each must be coercible to one of
  DataType (*type)(ArgumentTypes arguments);
  Expected<Value> (*call)(std::span<const Value> values, std::span<const DataType> types);
};

std::span<const FunctionEntry> TextFunctions();
std::span<const FunctionEntry> MathFunctions();

}  // namespace klip::sql
