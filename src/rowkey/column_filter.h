// Converts conditions on columns to HBase's filters, so that indexes, servers and scans only need to know filters.
//
//   day=today (f:city=berlin OR f:age::u8>=18)
//
// becomes the query day=today on the row key and a filter. The filter is a MUST_PASS_ONE list of SingleColumnValueFilters
// with filterIfMissing: "f:city = berlin" and "f:age >= \x12". If the values are not contiguous in byte order, like those
// below 5 of an i32 (00000000 to 00000004 and 80000000 to FFFFFFFF), there are two filters in such a list.
//
// Filters see only columns that the scan reads. So the columns of the conditions are added to the scan, and
// SingleColumnValueExcludeFilters remove them from the results.
#pragma once

#include <optional>
#include <string_view>

#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "rowkey/field_set.h"

namespace klip::rowkey {

bool AsksColumns(const KeyQuery& query);

// The query without its conditions on columns: all rows that match the query match the result. nullopt: that would be
// every row.
std::optional<KeyQuery> KeysOf(const KeyQuery& query);

// The same scan with a filter instead of the conditions on columns. `schema`: the table's; null: none. `mixed`: what to
// do if some alternatives name key fields and others columns ("day=today OR f:city=berlin"), and with upper() and lower().
// True: use a filter that only works in this process; false: return an error. Errors: kInvalidArgument: a value that is
// not of the column's type, a scan that does not support conditions (Scan::where); kUnsupported: not `mixed`.
Expected<Scan> WithColumnFilter(const Scan& scan, const RowKeySchema* schema, bool mixed);

// Reduces the scan to one cell per row, without its value, for callers that only want keys. Leaves it unchanged if that
// would change which rows match: with a filter, conditions on columns, or limits per family.
void AskForKeysOnly(Scan* scan);

// Adds the conditions on columns to the fields of `explain`, if each is named once. `use`: their purpose in the plan.
void DescribeColumns(const KeyQuery& where, std::string_view use, Explain* explain);

// The matching stored values, in byte order. REQUIRES: not column.missing. Errors: kInvalidArgument: a value that is not
// of the type.
Expected<FieldSet> StoredSetOf(const ColumnMatch& column);

}  // namespace klip::rowkey
