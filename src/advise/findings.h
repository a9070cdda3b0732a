// The five principles of row keys as findings: what the sample and the lab show, why it matters, and what to do.
#pragma once

#include <vector>

#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/advise.h"

namespace klip::advise {

// `designs`: from RunLab, the present keys first. At least one finding per principle.
std::vector<KeyFinding> FindingsOf(const Sample& sample, const LabQueries& queries,
                                   const std::vector<KeyDesign>& designs);

}  // namespace klip::advise
