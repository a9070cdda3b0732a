// Measures the designs of the Pareto set: loads the sample into a temporary store with each design, and runs the queries.
#pragma once

#include <vector>

#include "advise/lab.h"
#include "klip/advise.h"

namespace klip::advise {

// Sets QueryOutcome::measured for the present keys and for the Pareto set. Runs each query twice, and measures the second
// run, with a warm cache. Errors: kIoError, no space for the temporary store, which is removed at the end.
Status Verify(const LabInput& input, std::vector<KeyDesign>* designs);

}  // namespace klip::advise
