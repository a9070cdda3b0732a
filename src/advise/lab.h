// The lab: each choice of keys is laid out, and the planner is asked what the queries would cost there.
#pragma once

#include <functional>
#include <vector>

#include "advise/key_choices.h"
#include "advise/key_layout.h"
#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/advise.h"

namespace klip::advise {

// Of one choice. Errors: kInvalidArgument: it cannot hold the rows, makes two of them one, or cannot answer a query.
Expected<KeyDesign> Try(const KeyChoice& choice, const Sample& sample, const LabQueries& queries);

// The present keys first, then the Pareto set by time, then the others by time.
Expected<std::vector<KeyDesign>> RunLab(const Sample& sample, const LabQueries& queries);

// Sets KeyDesign::pareto of those that no other betters.
void MarkPareto(std::vector<KeyDesign>* designs);

}  // namespace klip::advise
