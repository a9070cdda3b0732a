// Actions on many rows: each goes to the server of its region, many in a call, all servers at once; those that failed because
// something moved go again.
#pragma once

#include <span>
#include <string>

#include "hbase/table/multi_call.h"

namespace klip::client {

// One try of gets with Consistency::kTimeline: at the primaries or, where those are slow or fail, at all replicas.
void ReadReplicas(Cluster* cluster, const std::string& table, std::span<MultiItem* const> items, Deadline deadline);

// Afterwards each item is done, or its failure says why not.
void RunMulti(Cluster* cluster, const std::string& table, std::span<MultiItem> items);

}  // namespace klip::client
