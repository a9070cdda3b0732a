// BulkLoader: rows straight into sorted files.
#pragma once

#include <memory>

#include "engine/store/store.h"
#include "klip/connection.h"
#include "table/checks.h"
#include "table/table_info.h"

namespace klip::table {

Expected<std::unique_ptr<BulkLoader>> MakeBulkLoader(engine::Store* store, InfoPtr info, const Limits& limits);

}  // namespace klip::table
