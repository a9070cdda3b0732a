#pragma once

#include <optional>
#include <string>
#include <vector>

#include "klip/arrow.h"
#include "klip/status.h"

namespace klip::arrow {

// The Arrow names of the columns, in order: their own, or else the qualifier, or "family:qualifier" if the qualifier is
// taken. `key_names` are those of the row key. Errors: kInvalidArgument: two columns with one name, or one column twice.
Expected<std::vector<std::string>> ColumnNames(const std::vector<ArrowColumn>& columns,
                                               const std::vector<std::string>& key_names);

// The names of the columns of the row key: of its fields that take a value; "row" for a table without a schema.
std::vector<std::string> KeyNames(const std::optional<RowKeySchema>& schema);

// "family:qualifier", printable.
std::string FullName(const ArrowColumn& column);

// "column 'name': why".
Status BadColumn(const std::string& name, const std::string& why);

}  // namespace klip::arrow
