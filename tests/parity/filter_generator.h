// Random filters, in klip's filter language with all names: every filter and comparator of HBase.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "ops/random.h"
#include "parity/op_generator.h"

namespace klip::ops {

class FilterGenerator {
 public:
  FilterGenerator(Random& random, const Alphabet& alphabet) : random_(random), alphabet_(alphabet) {}

  // A filter, or filters joined and wrapped.
  std::string Filter() { return Tree(3); }

 private:
  std::string Tree(int depth);
  std::string Joined(int depth);
  std::string Leaf();
  std::string RowLeaf();
  std::string ColumnLeaf();
  std::string CellLeaf();
  std::string ValueLeaf();
  std::string Fuzzy();
  std::string Ranges();
  std::string Timestamps();

  std::string Compared(const std::string& name, const std::string& comparator);
  std::string Op();
  std::string Comparator(const std::vector<std::string>& bytes);
  std::string Number(size_t below) { return std::to_string(random_.Below(below)); }
  std::string Flag() { return random_.OneIn(2) ? "true" : "false"; }
  std::string Row() { return "'" + random_.Pick(alphabet_.rows) + "'"; }
  std::string Qualifier() { return "'" + random_.Pick(alphabet_.qualifiers) + "'"; }
  std::string Family() { return random_.OneIn(2) ? "'f'" : "'g'"; }

  Random& random_;
  const Alphabet& alphabet_;
};

// A table with some rows, and `scan_count` reads with filters. `left_out` counts the ops that were not taken, by reason.
ParityCase MakeFilterCase(uint64_t seed, size_t scan_count, std::map<std::string_view, size_t>* left_out);

}  // namespace klip::ops
