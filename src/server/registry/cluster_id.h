// The cluster's id: a UUID that clients are told, and that stays with the store.
#pragma once

#include <string>

#include "klip/status.h"

namespace klip::server {

// Of the file CLUSTER_ID in the store's directory, which is made when it is not there.
// Errors: kIoError; kCorruption for a file that does not hold a UUID.
Expected<std::string> ReadOrMakeClusterId(const std::string& directory);

}  // namespace klip::server
