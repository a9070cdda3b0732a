// Random cases on klip and on HBase. A case that differs is reduced to the ops that reproduce it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "parity/comparison.h"
#include "parity/hbase_process.h"

namespace klip::ops {

struct RandomCounts {
  size_t cases = 0;
  size_t server_faults = 0;  // ops at which HBase failed by a bug of its own
  size_t differences = 0;    // cases; each is printed
};

// `case_count` cases of `make`, with the seeds from `first_seed` on, or until some few differ. Those that differ are written to
// `failures` as golden files.
RandomCounts CompareRandomCases(HBaseProcess& hbase, uint64_t first_seed, size_t case_count,
                                const std::string& failures, const std::function<ParityCase(uint64_t seed)>& make);

}  // namespace klip::ops
