// Hashes to Get and Scan. The members are named as in klip/query.h; filters come as texts in the filter language.
#pragma once

#include "klip/query.h"
#include "klip/table.h"
#include "shell/ruby_api.h"

namespace klip::shell {

Expected<Get> ToGet(VALUE hash);

// `where`: conditions on key fields and columns, as Table::ParseQuery takes them.
Expected<Scan> ToScan(VALUE hash, const Table& table);

}  // namespace klip::shell
