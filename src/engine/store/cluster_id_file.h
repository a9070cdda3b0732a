// The cluster's id: a UUID that clients receive. The store keeps it in its file CLUSTER_ID.
#pragma once

#include <string>

#include "engine/view/table_view.h"
#include "klip/status.h"

namespace klip::engine {

inline constexpr const char* kClusterIdName = "CLUSTER_ID";

// Creates and syncs the file if it is missing. `store`: the options of an open store. Errors: kIoError; kCorruption if
// the file does not contain a UUID.
Expected<std::string> ReadOrMakeClusterId(const StoreOptions& store);
// For a store in a directory, open or not. Ok if the file is missing: the store was never served.
Status CheckClusterId(const std::string& store);

}  // namespace klip::engine
