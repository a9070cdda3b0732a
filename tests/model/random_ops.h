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
  // "major" stands for flush and major compaction, "restore s" for disabling the table, restoring and enabling it. "clone s [major]" scans a
  // clone, before and after a flush or a compaction, and drops it.
  std::vector<std::string> ops;
};

// `files`: also bulk loads, snapshots, restores and clones.
RandomCase MakeRandomCase(uint64_t seed, size_t op_count, bool files = false);

}  // namespace klip::ops
