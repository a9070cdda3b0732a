// Compares the output of an op on klip and on HBase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/connection.h"

namespace klip::ops {

// Op lines on a store of their own; the first makes the table.
struct ParityCase {
  uint64_t seed = 0;
  std::vector<std::string> ops;
  ConnectionOptions options;  // of klip
};

struct Difference {
  size_t op = 0;
  std::string klip;
  std::string hbase;
};

// What klip prints for each op, in a store of its own.
std::vector<std::string> RunOnKlip(const ParityCase& test);

// HBase failed by a bug of its own: nothing to compare with (left_out.h: server-fault).
bool IsServerFault(const std::string& hbase);

// Every cell must be the same, and of errors the class: their texts name what is HBase's own, as regions and servers. Pieces
// of rows may be cut differently where the op says partial=, for they are cut by size in memory.
bool SameOutput(std::string_view op, const std::string& klip, const std::string& hbase);

// The first op whose output is not the same.
std::optional<Difference> FirstDifference(const ParityCase& test, const std::vector<std::string>& klip,
                                          const std::vector<std::string>& hbase);

// Writes the case as a golden file, with what HBase printed as the expected output.
void WriteAsGoldenFile(const std::string& path, const ParityCase& test, const std::vector<std::string>& hbase);

}  // namespace klip::ops
