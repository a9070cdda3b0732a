// Converts hashes to Get and Scan. Members have the names of klip/query.h; filters are texts in the filter language.
#pragma once

#include "klip/query.h"
#include "klip/table.h"
#include "shell/ruby_api.h"

namespace klip::shell {

Expected<Get> ToGet(VALUE hash);

// `where`: conditions on key fields and columns, for Table::ParseQuery.
Expected<Scan> ToScan(VALUE hash, const Table& table);

}  // namespace klip::shell
