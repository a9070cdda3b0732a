// A scan in the order of an index. Reads entries in groups, and the rows of a group by one scan that jumps from each to
// the next. Both read the same moment, so the order matches the returned rows, unless a hook reads rows by itself, and later.
#pragma once

#include <functional>
#include <memory>

#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

using OpenRows = std::function<Expected<std::unique_ptr<ResultScanner>>(const Scan& rows)>;

// `scan` has order_by_index. `open` runs a scan of the table without its indexes, in the order of rows, at the moment of
// `source`. Errors: kInvalidArgument: no such index, it is being built, or the scan has pieces of rows, or a filter that
// remembers rows.
Expected<std::unique_ptr<ResultScanner>> OpenIndexOrder(const RowSource& source, const InfoPtr& table, const Scan& scan,
                                                        OpenRows open);

}  // namespace klip::table
