// The names that a query may use for a table: the fields of its row key, and columns with the types of their values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "klip/admin.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/status.h"

namespace klip::rowkey {

struct QueryNames {
  std::string table;  // for messages
  std::optional<RowKeySchema> schema;
  std::vector<std::string> families;
  std::map<std::pair<std::string, std::string>, std::string> types;  // family and qualifier -> type, as in ColumnMatch
};

// Includes the types that the table's indexes declare. Errors: kInvalidArgument: its row-key schema cannot be read.
Expected<QueryNames> QueryNamesOf(const TableDescriptor& table);

// Table::ParseQuery. `now_ms`: see RowKeySchema::ParseQuery.
Expected<KeyQuery> ParseQuery(const QueryNames& names, std::string_view text,
                              std::optional<int64_t> now_ms = std::nullopt);

// Attribute of a scan: the text of its `where`, for clients that cannot send it otherwise (HBase's own, Thrift, REST).
inline constexpr std::string_view kWhereAttribute = "klip.where";

inline bool HasWhereAttribute(const Scan& scan) {
  return !scan.attributes.empty() && scan.attributes.contains(std::string(kWhereAttribute));
}

// The scan with that attribute as its `where`. REQUIRES: HasWhereAttribute. Errors: those of ParseQuery;
// kInvalidArgument: it already has a `where`.
Expected<Scan> WithWhereOfAttribute(const QueryNames& names, Scan scan);

// The type of a column's values as in ColumnMatch, from the type in a schema or index: without options that only affect
// keys (widths of text, padding, order). Errors: kInvalidArgument: not a type of columns.
Expected<std::string> ColumnType(std::string_view type);

// upper(f:name) and lower(f:name) compare text in that case: ColumnMatch::type is then "upper" or "lower". nullopt: any
// other type.
std::optional<base::LetterCase> CaseOfType(std::string_view type);
std::string TypeOfCase(base::LetterCase letter_case);

// A field of the column's type, for conditions and messages. Its bytes are the stored ones, except for the sign bit of i8
// to i64. Errors: kInvalidArgument: as ColumnType.
Expected<KeyField> ColumnField(const ColumnMatch& column);

// "family:qualifier", in quotes if queries need them.
std::string ColumnName(std::string_view family, std::string_view qualifier);
// The same with the type, as in a query: "f:age::i32", "upper(f:name)".
std::string ColumnText(const ColumnMatch& column);

// Whether the byte ends an unquoted name of a field, family or qualifier.
bool EndsName(char c);

}  // namespace klip::rowkey
