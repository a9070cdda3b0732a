// Conditions on columns as HBase's filters, so that indexes, servers and scans need to know one kind of condition only.
//
//   day=today (f:city=berlin OR f:age::u8>=18)
//
// becomes the query day=today on the row key, and a filter: a list, of which one must pass, of SingleColumnValueFilters with
// filterIfMissing, "f:city = berlin" and "f:age >= \x12". Values that lie apart in the order of bytes, as those below 5 of an i32
// (00000000 to 00000004 and 80000000 to FFFFFFFF), are two filters of such a list.
//
// The filters see only columns that are read. So the scan's columns get those of the conditions, which SingleColumnValueExcludeFilters
// take out again.
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

// The query without its conditions on columns: all rows that match it match this. nullopt: that would be every row.
std::optional<KeyQuery> KeysOf(const KeyQuery& query);

// The same scan with a filter in place of the conditions on columns. `schema`: the table's; null: none.
// `mixed`: where some alternatives name key fields and others columns ("day=today OR f:city=berlin"), a filter can tell them apart that
// only this process knows; false: that is an error. Errors: kInvalidArgument: a value that the column's type does not have, a scan that
// takes no such conditions (Scan::where); kUnsupported: not `mixed`.
Expected<Scan> WithColumnFilter(const Scan& scan, const RowKeySchema* schema, bool mixed);

// Makes the scan return one cell a row, without its value, for callers that want only keys. Leaves it as it is where that would change
// which rows match: with a filter, with conditions on columns, with limits per family.
void AskForKeysOnly(Scan* scan);

// Adds the conditions on columns to the fields of `explain`, if each is named once. `use`: what they are used for.
void DescribeColumns(const KeyQuery& where, std::string_view use, Explain* explain);

// The stored values that match, in the order of bytes. REQUIRES: not column.missing. Errors: kInvalidArgument: a value that the type
// does not have.
Expected<FieldSet> StoredSetOf(const ColumnMatch& column);

}  // namespace klip::rowkey
