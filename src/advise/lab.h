// The lab: each choice of keys is laid out, and the planner is asked what the queries would cost there. Then again with indexes on the
// columns that queries have conditions on: to the present keys and the best others the index is added that saves the most time, and then
// the next one, while that pays.
#pragma once

#include <functional>
#include <vector>

#include "advise/key_choices.h"
#include "advise/key_layout.h"
#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/advise.h"
#include "klip/index.h"

namespace klip::advise {

// What the lab tries keys and indexes on.
struct LabInput {
  const Sample& sample;
  const LabQueries& queries;
  std::vector<IndexDescriptor> indexes = {};  // that the table has
};

// Of one choice. Errors: kInvalidArgument: it cannot hold the rows, makes two of them one, or cannot answer a query.
Expected<KeyDesign> Try(const KeyChoice& choice, const LabInput& input);

// The present keys first, then the Pareto set by time, then the others by time.
Expected<std::vector<KeyDesign>> RunLab(const LabInput& input);

// Sets KeyDesign::pareto of those that no other betters.
void MarkPareto(std::vector<KeyDesign>* designs);

}  // namespace klip::advise
