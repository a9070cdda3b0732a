// Where files may be written.
#pragma once

#include <string>

#include "klip/status.h"

namespace klip::base {

// Refuses a path inside the directory of a store: files of others there would be lost, or kept from the store. The path need
// not exist; links in it are followed. Errors: kInvalidArgument.
Status CheckOutsideStores(const std::string& path);

}  // namespace klip::base
