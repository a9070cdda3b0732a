// The cluster's id: a UUID that clients are told, and that stays with the store, in its file CLUSTER_ID.
#pragma once

#include <string>

#include "engine/view/table_view.h"
#include "klip/status.h"

namespace klip::engine {

// The file is made, and synced, when it is not there. `store`: of one that is open.
// Errors: kIoError; kCorruption for a file that does not hold a UUID.
Expected<std::string> ReadOrMakeClusterId(const StoreOptions& store);
// Of the store in a directory, which may be open. Ok when there is no such file: it was never served.
Status CheckClusterId(const std::string& store);

}  // namespace klip::engine
