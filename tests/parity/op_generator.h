// Random ops over tiny alphabets, so that rows, columns and timestamps meet often, for the comparison with HBase.
#pragma once

#include <string>
#include <vector>

#include "ops/random.h"
#include "parity/comparison.h"
#include "parity/left_out.h"

namespace klip::ops {

// The tables that cases use. Making one on HBase takes a second, so there are few, and each has its own traits.
const std::vector<std::string>& TableShapes();

// What ops are made of, as op text.
struct Alphabet {
  std::vector<std::string> rows;
  std::vector<std::string> qualifiers;
  std::vector<std::string> values;
  std::vector<std::string> row_prefixes;
};

class OpGenerator {
 public:
  OpGenerator(Random& random, const CaseTraits& traits, const Alphabet& alphabet)
      : random_(random), traits_(traits), alphabet_(alphabet) {}

  std::string Write();
  std::string Read();
  std::string Put(const std::string& row);
  std::string Delete(const std::string& row);

  std::string Row() { return random_.Pick(alphabet_.rows); }
  // Columns, versions, cells of a family, time ranges: what Get and Scan share.
  std::string ReadOptions();
  // What Scan has beside these.
  std::string ScanOptions();

 private:
  std::string Column();
  std::string At();
  std::string Timestamp();
  std::string TimeRange(const std::string& name);
  std::vector<std::string> Columns(size_t most);
  std::string Counter(const std::string& row);
  std::string Condition();
  std::string Check(const std::string& row);
  std::string RowMutations(const std::string& row);
  std::string Batch();
  std::string Scan();

  Random& random_;
  const CaseTraits& traits_;
  const Alphabet& alphabet_;
  int64_t last_timestamp_ = 0;
};

// The effects of the families of a "create" op.
CaseTraits TraitsOf(const std::string& create);

// Store options of klip that do not change results.
ConnectionOptions RandomOptions(Random& random);

// A case of about this many ops. `left_out` counts the ops that were not taken, by reason.
ParityCase MakeOpCase(uint64_t seed, size_t op_count, std::map<std::string_view, size_t>* left_out);

}  // namespace klip::ops
