// How many values of a key part a merged sample does not list.
#pragma once

#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/leading_values.h"

namespace klip::filter {

// After the samples of several files were merged: estimates from the drawn rows how many of the omitted values these have in common, and
// sets KeySample::Values::left_out. `parts`: of the keys; if the sample has more, nothing changes.
void CountLeftOut(const std::vector<KeyPart>& parts, KeySample* sample);

}  // namespace klip::filter
