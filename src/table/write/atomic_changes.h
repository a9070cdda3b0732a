// Converts an AtomicBatch to the parts of a WriteRequest.
#pragma once

#include <vector>

#include "klip/mutation.h"
#include "klip/status.h"
#include "table/info/shared.h"
#include "table/write/change.h"
#include "table/write/write_operation.h"

namespace klip::table {

struct AtomicChanges {
  std::vector<SlotPtr> tables;
  std::vector<Change> changes;
  std::vector<Condition> conditions;
};

// Refers to the batch. Errors: kTableNotFound.
Expected<AtomicChanges> ChangesOf(Shared* shared, const AtomicBatch& batch);

}  // namespace klip::table
