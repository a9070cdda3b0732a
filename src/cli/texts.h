// The texts of the command line: columns, times and key fields, each as a value or an error that says what is wrong.
//
// Rows, qualifiers and values are bytes. ToText writes them as text, and klip::FromStringBinary reads them back:
//
//   Grüße      UTF-8 stays as it is          C:\dir       so does a backslash
//   a\x00\xFF  control characters and bytes that are not UTF-8 are \xNN; then other bytes outside ASCII too, since those of numbers
//              may form letters of any script
//   \x5Cx41    the four characters \x41, which would otherwise be read as A
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::cli {

// Bytes as text. FromStringBinary(ToText(bytes)) == bytes.
std::string ToText(std::string_view bytes);

// The value of a key field, as RowKeySchema::Decode gives it, as text; and the inverse.
std::string FieldToText(const KeyField& field, std::string_view value);
std::string FieldFromText(const KeyField& field, std::string_view text);

// A decimal number that fills the whole text.
std::optional<int64_t> ParseInt(std::string_view text);

// "family" or "family:qualifier".
Expected<ColumnSpec> ParseColumn(std::string_view text);

// "family:qualifier=value".
Expected<Put::Column> ParseColumnValue(std::string_view text);

// "100..200": both ends in milliseconds, the second not included; an end left out is open. "100": exactly that one.
Expected<TimeRange> ParseTimeRange(std::string_view text);

// A row argument: "@username=alice,date=20140628,domain='a,b'" builds the key by the table's schema, anything else is the
// key itself. Quotes, '...' or "...", keep commas; a doubled quote inside stands for one.
Expected<std::string> ParseRow(std::string_view text, const std::optional<RowKeySchema>& schema);

// "a,b,c" -> a, b, c. No quoting.
std::vector<std::string> SplitList(std::string_view text, char separator = ',');

// As HBase's shell takes them: TRUE, true, FALSE, false.
std::optional<bool> ParseBool(std::string_view text);

}  // namespace klip::cli
