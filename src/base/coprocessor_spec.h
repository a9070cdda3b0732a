// The coprocessors that a table's attributes name, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::base {

// The parts of an attribute `coprocessor$1` = "path|name|priority|key=value,...", each without surrounding blanks.
struct CoprocessorSpec {
  std::string attribute;  // coprocessor$1
  std::string path;       // of a jar or a WebAssembly module; empty: a Java class on the class path
  std::string name;       // empty: the specification is unreadable
  std::string priority;
  std::string arguments;

  // Whether it is a WebAssembly module, not a Java class.
  bool is_module() const { return path.ends_with(".wasm"); }
};

// All coprocessors of a table, in the order of the attributes' names.
std::vector<CoprocessorSpec> CoprocessorSpecsOf(const TableDescriptor& table);

// Whether all of them can be read. Errors: kInvalidArgument with the text of HBase's client.
Status CheckCoprocessorSpecs(const TableDescriptor& table);

}  // namespace klip::base
