// The designs of the Pareto set, measured: the sample is loaded by each into a temporary store, and the queries are run.
#pragma once

#include <vector>

#include "advise/lab.h"
#include "klip/advise.h"

namespace klip::advise {

// Sets QueryOutcome::measured of the present keys and of the Pareto set. Each query is run twice, and the second run counts: with a
// warm cache. Errors: kIoError, no room for the temporary store, which is removed at the end.
Status Verify(const LabInput& input, std::vector<KeyDesign>* designs);

}  // namespace klip::advise
