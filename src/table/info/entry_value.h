// The value of an entry's only cell: the state of the entry, and the columns that the index covers (INCLUDE).
//
//   kCheck      readers read the row
//   kCertain    of an index that covers no columns
//   kCovering   then for each covered column that the row has, in the order of the declaration:
//     column(4)     its position in IndexDefinition::columns; the highest bit says that it has an end
//     timestamp(8)  ms since 1970
//     end(8)        only with that bit: the last moment of its TTL, ms since 1970
//     length(4)     of the value, which follows
//
// Numbers are big-endian. Example: f:name, the second column, is "Ann" at 5: 03, 00 00 00 01, 00 .. 05, 00 00 00 03, "Ann".
//
// Stores of older versions have covered columns in cells of their own, beside kCertain. Such an entry counts as one to be
// checked, until it is written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/shown_versions.h"
#include "rowkey/index_definition.h"

namespace klip::table {

inline constexpr std::string_view kCertain = "\x01";
inline constexpr std::string_view kCheck = "\x02";
inline constexpr std::string_view kCovering = "\x03";

struct CoveredColumn {
  size_t column = 0;  // of IndexDefinition::columns
  int64_t timestamp_ms = 0;
  int64_t until_ms = model::kNoEnd;
  std::string_view value;
};

void AppendCovered(const CoveredColumn& column, std::string* value);

// Whether the entry with this value contains what a Get of the row would show. Then `covered` gets the columns that have
// not expired; they point into `value`. A value that is not as above is no such entry.
bool ReadEntryValue(const rowkey::IndexDefinition& definition, std::string_view value, int64_t now_ms,
                    std::vector<CoveredColumn>* covered);

}  // namespace klip::table
