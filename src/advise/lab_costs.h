// What reads and writes cost on this machine, for the lab.
#pragma once

#include "advise/lab.h"

namespace klip::advise {

// Loads some of the sampled rows into a temporary store, and reads and writes them: some 100 ms. Too few rows: the default costs.
// Errors: those of the store.
Expected<LabCosts> MeasureCosts(const LabInput& input);

}  // namespace klip::advise
