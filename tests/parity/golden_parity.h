// Runs the golden files on HBase, whose output must equal the expected one.
#pragma once

#include <string>

#include "parity/hbase_process.h"

namespace klip::ops {

struct GoldenCounts {
  size_t files = 0;
  size_t compared = 0;     // ops
  size_t klips_own = 0;    // ops that HBase does not have
  size_t left_out = 0;     // ops that HBase cannot do: left_out.h
  size_t on_purpose = 0;   // ops that are known to differ: left_out.h
  size_t differences = 0;  // all others; each is printed
};

// `directory` has the golden files. Printing names files as they are below it.
GoldenCounts CompareGoldenFiles(HBaseProcess& hbase, const std::string& directory);

}  // namespace klip::ops
