// The rows of an index as a table (info/table_info.h, ShowIndex): the entries, made into rows when they are read.
//
//   stored   row "berlin\0" "7"   "" = certain, with f:name = Ann at 5
//   shown    row "berlin\0" "7"   e: = "" at 0,      f:name = Ann at 5
//
// Ranges and conditions on the fields of the index go to the store, which jumps as in any table. All else is left to
// MadeRowScanner. An entry that has to be checked is compared with its row, and is not shown if it is stale.
#pragma once

#include <functional>
#include <memory>

#include "klip/cell.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

using OpenEntries = std::function<Expected<std::unique_ptr<ResultScanner>>(const Scan& entries)>;

// REQUIRES: info->shown has an index. `source`: of both the entries and the rows. `open`: scans the stored entries.
// Errors: kNoSuchColumnFamily, those of `where` and of opening.
Expected<std::unique_ptr<ResultScanner>> OpenShownEntries(const RowSource& source, const InfoPtr& info,
                                                          const Scan& scan, const OpenEntries& open);
Status GetShownEntry(const RowSource& source, const InfoPtr& info, const Get& get, Result* result);

}  // namespace klip::table
