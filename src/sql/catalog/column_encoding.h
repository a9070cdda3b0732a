// Phoenix's two ways to store the columns of a table other than by their names: numbers as qualifiers
// (COLUMN_ENCODED_BYTES), and one cell for all columns of a family (IMMUTABLE_STORAGE_SCHEME, single_cell.h). Pure.
//
// Columns are numbered from 11 on in the order in which they are added, and the numbers of dropped columns are not used
// again. A number is the column's qualifier, or its place in the single cell: (a, b) with COLUMN_ENCODED_BYTES=2 have the
// qualifiers 80 0B and 80 0C, and are elements 1 and 2 of a single cell. Single cells count in each family, qualifiers in
// the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "klip/status.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

inline constexpr int64_t kFirstColumnNumber = 11;  // those below are Phoenix's own
inline constexpr size_t kEncodedEmptyQualifierBytes = 4;

// The number that a qualifier of 1 to 4 bytes encodes: signed with a flipped sign bit, if SQL has a type of that width.
int64_t DecodeQualifier(std::string_view qualifier);
std::string EncodeQualifier(int64_t number, int bytes);

// The element of a single cell for the column with this number; 0: there is none.
size_t ElementOf(int64_t number);

// Begins to number the columns of a new table, if its properties ask for it; the columns may have numbers already
// (ENCODED_QUALIFIER). Errors: 1137 (XCL37), single cells without numbers; kInvalidArgument, an unknown value of a
// property; those of NumberColumns.
Status BeginNumbering(TableDefinition* table);

// Numbers the columns that have no number, and sets the qualifiers of all. Without effect on a table that has names as
// qualifiers. Errors: 1136 (XCL36), more columns than numbers of this width; kInvalidArgument, two columns with one number.
Status NumberColumns(TableDefinition* table);

// Whether ALTER TABLE may set the property, as text, to this value: how rows are stored cannot change. Errors:
// kUnsupported; 1133 (XCL33), IMMUTABLE_ROWS of a table with single cells.
Status CheckStorageProperty(const TableDefinition& table, std::string_view name, const Value& value);

}  // namespace klip::sql
