// The coprocessors that a table's attributes name, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"

namespace klip::base {

// Of an attribute `coprocessor$1` = "path|name|priority|key=value,...", each part without the blanks around it.
struct CoprocessorSpec {
  std::string attribute;  // coprocessor$1
  std::string path;       // of a jar or a WebAssembly module; empty: a Java class on the class path
  std::string name;       // empty: the spec cannot be read
  std::string priority;
  std::string arguments;

  // A WebAssembly module, and no Java class.
  bool is_module() const { return path.ends_with(".wasm"); }
};

// All of a table, in the order of the attributes' names.
std::vector<CoprocessorSpec> CoprocessorSpecsOf(const TableDescriptor& table);

}  // namespace klip::base
