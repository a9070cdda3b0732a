// The bytes with which cells of a column are compared, for filters and indexes.
#pragma once

#include <optional>
#include <string>

#include "klip/sql_value.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// False for CHAR, which may be stored with or without padding, for columns that share a cell, and for those with a value
// without a cell.
bool HasOneForm(const TableColumn& column);

// The bytes to compare those of values of the type with, for a comparison with `value`; nullopt: none. *exact: they are those of the
// value, not of a nearby one.
std::optional<std::string> ComparableBytes(const DataType& type, const Value& value, bool* exact);

// DOUBLEs and FLOATs have two zeros, which are equal, but have two forms: the positive one.
Value WithoutNegativeZero(Value value);

// The same, for bytes of ComparableBytes: those of the least and of the greatest value that equals theirs.
std::string LeastEqual(const DataType& type, std::string bytes);
std::string GreatestEqual(const DataType& type, std::string bytes);

}  // namespace klip::sql
