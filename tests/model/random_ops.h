// Random op lines over tiny alphabets, so that rows, columns and timestamps meet often.
#pragma once

#include <string>
#include <vector>

#include "klip/connection.h"
#include "ops/random.h"

namespace klip::ops {

// A store, a table and ops on it, all from one seed.
struct RandomCase {
  std::string create;  // op line that makes table "t"
  ConnectionOptions options;
  std::vector<std::string> ops;  // "major" stands for flush and major compaction
};

RandomCase MakeRandomCase(uint64_t seed, size_t op_count);

}  // namespace klip::ops
