// Tables with unevenly distributed keys, and queries on them. The accuracy of the planner's estimates is measured on
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace klip::ops {

struct SkewTable {
  std::string name;
  std::string schema;
  std::vector<std::vector<std::string>> rows;  // values of the fields that take one
  // As texts of the query language, with values filled in from the rows (FillInAll in skew_values.h).
  std::vector<std::string> queries;
  std::vector<std::string> column =
      {};  // of each row, the value of d:c, or empty: the row has none; no value: the column does not matter
};

// Ten tables of about `rows` rows each, the same for the same number.
std::vector<SkewTable> MakeSkewTables(size_t rows);

// So many tables with random schemas, sizes, skews and queries: the estimates were not tuned on them.
std::vector<SkewTable> MakeRandomTables(size_t tables, uint64_t seed);

}  // namespace klip::ops
