// BulkLoader: writes rows directly into sorted files.
#pragma once

#include <memory>
#include <string_view>

#include "klip/connection.h"
#include "table/info/shared.h"

namespace klip::table {

// Errors: as of BulkWrite::Open.
Expected<std::unique_ptr<BulkLoader>> MakeBulkLoader(Shared* shared, std::string_view table);

}  // namespace klip::table
